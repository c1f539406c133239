"""takeback store repair"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from takeback.cli import losing, shapes
from takeback.cli.app import Command
from takeback.cli.call import Call
from takeback.cli.people import say
from takeback.cli.progress import listener
from takeback.errors import Integrity, Partial
from takeback.model.ids import short
from takeback.views.lines import Line
from takeback.views.text import count

if TYPE_CHECKING:
    from takeback.engine.repair import Repaired

_MOST = 20


@click.command("repair", cls=Command)
@click.option("--apply", is_flag=True, help="Do it. Without, only what would be done is shown.")
@click.pass_obj
def command(call: Call, apply: bool) -> int:
    """Bring back all that can be of a damaged store.

    Every stored byte is read. What is intact is kept, wherever it lies; a damaged or missing catalogue is made again from
    the packs, up to the last `takeback maintain`, and from what can be read of the old one; snapshots that no timeline
    names come to a timeline called `recovered`. Nothing is deleted: what is replaced is kept in the store's directory
    `aside`. Nobody else can use the store meanwhile, and it can be interrupted at any time.

    What is lost is named, by snapshot and path. The other files of such a snapshot can still be restored by path, and
    if the lost ones are still in the workspace, the next `takeback save` stores them again, which heals it.

    Exits with 0 if nothing was wrong or nothing is lost, with 3 if something is lost for good, and, without --apply,
    with 13 if there is something to repair.

    For example:
      takeback store repair
      takeback store repair --apply
    """
    from takeback import locate
    from takeback.engine.repair import repair

    done = repair(locate.directory(call.place()), apply=apply, listener=listener(quiet=call.json))
    if call.json:
        shapes.print_json(_shape(done))
    else:
        say(*_lines(done))
    if done.findings and not done.applied:
        return Integrity.exit_code
    return 0 if done.whole else Partial.exit_code


def _shape(done: Repaired) -> shapes.Shape:
    return {
        "applied": done.applied,
        "findings": [{"kind": each.kind, "what": each.what, "detail": each.detail} for each in done.findings],
        "snapshots": done.snapshots,
        "lost": losing.shape(done.losses),
        "gone": list(done.gone),
        "recovered": list(done.recovered),
        "forgotten": done.forgotten,
        "aside": done.aside,
        "kept": list(done.kept),
    }


def _lines(done: Repaired) -> Iterator[Line]:
    if not done.findings:
        yield [("nothing to repair", "good"), f"  {count(done.snapshots, 'snapshot')}; every byte was read"]
    else:
        yield [(count(len(done.findings), "problem"), "warn" if done.applied else "bad")]
        for finding in done.findings[:_MOST]:
            yield ["  ", (finding.kind, "bad"), f": {finding.what}: {finding.detail}"]
        if len(done.findings) > _MOST:
            yield [f"  and {len(done.findings) - _MOST:,} more; --json names all"]
        what = "repaired" if done.applied else "can be repaired: takeback store repair --apply"
        yield [(what, "good"), f"  {count(done.snapshots, 'snapshot')}"]
    if done.recovered:
        yield [
            f"{count(len(done.recovered), 'snapshot')} that no timeline named: see `takeback log --timeline recovered`"
        ]
    if done.gone:
        yield [("lost wholly: ", "bad"), ", ".join(short(id) for id in done.gone[:_MOST])]
    if done.losses:
        yield [("these snapshots cannot be restored whole", "bad")]
        yield from losing.lines(done.losses)
        yield [("their other files can: `takeback restore REF PATH…`; ", "quiet")]
        yield [("if the lost ones are still there, `takeback save` stores them again and heals this", "quiet")]
    if done.aside is not None:
        yield [("what was replaced is kept in ", "quiet"), done.aside]
