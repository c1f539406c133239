"""takeback import"""

from __future__ import annotations

import click

from takeback.cli import copies, shapes
from takeback.cli.app import Command
from takeback.cli.call import Call
from takeback.cli.completing import paths
from takeback.cli.people import say
from takeback.cli.progress import listener


@click.command("import", cls=Command)
@click.argument("file", metavar="FILE", shell_complete=paths)
@click.option("--root", metavar="DIR", help="The directory that the timeline shall belong to here.")
@click.pass_obj
def command(call: Call, file: str, root: str | None) -> None:
    """Bring in what `takeback export` wrote.

    Only what the store lacks is taken from the file, and everything is checked on the way; a damaged or made-up file is
    refused as a whole. No file of yours is touched: `takeback restore` does that. A timeline belongs to the directory
    that it had when it was exported, unless --root names another. What the store has already stays as it is; if a
    timeline went on by itself here, the other's snapshots stand on one of their own beside it.

    For example:
      takeback import project.takeback
      takeback import ~/from-anna.takeback --root .
    """
    store = call.open(create=True)
    place = None if root is None else call.absolute(root)
    done = store.import_(call.absolute(file), root=place, listener=listener(quiet=call.json))
    if call.json:
        shapes.print_json(copies.shape(done))
    else:
        say(*copies.lines(done, "imported", "here"), *copies.next_step(done))
