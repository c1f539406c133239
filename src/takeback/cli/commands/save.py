"""takeback save"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from takeback.cli import given as beside
from takeback.cli import shapes
from takeback.cli.app import Command
from takeback.cli.call import Call
from takeback.cli.people import say
from takeback.errors import Partial, Unavailable
from takeback.model.ids import short
from takeback.model.snapshot import RUNNING, Snapshot
from takeback.views import missed
from takeback.views.lines import Line
from takeback.views.text import count

if TYPE_CHECKING:
    from takeback.engine.timeline import Timeline

_MOST = 10


@click.command("save", cls=Command)
@click.option(
    "-m", "--message", "label", metavar="LABEL", help="A name for the snapshot; it can be used as a reference."
)
@beside.options
@click.pass_obj
def command(call: Call, label: str | None, given: beside.Given) -> int:
    """Record the present as a snapshot.

    If nothing changed since the latest snapshot, no new one is made, and the label goes to the latest. What could
    not be captured is listed; a part that could not be looked at at all (Docker is down) is named, and the exit code
    is 3. What changes after a save, until the next save or run, is a move too, and undo takes it back.

    For example:
      takeback save
      takeback save -m "before the migration"
      takeback save --container sandbox
      takeback save --team alpha --with-workspaces
    """
    line = call.line(create=True)
    left_out = given.add(call, line)
    _check_named(call, line, given)
    before = line.log(1).snapshots
    snapshot = line.save(label)
    new = not before or before[0].id != snapshot.id
    if call.json:
        more = {"left_out": left_out} if given.with_workspaces else {}
        shapes.print_json({**shapes.snapshot(snapshot), "label": label, "new": new, **more})
    else:
        say(*_lines(snapshot, label, new, list(line.sources)))
    return Partial.exit_code if snapshot.partial else 0


def _check_named(call: Call, line: Timeline, given: beside.Given) -> None:
    """NotFound for a name that means nothing here and never did: it is a typing error. What was there and is gone, or cannot
    be asked just now, is missed, and said to be."""
    if not (given.containers or given.teams):
        return
    try:
        given.check(call, line.show("@").parts if line.head is not None else ())
    except Unavailable:
        pass


def _lines(snapshot: Snapshot, label: str | None, new: bool, parts: Sequence[str]) -> list[Line]:
    named: Line = [(f" [{label}]", "label")] if label else []
    id = (short(snapshot.id), "id")
    if new:
        lines: list[Line] = [["saved ", id, *named, f"  {count(snapshot.changed, 'file')} changed"]]
    else:
        lines = [["nothing changed since ", id, *named]]
    lines += beside.lines(snapshot, parts)
    lines += missed.lines(snapshot.missed)
    left = [said for item, said in missed.left_out(snapshot) if item.reason != RUNNING]
    if left:
        lines.append([(f"not captured: {count(len(left), 'path')}, which a restore never touches", "warn")])
        lines += [[f"  {said}"] for said in left[:_MOST]]
        if len(left) > _MOST:
            lines.append(
                [(f"  … and {len(left) - _MOST:,} more; `takeback show {short(snapshot.id)}` lists them", "quiet")]
            )
    return lines
