"""label, pin, drop: what may change about a snapshot after it was made."""

from __future__ import annotations

import time

from takeback.engine.dropping import drop_snapshots, root_held
from takeback.engine.line import Line
from takeback.engine.references import Reference, resolve
from takeback.engine.save import check_label
from takeback.errors import InvalidInput, NotFound
from takeback.model.ids import short
from takeback.store.catalogue import journals, snapshots


def label(line: Line, reference: Reference, name: str) -> None:
    """Give a snapshot one more name."""
    check_label(name)
    with line.blobs.database.write() as tx:
        snapshots.label(tx, resolve(tx, line, reference).id, name, time.time_ns())


def unlabel(line: Line, reference: Reference, name: str) -> None:
    """Take a name away again; NotFound if the snapshot does not have it."""
    with line.blobs.database.write() as tx:
        row = resolve(tx, line, reference)
        if name not in row.labels:
            known = ", ".join(row.labels) or "it has none"
            raise NotFound(f"snapshot {short(row.id)} has no label {name!r}", hints=[f"its labels: {known}"])
        snapshots.unlabel(tx, row.id, name)


def pin(line: Line, reference: Reference) -> None:
    """Keep a snapshot whatever retention says."""
    with line.blobs.database.write() as tx:
        snapshots.pin(tx, resolve(tx, line, reference).id)


def unpin(line: Line, reference: Reference) -> None:
    with line.blobs.database.write() as tx:
        snapshots.unpin(tx, resolve(tx, line, reference).id)


def drop(line: Line, reference: Reference) -> str:
    """Remove one snapshot from the line; its id. The moves that met there become one."""
    root = "" if line.root in line.roots() else line.root  # whoever only looks at a timeline has no sources
    with line.locked(), root_held(root, line.patience, line.waiting), line.blobs.database.write() as tx:
        row = resolve(tx, line, reference)
        if row.pinned:
            raise InvalidInput(
                f"snapshot {short(row.id)} is pinned, so it is not dropped",
                hints=[f"`takeback unpin {short(row.id)}` first"],
            )
        if any(journal.safety == row.id for journal in journals.every(tx)):
            raise InvalidInput(f"snapshot {short(row.id)} is needed to finish an interrupted restore")
        drop_snapshots(tx, [row.id], "drop")
        return row.id
