"""takeback verify"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from takeback.cli import agent_files, losing, shapes
from takeback.cli.app import Command
from takeback.cli.call import Call
from takeback.cli.completing import paths
from takeback.cli.people import say
from takeback.cli.progress import listener
from takeback.errors import Integrity, InvalidInput
from takeback.views.lines import Line
from takeback.views.text import count

if TYPE_CHECKING:
    from takeback.engine.health import Health

_MOST = 20


@click.command("verify", cls=Command)
@click.argument("file", metavar="[FILE]", required=False, shell_complete=paths)
@click.option("--read-data", is_flag=True, help="Read every stored byte and check its hash.")
@click.pass_obj
def command(call: Call, file: str | None, read_data: bool) -> int:
    """Check that the store holds everything its snapshots need.

    Exits with 13 if anything is wrong, and names the snapshots that cannot be restored whole, and which of their files.
    `takeback store repair` brings back what can be. With FILE, an agent's snapshot file (.json.gz or .json.zst) is read
    whole and compared with its hashes instead.

    For example:
      takeback verify
      takeback verify --read-data
      takeback verify agent.json.gz
    """
    if file is not None:
        return _verify_agent(call, file, read_data)
    health = call.open().verify(read_data=read_data, listener=listener(quiet=call.json))
    if call.json:
        shapes.print_json(
            {
                "ok": health.ok,
                "problems": [
                    {"kind": each.kind, "what": each.what, "detail": each.detail, "pack": each.pack}
                    for each in health.problems
                ],
                "harmed": list(health.harmed),
                "lost": losing.shape(health.losses),
                "snapshots": health.snapshots,
                "blobs": health.blobs,
                "read_data": health.read_data,
            }
        )
    else:
        say(*_lines(health))
    return 0 if health.ok else Integrity.exit_code


def _verify_agent(call: Call, file: str, read_data: bool) -> int:
    from takeback.adapters.persist import layout

    if read_data:
        raise InvalidInput("--read-data is for the store: a file is always read whole", hints=["leave it out"])
    path = call.absolute(file)
    metadata = layout.read(path, keep=False).metadata
    if call.json:
        shapes.print_json({"ok": True, **agent_files.shape(path, metadata)})
    else:
        say([("ok", "good"), f"  agent {metadata['agent_id']}, {agent_files.size(metadata)}; every byte was read"])
    return 0


def _lines(health: Health) -> Iterator[Line]:
    what = f"{count(health.snapshots, 'snapshot')}, {count(health.blobs, 'blob')}"
    how = "every byte was read" if health.read_data else "--read-data also reads every byte"
    if health.ok:
        yield [("ok", "good"), f"  {what}; {how}"]
        return
    yield [(count(len(health.problems), "problem"), "bad"), f" in {what}"]
    for problem in health.problems[:_MOST]:
        yield ["  ", (problem.kind, "bad"), f": {problem.what}: {problem.detail}"]
    if len(health.problems) > _MOST:
        yield [f"  and {len(health.problems) - _MOST:,} more; --json names all"]
    if health.harmed:
        yield [("these snapshots cannot be restored whole", "bad")]
        yield from losing.lines(health.losses)
    else:
        yield [("every snapshot can still be restored", "good")]
    yield [("`takeback store repair` shows what can be brought back", "quiet")]
