"""takeback maintain"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from takeback.cli import shapes
from takeback.cli.app import Command
from takeback.cli.call import Call
from takeback.cli.people import say
from takeback.cli.progress import listener
from takeback.model.sizes import format_size
from takeback.views.lines import Line
from takeback.views.text import count

if TYPE_CHECKING:
    from takeback.store.collection.maintenance import Maintained


@click.command("maintain", cls=Command)
@click.pass_obj
def command(call: Call) -> None:
    """Pack the store and free what no snapshot needs.

    Others can save and restore meanwhile, and it can be interrupted at any time. What somebody may still be reading is
    freed by a later run.

    For example:
      takeback maintain
    """
    done = call.open().maintain(listener=listener(quiet=call.json))
    if call.json:
        shapes.print_json(
            {
                "busy": done.busy,
                "folded": done.folded,
                "condemned": done.condemned,
                "removed": done.removed,
                "revived": done.revived,
                "leftovers": done.leftovers,
                "waiting": done.waiting,
                "purging": done.purging,
                "bytes_before": done.bytes_before,
                "bytes_after": done.bytes_after,
            }
        )
    else:
        say(*_lines(done))


def _lines(done: Maintained) -> Iterator[Line]:
    if done.busy:
        yield ["another maintenance of this store is running; nothing to do"]
        return
    before, after = format_size(done.bytes_before), format_size(done.bytes_after)
    yield [("done", "good"), f"  the store takes {after}" + (f", {before} before" if before != after else "")]
    if done.waiting:
        yield [(f"{count(done.waiting, 'pack')} may still be in use; the next run frees them", "quiet")]
    if done.purging:
        yield [("what was purged is not all gone yet", "bad"), ": run it again when nobody is reading from the store"]
