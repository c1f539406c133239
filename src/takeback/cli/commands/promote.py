"""takeback promote"""

from __future__ import annotations

import click

from takeback.cli import completing, teams
from takeback.cli import given as beside
from takeback.cli.acting import carry_out, chosen
from takeback.cli.app import Command
from takeback.cli.call import Call


@click.command("promote", cls=Command)
@click.argument("fork", metavar="NAME", shell_complete=completing.forks)
@click.option("--only", metavar="PART,...", help="Only these parts, such as workspace or memory.")
@beside.options
@teams.force
@click.option(
    "--dry-run", is_flag=True, help="Show what would be done; nothing is written here, but the fork is saved."
)
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@click.pass_obj
def command(call: Call, fork: str, only: str | None, given: beside.Given, force: bool, dry_run: bool, yes: bool) -> int:
    """Do here what a fork has changed since it began.

    The fork is saved first, and left alone otherwise; of one whose directory is gone, the last snapshot counts. What was
    changed here meanwhile is merged where both changed the same file, or reported as a conflict (exit 14) and left alone.
    The present is saved first, and `takeback undo` takes the whole of it back. Promoted again, a fork brings what it has
    done since. NAME may also be one of its snapshots, as NAME@-2 or NAME@LABEL; from within a fork, `origin` is what it was
    made from.

    For example:
      takeback promote attempt-1
      takeback promote attempt-1 --dry-run
      takeback promote attempt-1 --only workspace
      takeback promote attempt-1@good
    """
    line = call.line()
    given.add(call, line, force=force)
    parts = chosen(only, (), lambda: line.show("@"))
    return carry_out(
        call,
        line,
        lambda: line.plan_promote(fork, only=parts),
        lambda: line.promote(fork, only=parts),
        dry_run=dry_run,
        yes=yes,
        options=given.typed,
    )
