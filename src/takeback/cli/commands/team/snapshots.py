"""takeback team snapshots"""

from __future__ import annotations

import json

import click

from takeback.cli.call import Call
from takeback.cli.commands.team import acting
from takeback.cli.people import Line, say, table
from takeback.cli.text import clip


@click.command("snapshots", cls=acting.TeamCommand)
@acting.team
@acting.place
@click.pass_obj
def command(call: Call, team: str, data_dir: str | None) -> None:
    """List the snapshots of a team, newest first: takeback's, and the bundles that ClawTeam made.

    With --json it is an array, as ClawTeam's is.

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
        say("there are no snapshots of it", [("`takeback team snapshot TEAM` makes one", "quiet")])
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
