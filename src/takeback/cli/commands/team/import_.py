"""takeback team import"""

from __future__ import annotations

import shlex

import click

from takeback.cli import shapes
from takeback.cli.call import Call
from takeback.cli.commands.team import acting
from takeback.cli.people import say


@click.command("import", cls=acting.TeamCommand)
@acting.team
@click.argument("file", metavar="FILE", type=click.Path())
@acting.place
@click.pass_obj
def command(call: Call, team: str, file: str, data_dir: str | None) -> None:
    """Keep a bundle of ClawTeam's as a snapshot.

    The file is not needed any more then, and what it shares with other snapshots costs nothing. It is checked as hostile input before
    anything is written. Bundles that lie where ClawTeam puts them are listed and restored without this.

    For example:
      takeback team import alpha snap-20260319T101500-good.json
    """
    manager = acting.manager(call, team, data_dir)
    made = manager.import_bundle(call.absolute(file))
    acting.keep_up(call)
    if call.json:
        shapes.print_json(made.model_dump(by_alias=True))
        return
    say(["snapshot ", (made.id, "id"), " imported"], f"  {acting.counted(made)}")
    back = f"takeback team restore {shlex.quote(team)} {made.id}{acting.typed(call, data_dir)}"
    say([(f"`{back}` puts it in place", "quiet")])
