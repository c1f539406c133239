"""takeback purge"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from takeback.cli import completing, shapes
from takeback.cli import given as beside
from takeback.cli.acting import ask, needs_yes
from takeback.cli.app import Command
from takeback.cli.call import Call
from takeback.cli.people import say
from takeback.cli.progress import listener
from takeback.errors import InvalidInput, Partial
from takeback.model.tree import name_bytes
from takeback.views.lines import Line, table
from takeback.views.text import count

if TYPE_CHECKING:
    from takeback.model.purged import Purged, Trace

_MOST = 12


@click.command("purge", cls=Command)
@click.argument("path", metavar="PATH", shell_complete=completing.paths)
@click.option(
    "--part", metavar="PART", help="The path is one of this part: of a container or a team that was captured."
)
@click.option("--all", "everything", is_flag=True, help="Purge that path of every root in the store, not only of this.")
@click.option(
    "--copies/--keep-copies",
    default=None,
    help="Purge, or keep, files elsewhere with the same bytes. By default copies of a file go; those of what is in a "
    "directory, and of less than 16 bytes, stay.",
)
@click.option("-n", "--dry-run", is_flag=True, help="Show what would go, and change nothing.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@click.pass_obj
def command(
    call: Call, path: str, part: str | None, everything: bool, copies: bool | None, dry_run: bool, yes: bool
) -> int:
    """Remove a captured secret from every snapshot, for good.

    The one thing that cannot be taken back. A file or a directory leaves every snapshot of every timeline of this root,
    with all that has the same bytes in the whole store, and its bytes leave the disk. The snapshots stay; the path counts
    as not captured in them, so no restore touches what stands there now.

    Names, labels, titles and what agents said are not searched, and a file that only contains the secret beside other
    things is another file: purge that, too. Copies of the store, and what a disk keeps of deleted files, are out of
    reach: revoke a secret that has leaked.

    Exits with 3 if some of the bytes are still there, because somebody is reading them or because copies stay.

    For example:
      takeback purge .env --dry-run
      takeback purge .env --yes
      takeback purge /srv/.netrc --part container --yes
    """
    line = call.line()
    if part is None and beside.is_beside(line, "@", path):
        raise InvalidInput(
            f"{path!r} is outside of {line.root}",
            hints=[f"a path in there is purged with --part {beside.part_with(line, line.show('@'), path)}"],
        )
    inside = call.inside(line.root, path) if part is None else path

    def act(dry: bool) -> Purged:
        if everything:
            store, watching = call.open(), listener(quiet=call.json)
            return store.purge(inside, part=part, copies=copies, dry_run=dry, listener=watching)
        return line.purge(inside, part=part, copies=copies, dry_run=dry)

    if not (yes or dry_run):
        planned = act(True)
        if not call.interactive:
            raise needs_yes(call)
        say(*_lines(planned, copies), [("This cannot be taken back.", "bad")])
        ask("Remove it for good?")
    done = act(dry_run)
    places = [] if dry_run else [os.path.join(each.root, each.path) for each in done.removed if not each.part]
    stands = [place for place in places if os.path.lexists(name_bytes(place))]
    if call.json:
        shapes.print_json(_shape(done, stands))
    else:
        say(*_lines(done, copies))
        if not dry_run:
            say(*_ended(done, stands, path))
    return 0 if dry_run or (done.gone and not (done.left and copies is None)) else Partial.exit_code


def _shape(done: Purged, stands: Sequence[str]) -> shapes.Shape:
    def traces(some: Sequence[Trace]) -> list[shapes.Shape]:
        return [
            {
                "root": each.root,
                "path": each.path,
                "snapshots": each.snapshots,
                **({"part": each.part} if each.part else {}),
            }
            for each in some
        ]

    return {
        "dry_run": done.dry_run,
        "path": done.path,
        "snapshots": list(done.snapshots),
        "removed": traces(done.removed),
        "left": traces(done.left),
        "dropped": list(done.dropped),
        "gone": done.gone,
        "waiting": done.waiting,
        "stands": list(stands),
        "aside": done.aside,
    }


def _lines(done: Purged, copies: bool | None) -> Iterator[Line]:
    if not done.removed:
        yield ["no snapshot holds it any more; an earlier purge is finished"]
        return
    what = "would be removed" if done.dry_run else "removed"
    dropped = f" and {count(len(done.dropped), 'dropped one')}" if done.dropped else ""
    yield [f"{what} from {count(len(done.snapshots), 'snapshot')}{dropped}:"]
    yield from _listed(done.removed)
    if done.left:
        yield [("the same bytes, or some of them, stay in:", "warn")]
        yield from _listed(done.left)
        if copies is None:
            yield [("--copies removes those that are equal; purge the others by name", "quiet")]


def _listed(traces: Sequence[Trace]) -> Iterator[Line]:
    rows: list[Line] = [
        [
            f"{each.part}: {each.path}" if each.part else each.path,
            (f"in {count(each.snapshots, 'snapshot')}", "quiet"),
            (each.root, "quiet"),
        ]
        for each in traces[:_MOST]
    ]
    yield from table(rows, indent=2)
    if len(traces) > _MOST:
        yield [f"  and {len(traces) - _MOST:,} more"]


def _ended(done: Purged, stands: Sequence[str], path: str) -> Iterator[Line]:
    if done.gone:
        yield [("gone", "good"), "  none of it is left in the store" if not done.left else "  but for what stays"]
    elif done.aside is not None and not done.waiting:
        yield [("not yet gone: ", "bad"), f"what repairs replaced may hold it; look at it, then delete {done.aside}"]
    else:
        why = (
            f"{count(done.waiting, 'pack')} may still be in use" if done.waiting else "others are at work in the store"
        )
        yield [
            ("not yet gone: ", "bad"),
            f"{why}; run `takeback purge {shlex.quote(path)}` again, or `takeback maintain`",
        ]
    for place in stands[:_MOST]:
        yield [("it still stands at ", "warn"), place]
    if stands:
        yield ["the next save captures it again: delete it, or name it in .takebackignore first"]
