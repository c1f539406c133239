"""takeback pull"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import click

from takeback.cli import copies, shapes
from takeback.cli.app import Command
from takeback.cli.call import Call
from takeback.cli.completing import paths
from takeback.cli.people import say
from takeback.cli.progress import listener
from takeback.errors import InvalidInput, NotFound

if TYPE_CHECKING:
    from takeback.engine.store import Store
    from takeback.store.catalogue.timelines import TimelineRow


@click.command("pull", cls=Command)
@click.argument("place", metavar="STORE", shell_complete=paths)
@click.option("--all", "everything", is_flag=True, help="Pull every timeline that is there, not only this one.")
@click.option("--from", "origin", metavar="DIR", help="The directory that the timeline belongs to there.")
@click.pass_obj
def command(call: Call, place: str, everything: bool, origin: str | None) -> None:
    """Bring the timeline of this directory in from another store.

    STORE is a store's directory. Only what is missing here moves, everything is checked on the way, and a pull that was
    cut short goes on where it was. No file is touched. What is here already stays as it is; if the timeline went on by
    itself here, the other's snapshots stand on one of their own beside it.

    For example:
      takeback pull /media/backup/takeback
      takeback pull /media/backup/takeback --from /home/anna/project
      takeback pull /media/backup/takeback --all
    """
    if everything and origin is not None:
        raise InvalidInput("--all pulls every timeline, wherever it belongs", hints=["leave out --from, or --all"])
    here = call.line(create=True)
    store = call.open(create=True)
    with call.another(place) as other:
        there = _root_there(call, other, here.root) if origin is None else call.absolute(origin)
        if not everything:
            _require(other, here.name, there)
        line = None if everything else other.timeline(here.name, root=there)
        root = None if origin is None else here.root
        done = store.pull(other, timeline=line, root=root, listener=listener(quiet=call.json))
    if call.json:
        shapes.print_json(copies.shape(done))
    else:
        say(*copies.lines(done, "pulled", "here"), *copies.next_step(done))


def _root_there(call: Call, other: Store, root: str) -> str:
    """Where the timeline belongs in the other store, if nobody says: to the same directory, or, as here, to none."""
    from takeback import locate

    return "" if locate.is_of_no_directory(other, call.place()) else root


def _require(other: Store, name: str, root: str) -> None:
    """NotFound, naming what there is, if the other store has no such timeline."""
    found = other.timelines()
    if not any((row.name, row.root) == (name, root) for row in found):
        known = [
            f"it has {_called(row)}: add --from {shlex.quote(row.root)}"
            for row in found
            if row.name == name and row.root
        ]
        others = [f"it has {_called(row)}" for row in found if row.name != name]
        of = f" of {root}" if root else ""
        raise NotFound(f"there is no timeline {name!r}{of} in that store", hints=(known + others)[:5])


def _called(row: TimelineRow) -> str:
    return f"{row.name!r} of {row.root}" if row.root else f"{row.name!r}, of no directory: add --timeline {row.name}"
