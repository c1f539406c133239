"""takeback team restore"""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from takeback.cli import shapes
from takeback.cli.acting import ask, needs_yes
from takeback.cli.call import Call
from takeback.cli.commands.team import acting
from takeback.cli.people import say
from takeback.errors import Locked
from takeback.model.ids import short
from takeback.model.plan import Kept
from takeback.views import plans
from takeback.views.lines import Line
from takeback.views.text import clip, count

if TYPE_CHECKING:
    from takeback.adapters.clawteam import SnapshotManager
    from takeback.model.plan import Plan

_HELD = {"tasks": "task", "events": "event", "sessions": "session", "costs": "cost event", "inboxes": "message"}
_GONE = {
    "members": "member",
    "tasks": "task",
    "messages": "message",
    "sessions": "session",
    "events": "event",
    "costs": "cost event",
}


@click.command("restore", cls=acting.TeamCommand)
@acting.team
@acting.snapshot_id
@click.option("--dry-run", is_flag=True, help="Show what would be done; nothing is written.")
@click.option("-f", "--force", is_flag=True, help="Do not ask, and go on if members of the team are running.")
@click.option("--merge", is_flag=True, help="Keep mail that is newer than the snapshot.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@acting.members
@acting.place
@click.pass_obj
def command(
    call: Call,
    team: str,
    snapshot_id: str,
    dry_run: bool,
    force: bool,
    merge: bool,
    yes: bool,
    with_workspaces: bool,
    data_dir: str | None,
) -> None:
    """Make a team exactly as a snapshot has it.

    Also one that was cleaned up. ID is one that `takeback team snapshots` lists, a bundle of ClawTeam's among them, or any reference to a snapshot of
    takeback's. The present is saved first. Tasks and mail that are newer are shown before they go; --merge keeps the mail.
    It is refused while members are running, unless --force. With --with-workspaces the files in the worktrees of members
    come back in the same step; a member that joined since is left alone.

    For example:
      takeback team restore alpha 20260319T101500-good --dry-run
      takeback team restore alpha 20260319T101500-good
      takeback team restore alpha @- --merge --yes
      takeback team restore alpha @- --with-workspaces
    """
    manager = acting.manager(call, team, data_dir, force=force, merge=merge, with_workspaces=with_workspaces)
    if dry_run or not (force or yes or call.json):
        summary = manager.restore(snapshot_id, dry_run=True)
        plan = _plan(manager, snapshot_id, summary)
        if call.json:
            shapes.print_json({**summary, "plan": shapes.plan(plan)["plan"]})
            return
        say(*_preview(plan, summary))
        if dry_run:
            return
        if plan.empty:
            return
        if not call.interactive:
            raise needs_yes(call)
        _check_nobody_runs(team, summary)
        ask("Do it?")
    done = manager.restore(snapshot_id)
    if call.json:
        shapes.print_json(done)
        return
    options = f"{' --with-workspaces' if with_workspaces else ''}{acting.typed(call, data_dir)}"
    say(*_report(team, snapshot_id, done, options))


def _plan(manager: SnapshotManager, snapshot_id: str, summary: Mapping[str, Any]) -> Plan:
    """What would be done, with what the summary says of the rest: it knows what a bundle cannot hold."""
    plan = manager.plan(snapshot_id)
    kept = tuple(Kept("", each["path"], each["reason"]) for each in summary["kept"])
    return replace(plan, kept=kept, notes=tuple(summary["notes"]))


def _preview(plan: Plan, summary: Mapping[str, Any]) -> Iterator[Line]:
    held = ["the configuration" if summary["config"] else "no configuration"]
    held += [count(summary[key], noun) for key, noun in _HELD.items()]
    yield [("would restore ", "head"), ", ".join(held)]
    yield from plans.plan_lines(plan)


def _check_nobody_runs(team: str, summary: Mapping[str, Any]) -> None:
    """Rather before somebody is asked than after."""
    if summary["running"]:
        who = ", ".join(f"{each['name']} ({each['how']})" for each in summary["running"])
        raise Locked(
            f"members of the team {team!r} are running: {who}", hints=["stop them first, or add --force to go on"]
        )


def _report(team: str, snapshot_id: str, done: Mapping[str, Any], options: str) -> Iterator[Line]:
    if not done["done"]:
        yield ["nothing to restore: ", (team, "name"), " is as in snapshot ", (clip(snapshot_id, 60), "id")]
    else:
        yield ["restored ", (team, "name"), " from snapshot ", (clip(snapshot_id, 60), "id")]
        yield plans.done_line(done["done"])
    lost = {each: len(found) if isinstance(found, list) else found for each, found in done["lost"].items()}
    if words := [count(lost[key], noun) for key, noun in _GONE.items() if lost[key]]:
        yield [("gone, and kept in the snapshot before: ", "warn"), ", ".join(words)]
    if lost["changed_tasks"]:
        yield [("set back: ", "warn"), count(lost["changed_tasks"], "task")]
    for reason, number in Counter(each["reason"] for each in done["kept"]).items():
        yield [("left as it is: ", "warn"), f"{count(number, 'path')} ({reason})"]
    for note in done["notes"]:
        yield [("note: ", "warn"), note]
    if not done["done"]:
        return
    yield [("read back and verified", "good")]
    back = f"takeback team restore {shlex.quote(team)} {short(done['safety'])}{options}"
    yield ["the state before is snapshot ", (short(done["safety"]), "id"), f"; back to it: `{back}`"]
