"""takeback team snapshot-delete"""

from __future__ import annotations

import click

from takeback.cli import shapes
from takeback.cli.call import Call
from takeback.cli.commands.team import acting
from takeback.cli.people import say
from takeback.model.ids import short


@click.command("snapshot-delete", cls=acting.TeamCommand)
@acting.team
@acting.snapshot_id
@acting.place
@click.pass_obj
def command(call: Call, team: str, snapshot_id: str, data_dir: str | None) -> None:
    """Let a snapshot of a team go.

    Of one of takeback's the label goes, and with its last label the snapshot; a bundle of ClawTeam's is a file, which goes.

    For example:
      takeback team snapshot-delete alpha 20260319T101500-good
    """
    manager = acting.manager(call, team, data_dir)
    own = manager.own(snapshot_id)
    if not manager.delete(snapshot_id):
        raise manager.missing(snapshot_id)
    if call.json:
        shapes.print_json({"status": "deleted", "id": snapshot_id})
        return
    say(["snapshot ", (snapshot_id, "id"), " deleted"])
    if own is not None and len(own.labels) < 2:
        back = f"takeback drop {short(own.id)} --undo{acting.typed(call, None)}"
        say([(f"`{back}` brings it back, until `takeback maintain` frees what it held", "quiet")])
