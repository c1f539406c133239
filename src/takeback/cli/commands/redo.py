"""takeback redo"""

from __future__ import annotations

import click

from takeback.cli import given as beside
from takeback.cli import teams
from takeback.cli.acting import carry_out
from takeback.cli.app import Command
from takeback.cli.call import Call
from takeback.cli.completing import undos


@click.command("redo", cls=Command)
@click.argument("move", required=False, shell_complete=undos)
@beside.options
@teams.force
@click.option("--dry-run", is_flag=True, help="Show what would be done; nothing is written.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@click.pass_obj
def command(call: Call, move: str | None, given: beside.Given, force: bool, dry_run: bool, yes: bool) -> int:
    """Take back the newest undo.

    An agent's new move ends plain redo; with MOVE (an undo, or a move that was taken back) it still works. A dry
    run exits with 0, whatever it finds.

    For example:
      takeback redo
      takeback redo 0b1c
    """
    line = call.line()
    given.add(call, line, force=force)
    return carry_out(
        call,
        line,
        lambda: line.plan_redo(move),
        lambda: line.redo(move),
        dry_run=dry_run,
        yes=yes,
        options=given.typed,
    )
