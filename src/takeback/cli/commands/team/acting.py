"""What the commands on teams share: the manager, and an exit code of 1 for whatever fails, as ClawTeam's have."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from takeback.cli import teams
from takeback.cli.app import Command
from takeback.cli.call import Call
from takeback.cli.named import offered
from takeback.errors import TakebackError
from takeback.views.text import count

if TYPE_CHECKING:
    from takeback.adapters.clawteam import SnapshotManager, SnapshotMeta

team = click.argument("team", metavar="TEAM", shell_complete=teams.names)
place = teams.place
members = teams.members


class TeamCommand(Command):
    """A command that fails with 1, whatever the reason."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except TakebackError as error:
            error.exit_code = 1
            raise


def manager(
    call: Call,
    team: str,
    data_dir: str | None,
    *,
    force: bool = False,
    merge: bool = False,
    with_workspaces: bool = False,
) -> SnapshotManager:
    """The snapshots of a team, in the store that the call is about; whoever writes first makes that."""
    from takeback.adapters.clawteam import SnapshotManager

    found = SnapshotManager(
        team,
        data_dir=teams.given_place(call, data_dir),
        store=call.place()["store"],
        force=force,
        merge=merge,
        with_workspaces=with_workspaces,
    )
    call.closing(found)
    return found


def _ids(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """What is listed of the team that was typed."""

    def known() -> list[str]:
        call, params = context.find_object(Call) or Call(), context.params
        found = manager(call, params["team"], params.get("data_dir")).list_snapshots()
        call.close()
        return [each.id for each in found]

    return offered(known, incomplete)


snapshot_id = click.argument("snapshot_id", metavar="ID", shell_complete=_ids)


def typed(call: Call, data_dir: str | None) -> str:
    """The options that lead to the same team and store from anywhere, with a space before each."""
    every = (("--data-dir", data_dir), ("--store", call.store))
    return "".join(f" {shlex.join((option, call.absolute(path)))}" for option, path in every if path is not None)


def keep_up(call: Call) -> None:
    """After a save, as every command does that saves."""
    from takeback import locate

    where = call.place()
    after_save = locate.upkeep(call.open(where), where)
    if after_save is not None:
        after_save("manual")


def counted(meta: SnapshotMeta) -> str:
    """How much a snapshot holds."""
    return ", ".join(
        (
            count(meta.member_count, "member"),
            count(meta.task_count, "task"),
            count(meta.event_count, "event"),
            count(meta.session_count, "session"),
            count(meta.cost_event_count, "cost event"),
        )
    )
