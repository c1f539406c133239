"""label, pin, drop: what may change about a snapshot after it was made."""

from __future__ import annotations

import time
from dataclasses import replace

from takeback.engine.line import Line
from takeback.engine.references import Reference, resolve
from takeback.engine.save import check_label
from takeback.errors import InvalidInput, NotFound
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
    """Remove one snapshot from the line; its id. The moves that met there become one, of the same session and level;
    others lose only the step that led to it, so that nobody is blamed for what somebody else did."""
    with line.locked(), line.blobs.database.write() as tx:
        row = resolve(tx, line, reference)
        owner = timelines.by_number(tx, row.timeline)
        if row.pinned:
            raise InvalidInput(
                f"snapshot {short(row.id)} is pinned, so it is not dropped",
                hints=[f"`takeback unpin {short(row.id)}` first"],
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
    if after is None and (begun := [move for move in beginning if move.open and move.level != "manual"]):
        raise InvalidInput(
            f"the move {short(begun[0].id)} begins at snapshot {short(row.id)} and has not ended",
            hints=["drop it when the move has ended"],
        )
    mixed = bool(row.mixed)
    for first in ending:
        second = next((move for move in beginning if _continues(first, move)), None)
        if second is not None:
            beginning.remove(second)
            _join(tx, first, second)
            continue
        mixed = True
        if before is not None and (before.seq > first.opening_seq or first.level == "takeback"):
            moves.update(tx, replace(first, closing=before.id, closing_seq=before.seq))
        else:
            moves.remove(tx, first.id)
    for move in beginning:
        mixed = True
        still = move.closing_seq is None or (after is not None and after.seq < move.closing_seq)
        if after is not None and (still or move.level == "takeback"):
            moves.update(tx, replace(move, opening=after.id, opening_seq=after.seq))
        else:
            moves.remove(tx, move.id)
    if mixed and after is not None:
        snapshots.mark_mixed(tx, after.id)


def _continues(first: Move, second: Move) -> bool:
    """Whether one move goes on where the other ended. What takeback did stays as it was."""
    same = (first.session, first.level, first.undone_by) == (second.session, second.level, second.undone_by)
    return same and first.level != "takeback"


def _join(tx: Transaction, first: Move, second: Move) -> None:
    """One move from the first's beginning to the second's end, under the second's id."""
    moves.remove(tx, first.id)
    moves.update(
        tx,
        replace(
            second,
            title=" + ".join(part for part in dict.fromkeys((first.title, second.title)) if part),
            opening=first.opening,
            opening_seq=first.opening_seq,
            opened_ns=first.opened_ns,
            reported=tuple(dict.fromkeys((*first.reported, *second.reported))),
            context={**first.context, **second.context, "opened": first.context.get("opened", {})},
        ),
    )
