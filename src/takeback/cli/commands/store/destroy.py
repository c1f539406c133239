"""takeback store destroy"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from takeback.cli import shapes
from takeback.cli.acting import ask, needs_yes
from takeback.cli.app import Command
from takeback.cli.call import Call
from takeback.cli.people import say
from takeback.errors import TakebackError
from takeback.model.sizes import format_size
from takeback.views.lines import Line
from takeback.views.text import count

if TYPE_CHECKING:
    from takeback.store.destroying import Destroyed

_MOST = 12


@click.command("destroy", cls=Command)
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@click.pass_obj
def command(call: Call, yes: bool) -> None:
    """Remove the whole store, with all that was ever saved in it.

    This cannot be taken back. No project is touched, and in the store's directory only what belongs to a store is
    removed. It refuses what is no store, and a store in which somebody is at work.

    For example:
      takeback store destroy --store /mnt/old-store
    """
    from takeback import locate
    from takeback.store.destroying import check_destroyable, destroy

    where = locate.directory(call.place())
    check_destroyable(where)
    if not yes:
        if not call.interactive:
            raise needs_yes(call, "; it cannot be taken back")
        say(["this removes ", (where, "name"), _holds(call)])
        say([("it cannot be taken back", "bad"), ": all snapshots in it are gone then; no project is touched"])
        ask("Destroy it?")
    call.close()
    done = destroy(where)
    if call.json:
        shapes.print_json({"path": done.path, "files": done.files, "bytes": done.bytes, "left": list(done.left)})
    else:
        say(*_lines(done))


def _holds(call: Call) -> str:
    """What is in the store, if it can be opened."""
    try:
        store = call.open()
        lines = store.timelines()
        number = sum(store.count(line) for line in lines)
    except TakebackError:
        return ", a store that cannot be opened"
    return f": {count(number, 'snapshot')} on {count(len(lines), 'timeline')}"


def _lines(done: Destroyed) -> Iterator[Line]:
    yield [f"removed {done.path}: {count(done.files, 'file')}, {format_size(done.bytes)}"]
    if done.left:
        yield [("left alone", "warn"), ", because it does not belong to a store:"]
        yield from (["  ", os.path.join(done.path, name)] for name in done.left[:_MOST])
        if len(done.left) > _MOST:
            yield [f"  and {len(done.left) - _MOST:,} more"]
