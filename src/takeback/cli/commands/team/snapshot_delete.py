"""takeback team snapshot-delete"""

from __future__ import annotations

import click

from takeback.cli import shapes
from takeback.cli.call import Call
from takeback.cli.commands.team import acting
from takeback.cli.people import say
from takeback.errors import NotFound


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
    if not acting.manager(call, team, data_dir).delete(snapshot_id):
        raise NotFound(
            f"there is no snapshot {snapshot_id!r:.80} of the team {team!r}",
            hints=[f"`takeback team snapshots {team}` lists them"],
        )
    if call.json:
        shapes.print_json({"status": "deleted", "id": snapshot_id})
    else:
        say(["snapshot ", (snapshot_id, "id"), " deleted"])
