"""takeback store relocate"""

from __future__ import annotations

import click

from takeback.cli import shapes
from takeback.cli.app import Command
from takeback.cli.call import Call
from takeback.cli.people import say
from takeback.views.text import count


@click.command("relocate", cls=Command)
@click.argument("old", metavar="OLD")
@click.argument("new", metavar="NEW")
@click.pass_obj
def command(call: Call, old: str, new: str) -> None:
    """Let the timelines of a moved project go with it.

    Those of OLD, and of directories below it, belong to NEW from now on, where the project must be already. No file is
    touched; relocating back undoes it. If NEW has a timeline of the same name, nothing is changed.

    For example:
      mv ~/old ~/new
      takeback store relocate ~/old ~/new
    """
    moved = call.open().relocate(call.absolute(old), call.absolute(new))
    if call.json:
        shapes.print_json({"moved": [{"timeline": each.timeline, "from": each.old, "to": each.new} for each in moved]})
        return
    say([f"{count(len(moved), 'timeline')} moved"])
    for each in moved:
        say(["  ", (each.timeline, "name"), f"  {each.old} → {each.new}"])
