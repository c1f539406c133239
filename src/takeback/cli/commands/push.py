"""takeback push"""

from __future__ import annotations

import click

from takeback.cli import copies, shapes
from takeback.cli.app import Command
from takeback.cli.call import Call
from takeback.cli.completing import paths
from takeback.cli.people import say
from takeback.cli.progress import listener


@click.command("push", cls=Command)
@click.argument("place", metavar="STORE", shell_complete=paths)
@click.option("--all", "everything", is_flag=True, help="Push every timeline of the store, not only this one.")
@click.pass_obj
def command(call: Call, place: str, everything: bool) -> None:
    """Bring the timeline into another store.

    STORE is a store's directory; it is made if there is none. Only what is missing there moves, and a push that was cut
    short goes on where it was. What is there already stays as it is.

    For example:
      takeback push /media/backup/takeback
      takeback push /media/backup/takeback --all
    """
    line = None if everything else call.line()
    store = call.open()
    with call.another(place, create=True) as other:
        done = store.push(other, timeline=line, listener=listener(quiet=call.json))
    if call.json:
        shapes.print_json(copies.shape(done))
        return
    say(*copies.lines(done, "pushed", "there"), *copies.look(done, store=call.absolute(place)))
