"""cua-snapshot list, stats and validate: what looks, and changes nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from takeback.cli.app import number
from takeback.cli.cua.app import CuaCall
from takeback.cli.people import say
from takeback.model.sizes import format_size
from takeback.views.lines import Line
from takeback.views.text import count

if TYPE_CHECKING:
    from takeback.adapters.cua import SnapshotMetadata


@click.command("list")
@click.option("--container", metavar="NAME", help="Only this container's, by its name or id.")
@click.option("--limit", type=number, metavar="N", help="Only the N newest.")
@click.option("--json-output", is_flag=True, help="Print a JSON array.")
@click.pass_obj
def list_(call: CuaCall, container: str | None, limit: int | None, json_output: bool) -> None:
    """List snapshots, newest first."""
    found = call.wait(call.manager.list_snapshots(container, limit))
    if json_output:
        print(json.dumps([each.model_dump("json") for each in found], indent=2))
    elif found:
        for each in found:
            say(*about(each), "")
    else:
        say("there are no snapshots" + (f" of {container}" if container else ""))


@click.command("stats")
@click.pass_obj
def stats_(call: CuaCall) -> None:
    """Show how many snapshots there are, and what the store takes."""
    found = call.wait(call.manager.get_storage_stats())
    say(
        [("store ", "quiet"), found["storage_path"]],
        f"  {count(found['total_snapshots'], 'snapshot')} of {count(found['total_containers'], 'container')}",
        f"  {format_size(found['total_size_bytes'])} on disk, of which the catalogue takes "
        f"{format_size(found['metadata_size_bytes'])}",
    )
    if found["last_updated"]:
        say(f"  the latest of {found['last_updated']}")


@click.command("validate")
@click.argument("container_id")
@click.pass_obj
def validate_(call: CuaCall, container_id: str) -> int:
    """Say whether a container can be captured; the exit code is 1 if not."""
    valid = call.wait(call.manager.provider.validate_container(container_id))
    say(
        f"{container_id} can be captured" if valid else f"{container_id} cannot be captured: there is no such container"
    )
    return 0 if valid else 1


def about(each: SnapshotMetadata) -> Iterator[Line | str]:
    """What is known of a snapshot, in lines."""
    pinned = ", pinned" if each.pinned else ""
    yield [(each.snapshot_id, "id"), f" {each.timestamp:%Y-%m-%d %H:%M:%S}, {each.trigger.value}{pinned}"]
    yield f"  container {each.container_name} ({each.container_id[:12]}), {format_size(each.size_bytes or 0)}"
    for name, said in (
        ("", each.description),
        ("name ", each.name),
        ("run ", each.run_id),
        ("image ", each.image_tag),
        ("status ", each.status.value if each.status.value != "completed" else None),
    ):
        if said:
            yield f"  {name}{said}"
    if each.not_captured:
        yield [(f"  not captured: {', '.join(each.not_captured[:3])}", "warn"), *_more(len(each.not_captured))]


def _more(number: int) -> list[str]:
    return [f" and {number - 3} more"] if number > 3 else []
