"""takeback team: snapshots of a team, with the commands that ClawTeam has for its own."""

from __future__ import annotations

import click

from takeback.cli import shapes
from takeback.cli.app import Group
from takeback.cli.call import Call
from takeback.cli.commands.team import export, import_, restore, snapshot, snapshot_delete, snapshots


@click.group("team", cls=Group, invoke_without_command=True)
@click.pass_context
def command(context: click.Context) -> None:
    """Save, list and restore a team of agents, as `clawteam team` does.

    A team's snapshots are on a timeline of their own, called like the team, whose root is ClawTeam's data directory. What
    ClawTeam's own snapshots hold is listed and restored, too. Whatever fails here exits with 1, as it does there.
    """
    call: Call = context.obj
    if context.invoked_subcommand is not None:
        return
    if call.json:
        shapes.print_json({"command": "team", "help": context.get_help()})
    else:
        print(context.get_help())


for each in (snapshot, snapshots, restore, snapshot_delete, export, import_):
    command.add_command(each.command)
