"""label, pin, drop: what may change about a snapshot after it was made."""

from __future__ import annotations

import time
from dataclasses import replace

from takeback.engine.line import Line
from takeback.engine.references import Reference, resolve
from takeback.engine.save import check_label
from takeback.errors import InvalidInput
from takeback.model.ids import short
from takeback.model.move import Move
from takeback.store.catalogue import journals, moves, operations, snapshots, timelines
from takeback.store.catalogue.database import Transaction
from takeback.store.catalogue.snapshots import SnapshotRow


def label(line: Line, reference: Reference, name: str) -> None:
    """Give a snapshot one more name."""
    check_label(name)
    with line.blobs.database.write() as tx:
        snapshots.label(tx, resolve(tx, line, reference).id, name, time.time_ns())


def unlabel(line: Line, reference: Reference, name: str) -> None:
    with line.blobs.database.write() as tx:
        snapshots.unlabel(tx, resolve(tx, line, reference).id, name)


def pin(line: Line, reference: Reference) -> None:
    """Keep a snapshot whatever retention says."""
    with line.blobs.database.write() as tx:
        snapshots.pin(tx, resolve(tx, line, reference).id)


def unpin(line: Line, reference: Reference) -> None:
    with line.blobs.database.write() as tx:
        snapshots.unpin(tx, resolve(tx, line, reference).id)


def drop(line: Line, reference: Reference) -> str:
    """Remove one snapshot from the line; its id. The moves that met there become one, of the same session and level;
    others lose only the step that led to it, so that nobody is blamed for what somebody else did."""
    with line.locked(), line.blobs.database.write() as tx:
        row = resolve(tx, line, reference)
        owner = timelines.by_number(tx, row.timeline)
        if row.pinned:
            raise InvalidInput(
                f"snapshot {short(row.id)} is pinned, so it is not dropped",
                hints=[f"takeback unpin {short(row.id)} first"],
            )
        if any(journal.safety == row.id for journal in journals.every(tx)):
            raise InvalidInput(f"snapshot {short(row.id)} is needed to finish an interrupted restore")
        before = snapshots.beside(tx, row, -1)
        after = snapshots.beside(tx, row, +1)
        _join_moves(tx, row, before, after)
        snapshots.remove(tx, row)
        if owner is not None and owner.head == row.id:
            timelines.set_head(tx, row.timeline, before.id if before is not None else None)
        operations.add(
            tx,
            row.timeline,
            time.time_ns(),
            "drop",
            snapshot=row.id,
            seq=row.seq,
            manifest=row.manifest.hex(),
            parent=row.parent,
            labels=list(row.labels),
        )
        return row.id


def _join_moves(tx: Transaction, row: SnapshotRow, before: SnapshotRow | None, after: SnapshotRow | None) -> None:
    meeting = moves.touching(tx, row.timeline, row.id)
    beginning = [move for move in meeting if move.opening == row.id]
    ending = [move for move in meeting if move.closing == row.id]
    for first in ending:
        second = next((move for move in beginning if _continues(first, move)), None)
        if second is not None:
            beginning.remove(second)
            _join(tx, row.timeline, first, second)
        elif before is not None and (before.seq > first.opening_seq or first.level == "takeback"):
            moves.update(tx, replace(first, closing=before.id, closing_seq=before.seq))
        else:
            moves.remove(tx, first.id)
    for move in beginning:
        if after is not None and (move.closing_seq is None or after.seq < move.closing_seq):
            moves.set_opening(tx, move.id, after.id, after.seq)
        elif move.open and before is not None and after is None:
            moves.set_opening(tx, move.id, before.id, before.seq)
        else:
            moves.remove(tx, move.id)


def _continues(first: Move, second: Move) -> bool:
    return (first.session, first.level, first.verb, first.undone_by) == (
        second.session, second.level, second.verb, second.undone_by,
    )  # fmt: skip


def _join(tx: Transaction, timeline: int, first: Move, second: Move) -> None:
    """One move from the first's beginning to the second's end, under the second's id."""
    title = " + ".join(part for part in dict.fromkeys((first.title, second.title)) if part)
    joined = replace(
        second,
        title=title,
        opening=first.opening,
        opening_seq=first.opening_seq,
        opened_ns=first.opened_ns,
        reported=tuple(dict.fromkeys((*first.reported, *second.reported))),
        context={**first.context, **second.context, "opened": first.context.get("opened", {})},
    )
    moves.remove(tx, first.id)
    moves.remove(tx, second.id)
    moves.add(tx, timeline, joined)
