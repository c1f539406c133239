"""takeback label"""

from __future__ import annotations

import click

from takeback.cli import shapes
from takeback.cli.app import Command
from takeback.cli.call import Call
from takeback.cli.completing import references
from takeback.cli.people import say
from takeback.model.ids import short


@click.command("label", cls=Command)
@click.argument("reference", metavar="REF", shell_complete=references)
@click.argument("name")
@click.option("--remove", is_flag=True, help="Take the label away.")
@click.pass_obj
def command(call: Call, reference: str, name: str, remove: bool) -> None:
    """Give a snapshot a name, or take one away.

    A label can be used wherever a snapshot is named. A snapshot may have several; of several snapshots with one
    label, the newest is meant.

    For example:
      takeback label @ good
      takeback label good good --remove
    """
    line = call.line()
    snapshot = line.show(reference)
    (line.unlabel if remove else line.label)(snapshot, name)
    labels = line.show(snapshot.id).labels
    if call.json:
        shapes.print_json({"id": snapshot.id, "labels": list(labels)})
        return
    say([(short(snapshot.id), "id"), " is now called ", (", ".join(labels) or "nothing but its id", "label")])
