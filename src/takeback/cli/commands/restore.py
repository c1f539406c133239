"""takeback restore"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from takeback.cli import acting, completing, teams
from takeback.cli import containers as boxes
from takeback.cli import given as beside
from takeback.cli.app import Command
from takeback.cli.call import Call
from takeback.cli.people import say
from takeback.errors import InvalidInput
from takeback.model.ids import short
from takeback.views import plans
from takeback.views.text import count

if TYPE_CHECKING:
    from takeback.engine.timeline import Timeline


@click.command("restore", cls=Command)
@click.argument("reference", metavar="REF", shell_complete=completing.references)
@click.argument("paths", nargs=-1, metavar="[PATH]...", shell_complete=completing.paths)
@click.option("--only", metavar="PART,...", help="Only these parts of the snapshot.")
@click.option("--conversation", is_flag=True, help="The conversation, too: as a new session of the agent.")
@click.option("--to", metavar="DIR", help="Put it into this directory, which must be empty or new.")
@beside.options
@click.option("--as", "new", metavar="NAME", help="Make the container anew under this name, beside the one there is.")
@click.option("--env", multiple=True, metavar="NAME=VALUE", help="With --as: a variable of its environment.")
@click.option("--port", multiple=True, metavar="HOST:CONTAINER", help="With --as: where a port of it is published.")
@click.option(
    "--same-volumes",
    is_flag=True,
    help="With --as: the very volumes of the original, as they are now, instead of new ones with what the snapshot holds.",
)
@click.option("--allow-wider", is_flag=True, help="The container may get rights on the host that it has not now.")
@teams.force
@click.option("--merge", is_flag=True, help="Keep the mail of a team that is newer than the snapshot.")
@click.option("--dry-run", is_flag=True, help="Show what would be done; nothing is written.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@click.pass_obj
def command(
    call: Call,
    reference: str,
    paths: tuple[str, ...],
    only: str | None,
    conversation: bool,
    to: str | None,
    given: beside.Given,
    new: str | None,
    env: tuple[str, ...],
    port: tuple[str, ...],
    same_volumes: bool,
    allow_wider: bool,
    force: bool,
    merge: bool,
    dry_run: bool,
    yes: bool,
) -> int:
    """Make everything, or some paths, exactly as in a snapshot.

    The present is saved first, and `takeback undo` takes the restore back. What the snapshot does not have because it
    was ignored or could not be captured is left alone. With --to nothing is overwritten, so nothing is asked. A dry
    run exits with 0, whatever it finds. An agent's memory that lives in another program is put in place when that saves
    next; until then it is pending, and the command exits with 3.

    For example:
      takeback restore @-
      takeback restore "10m ago" src/app.py
      takeback restore good --to ../as-it-was
      takeback restore @- --only transcript
      takeback restore @- --only memory
      takeback restore good --container sandbox
      takeback restore good --team alpha --merge
      takeback restore good --team alpha --with-workspaces
      takeback restore good --as sandbox-2 --port 8081:80
    """
    line = call.line()
    if new is None and (env or port or same_volumes):
        raise InvalidInput("--env, --port and --same-volumes are for another container", hints=["add --as NAME"])
    if new is None:
        given.add(call, line, wider=allow_wider, force=force, merge=merge)
    others = beside.holds(line.show(reference)) if paths else False
    inside = [beside.inside(call, line, path, others) for path in paths] or None
    said = acting.conversations(line.show(reference)) if conversation else ()
    parts = acting.chosen(only, said, lambda: line.show(reference))
    if new is not None:
        if to is not None or parts is not None:
            raise InvalidInput(
                "--as makes a container, and nothing else", hints=["restore files by a command of its own"]
            )
        part = boxes.of_snapshot(call, line, line.show(reference), given.containers, wider=allow_wider)
        place = boxes.copy(new, env, port, same_volumes)
        return _elsewhere(call, line, reference, inside, [part], place, dry_run, f"the container {new}")
    if to is not None:
        place = call.absolute(to)
        return _elsewhere(call, line, reference, inside, parts, place, dry_run, place)
    return acting.carry_out(
        call,
        line,
        lambda: line.plan(reference, only=parts, paths=inside),
        lambda: line.restore(reference, only=parts, paths=inside),
        dry_run=dry_run,
        yes=yes,
        options=given.typed,
    )


def _elsewhere(
    call: Call,
    line: Timeline,
    reference: str,
    paths: Sequence[str] | None,
    parts: Sequence[str] | None,
    to: object,
    dry_run: bool,
    where: str,
) -> int:
    if dry_run:
        acting.show_plan(call, line.plan(reference, only=parts, paths=paths, to=to))
        return 0
    report = line.restore(reference, only=parts, paths=paths, to=to)
    if call.json:
        return acting.show_report(call, report)
    are = "is" if len(report.changed) == 1 else "are"
    say([f"{count(len(report.changed), 'path')} of snapshot ", (short(report.snapshot), "id"), f" {are} in {where}"])
    say(*plans.missing_lines(report))
    for note in report.notes:
        say([("note: ", "warn"), note])
    say([("read back and verified", "good")])
    return 0
