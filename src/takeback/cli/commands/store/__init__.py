"""takeback store: what is done to a whole store."""

from __future__ import annotations

import click

from takeback.cli import shapes
from takeback.cli.app import Group
from takeback.cli.call import Call
from takeback.cli.commands.store import destroy, relocate, repair


@click.group("store", cls=Group, invoke_without_command=True)
@click.pass_context
def command(context: click.Context) -> None:
    """Repair a damaged store, move its timelines, or remove it."""
    call: Call = context.obj
    if context.invoked_subcommand is not None:
        return
    if call.json:
        shapes.print_json({"command": "store", "help": context.get_help()})
    else:
        print(context.get_help())


for each in (repair, relocate, destroy):
    command.add_command(each.command)
