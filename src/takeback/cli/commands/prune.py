"""takeback prune"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from takeback.cli import shapes
from takeback.cli.acting import ask, needs_yes
from takeback.cli.app import Command, number
from takeback.cli.call import Call
from takeback.cli.people import say
from takeback.cli.progress import listener
from takeback.errors import InvalidInput, Locked
from takeback.model.ids import short
from takeback.model.sizes import format_size
from takeback.views.lines import Line
from takeback.views.text import count

if TYPE_CHECKING:
    from takeback.engine.retention import Pruned

_MOST = 12


@click.command("prune", cls=Command)
@click.option("--keep-last", type=number, metavar="N", help="Keep the newest N snapshots of each timeline.")
@click.option("--max-age", metavar="AGE", help="Keep no snapshot that is older, such as 30d or 12h.")
@click.option("--max-bytes", metavar="SIZE", help="Keep no more than this in the whole store, such as 5GiB.")
@click.option("--all", "everything", is_flag=True, help="Prune every timeline of the store, not only this one.")
@click.option("-n", "--dry-run", is_flag=True, help="Show what would go, and change nothing.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@click.pass_obj
def command(
    call: Call,
    keep_last: int | None,
    max_age: str | None,
    max_bytes: str | None,
    everything: bool,
    dry_run: bool,
    yes: bool,
) -> int:
    """Remove old snapshots from the timeline.

    A snapshot that is beyond any of the limits goes, and with it, as a whole, each move that undo could not take back
    exactly without it. A move that reaches into --keep-last or --max-age stays whole; one that does not fit into --max-bytes goes.
    Pinned snapshots stay, the first and the latest stay, and so does what an open move, the newest move of an agent or an
    unfinished restore needs; a label protects nothing. Files are not touched. `takeback maintain` then frees the space.

    For example:
      takeback prune --keep-last 50 --dry-run
      takeback prune --max-age 30d --max-bytes 5GiB --all --yes
    """
    if keep_last is None and max_age is None and max_bytes is None:
        raise InvalidInput("say what to keep", hints=["give --keep-last, --max-age or --max-bytes"])
    from takeback.model.policy import Policy

    policy = Policy(keep_last, max_age, max_bytes)
    timeline = None if everything else call.line()
    store = call.open()
    heard = listener(quiet=call.json)
    if not (yes or dry_run):
        planned = store.prune(policy, timeline=timeline, dry_run=True, listener=heard)
        if not call.interactive:
            raise needs_yes(call)
        say(*_lines(planned))
        if not planned.snapshots:
            return 0
        ask("Remove them?")
    done = store.prune(policy, timeline=timeline, dry_run=dry_run, listener=heard)
    if call.json:
        shapes.print_json(
            {
                "dry_run": done.dry_run,
                "snapshots": list(done.snapshots),
                "kept": done.kept,
                "bytes": done.bytes,
                "busy": list(done.busy),
            }
        )
    else:
        say(*_lines(done))
    return Locked.exit_code if done.busy else 0


def _lines(pruned: Pruned) -> Iterator[Line]:
    if not pruned.snapshots and not pruned.busy:
        yield [f"nothing to remove: {count(pruned.kept, 'snapshot')}, all within the limits or protected"]
    elif pruned.snapshots:
        what = "would remove" if pruned.dry_run else "removed"
        stay = f"; {pruned.kept:,} {'stays' if pruned.kept == 1 else 'stay'}"
        yield [f"{what} {count(len(pruned.snapshots), 'snapshot')}{stay}"]
        for id in pruned.snapshots[:_MOST]:
            yield ["  ", (short(id), "id")]
        if len(pruned.snapshots) > _MOST:
            yield [f"  and {len(pruned.snapshots) - _MOST:,} more, newer ones"]
        if pruned.moves:
            go = "would go" if pruned.dry_run else "went"
            yield [
                (f"{count(len(pruned.moves), 'move')} {go} with them: undo cannot take these back any more", "quiet")
            ]
        size = format_size(pruned.bytes)
        yield [(f"about {size} {'would be' if pruned.dry_run else 'can be'} freed: `takeback maintain`", "quiet")]
    for root in pruned.busy:
        yield [("left alone", "warn"), f", somebody is at work there: {root}"]
