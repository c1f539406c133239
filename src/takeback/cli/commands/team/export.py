"""takeback team export"""

from __future__ import annotations

import shlex

import click

from takeback.cli import shapes
from takeback.cli.call import Call
from takeback.cli.commands.team import acting
from takeback.cli.people import say


@click.command("export", cls=acting.TeamCommand)
@acting.team
@acting.snapshot_id
@click.argument("file", metavar="[FILE]", required=False, type=click.Path())
@acting.place
@click.pass_obj
def command(call: Call, team: str, snapshot_id: str, file: str | None, data_dir: str | None) -> None:
    """Write a snapshot as a bundle of ClawTeam's.

    Without FILE it goes beside ClawTeam's own, where `clawteam team restore` finds it. A bundle holds no plans, dead letters or
    runtime state, and no file names: those are only in takeback's own snapshot. A file that is
    something else is never overwritten.

    For example:
      takeback team export alpha 20260319T101500-good
      takeback team export alpha @ handed-over.json
    """
    manager = acting.manager(call, team, data_dir)
    path = manager.export_bundle(snapshot_id, None if file is None else call.absolute(file))
    if call.json:
        shapes.print_json({"id": snapshot_id, "path": str(path)})
        return
    say(["wrote ", (str(path), "id")])
    if file is None:
        id = path.name.removeprefix("snap-").removesuffix(".json")
        say([(f"ClawTeam restores it: `{shlex.join(('clawteam', 'team', 'restore', team, id))}`", "quiet")])
