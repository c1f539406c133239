"""takeback pin"""

from __future__ import annotations

import click

from takeback.cli import shapes
from takeback.cli.app import Command
from takeback.cli.call import Call
from takeback.cli.completing import references
from takeback.cli.people import say
from takeback.model.ids import short


@click.command("pin", cls=Command)
@click.argument("reference", metavar="REF", shell_complete=references)
@click.pass_obj
def command(call: Call, reference: str) -> None:
    """Keep a snapshot: `drop` does not remove it.

    For example:
      takeback pin good
    """
    line = call.line()
    snapshot = line.show(reference)
    line.pin(snapshot)
    if call.json:
        shapes.print_json({"id": snapshot.id, "pinned": True})
        return
    say([(short(snapshot.id), "id"), " is pinned"])
