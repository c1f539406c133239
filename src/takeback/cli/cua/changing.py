"""cua-snapshot create, restore, delete and cleanup."""

from __future__ import annotations

import sys

import click

from takeback.cli.cua.app import CuaCall
from takeback.cli.cua.looking import about
from takeback.cli.people import say
from takeback.errors import Cancelled, InvalidInput, NotFound
from takeback.views.text import count

TRIGGERS = ("manual", "run_start", "run_end", "after_action", "before_action", "on_error", "periodic")


@click.command("create")
@click.argument("container_id")
@click.option("--trigger", type=click.Choice(TRIGGERS), default="manual", help="What it is made for.")
@click.option("--description", metavar="TEXT", help="What people read in lists.")
@click.option("--context", metavar="TEXT", help="What the agent was doing.")
@click.option("--run-id", metavar="ID", help="The agent's run that it belongs to.")
@click.pass_obj
def create_(
    call: CuaCall, container_id: str, trigger: str, description: str | None, context: str | None, run_id: str | None
) -> None:
    """Save a container, by its name or id."""
    made = call.wait(call.manager.create_snapshot(container_id, trigger, description, context, run_id))
    say(*about(made))


@click.command("restore")
@click.argument("snapshot_id")
@click.option("--container-name", metavar="NAME", help="The new container's; that of the saved one takes its place.")
@click.option("--replace", is_flag=True, help="Take the place of the container: same name, same ports.")
@click.option("--preserve-networks/--no-preserve-networks", default=True, help="Join the networks that it had.")
@click.option("--preserve-volumes/--no-preserve-volumes", default=True, help="Bring back what its volumes held.")
@click.pass_obj
def restore_(
    call: CuaCall,
    snapshot_id: str,
    container_name: str | None,
    replace: bool,
    preserve_networks: bool,
    preserve_volumes: bool,
) -> None:
    """Make a container of a snapshot: a new one beside the one that there is.

    SNAPSHOT_ID is an id, a unique beginning of one, or a snapshot's name.
    """
    from takeback.adapters.cua import RestoreOptions

    options = RestoreOptions(
        new_container_name=container_name,
        preserve_networks=preserve_networks,
        preserve_volumes=preserve_volumes,
        replace=replace,
    )
    made = call.wait(call.manager.restore_snapshot(snapshot_id, options))
    say(f"restored {snapshot_id} as the container {made[:12]}")


@click.command("delete")
@click.argument("snapshot_id")
@click.option("--force", is_flag=True, help="Do not ask.")
@click.pass_obj
def delete_(call: CuaCall, snapshot_id: str, force: bool) -> None:
    """Remove a snapshot, and free what only it needs."""
    found = call.wait(call.manager.get_snapshot(snapshot_id))
    if found is None:
        raise NotFound(f"there is no snapshot {snapshot_id!r}", hints=["`cua-snapshot list` shows all"])
    if not force:
        if not sys.stdin.isatty():
            raise InvalidInput("there is nobody to ask whether to delete it", hints=["give --force"])
        say(*about(found))
        if not click.confirm("Delete it?"):
            raise Cancelled("nothing was deleted")
    call.wait(call.manager.delete_snapshot(found.snapshot_id))
    say(f"deleted {found.snapshot_id}")


@click.command("cleanup")
@click.option(
    "--max-age-days", type=click.IntRange(min=0), metavar="N", help="Older ones go; the configuration's if left out."
)
@click.option("--dry-run", is_flag=True, help="Only list what would go.")
@click.pass_obj
def cleanup_(call: CuaCall, max_age_days: int | None, dry_run: bool) -> None:
    """Let snapshots go that have become too old.

    The latest of each container stays, and so do pinned ones and those that a run needs which has not ended.
    """
    if dry_run:
        found = call.wait(call.manager.find_old_snapshots(max_age_days))
        for each in found:
            say(*about(each), "")
        say(f"{count(len(found), 'snapshot')} would go; nothing was changed")
    else:
        gone = call.wait(call.manager.cleanup_old_snapshots(max_age_days))
        say(f"{count(gone, 'snapshot')} went")
