"""takeback verify"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from takeback.cli import shapes
from takeback.cli.app import Command
from takeback.cli.call import Call
from takeback.cli.people import Line, say
from takeback.cli.progress import listener
from takeback.cli.text import count
from takeback.errors import Integrity
from takeback.model.ids import short

if TYPE_CHECKING:
    from takeback.engine.health import Health


@click.command("verify", cls=Command)
@click.option("--read-data", is_flag=True, help="Read every stored byte and check its hash.")
@click.pass_obj
def command(call: Call, read_data: bool) -> int:
    """Check that the store holds everything its snapshots need.

    Exits with 13 if anything is wrong, and names the snapshots that cannot be restored whole.

    For example:
      takeback verify
      takeback verify --read-data
    """
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
                "snapshots": health.snapshots,
                "blobs": health.blobs,
                "read_data": health.read_data,
            }
        )
    else:
        say(*_lines(health))
    return 0 if health.ok else Integrity.exit_code


def _lines(health: Health) -> Iterator[Line]:
    what = f"{count(health.snapshots, 'snapshot')}, {count(health.blobs, 'blob')}"
    how = "every byte was read" if health.read_data else "--read-data also reads every byte"
    if health.ok:
        yield [("ok", "good"), f"  {what}; {how}"]
        return
    yield [(count(len(health.problems), "problem"), "bad"), f" in {what}"]
    for problem in health.problems:
        yield ["  ", (problem.kind, "bad"), f": {problem.what}: {problem.detail}"]
    if health.harmed:
        yield [("these snapshots cannot be restored whole", "bad")]
        for id in health.harmed:
            yield ["  ", (short(id), "id")]
    else:
        yield [("every snapshot can still be restored", "good")]
