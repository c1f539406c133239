"""takeback unpin"""

from __future__ import annotations

import click

from takeback.cli import shapes
from takeback.cli.app import Command
from takeback.cli.call import Call
from takeback.cli.completing import references
from takeback.cli.people import say
from takeback.model.ids import short


@click.command("unpin", cls=Command)
@click.argument("reference", metavar="REF", shell_complete=references)
@click.pass_obj
def command(call: Call, reference: str) -> None:
    """Let `drop` remove a snapshot again.

    For example:
      takeback unpin good
    """
    line = call.line()
    snapshot = line.show(reference)
    line.unpin(snapshot)
    if call.json:
        shapes.print_json({"id": snapshot.id, "pinned": False})
        return
    say([(short(snapshot.id), "id"), " is no longer pinned" if snapshot.pinned else " was not pinned"])
