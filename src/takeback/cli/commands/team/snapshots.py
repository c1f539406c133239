"""takeback team snapshots"""

from __future__ import annotations

import json
import os
import shlex
from typing import TYPE_CHECKING

import click

from takeback.cli.call import Call
from takeback.cli.commands.team import acting
from takeback.cli.people import say
from takeback.errors import NotFound
from takeback.views.lines import Line, table
from takeback.views.text import clip

if TYPE_CHECKING:
    from takeback.adapters.clawteam import SnapshotManager


@click.command("snapshots", cls=acting.TeamCommand)
@acting.team
@acting.place
@click.pass_obj
def command(call: Call, team: str, data_dir: str | None) -> None:
    """List the snapshots of a team, newest first.

    Those that takeback made, and the bundles that ClawTeam made. What restores saved before they began is on the team's
    timeline, and `takeback log` shows it. With --json it is an array, as ClawTeam's is.

    For example:
      takeback team snapshots alpha
    """
    manager = acting.manager(call, team, data_dir)
    found = manager.list_snapshots()
    if call.json:
        shapes = [
            {**each.model_dump(by_alias=True), "kind": each.kind, "snapshot": each.snapshot or None} for each in found
        ]
        print(json.dumps(shapes))
        return
    if not found:
        _say_none(manager)
    head: Line = [(each, "head") for each in ("id", "tag", "members", "tasks", "events", "created", "")]
    rows: list[Line] = [
        [
            (each.id, "id"),
            clip(each.tag, 24),
            f"{each.member_count:,}",
            f"{each.task_count:,}",
            f"{each.event_count:,}",
            (clip(each.created_at[:19].replace("T", " "), 19), "quiet"),
            ("ClawTeam's" if each.kind == "bundle" else "", "quiet"),
        ]
        for each in found
    ]
    say(*table([head, *rows] if rows else []))
    for name in manager.unreadable():
        say([("no snapshot: ", "warn"), name])
    if found and (others := manager.unlisted()):
        say([(f"… and {others:,} more without an id, from restores and undos: `{_log(call, manager)}`", "quiet")])


def _log(call: Call, manager: SnapshotManager) -> str:
    """The command that shows the team's timeline, from anywhere."""
    name, root, home = manager.timeline.name, manager.timeline.root, os.path.expanduser("~/")
    place = f"~/{shlex.quote(root.removeprefix(home))}" if root.startswith(home) else shlex.quote(root)
    return f"takeback log --timeline {shlex.quote(name)} -C {place}{acting.typed(call, None)}"


def _say_none(manager: SnapshotManager) -> None:
    say(f"there are no snapshots of {manager.team_name}")
    try:
        manager.check_there()
        say([(f"`takeback team snapshot {manager.team_name}` makes one", "quiet")])
    except NotFound as error:
        say([(error.message, "warn")], *([(hint, "quiet")] for hint in error.hints))
