"""Taking snapshots out of a line: what drop does with one and prune with many, in one transaction.

The moves that met at a snapshot become one, of the same session and level; others lose only the step that led to it,
so that nobody is blamed for what somebody else did.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager

from takeback.errors import InvalidInput, NotFound
from takeback.model.ids import short
from takeback.model.move import Move
from takeback.store.catalogue import collecting, moves, operations, snapshots, timelines
from takeback.store.catalogue.database import Transaction
from takeback.store.catalogue.snapshots import SnapshotRow
from takeback.store.locks import root_lock


@contextmanager
def root_held(root: str, timeout: float = 10.0, waiting: Callable[[str], None] | None = None) -> Iterator[None]:
    """Hold the lock of a timeline's root; nobody is at work in one that is gone."""
    with ExitStack() as stack:
        if root:
            try:
                stack.enter_context(root_lock(root, timeout, waiting))
            except (NotFound, InvalidInput):
                pass
        yield


def drop_snapshots(tx: Transaction, ids: Iterable[str], verb: str) -> None:
    """Remove snapshots; the caller has made sure that they may go."""
    parents: dict[str, str | None] = {}
    for id in ids:
        row = snapshots.by_id(tx, id)  # now, because dropping its neighbour may have changed it
        if row is None:
            continue
        before = snapshots.beside(tx, row, -1)
        after = snapshots.beside(tx, row, +1)
        _join_moves(tx, row, before, after)
        snapshots.remove(tx, row)
        parents[row.id] = row.parent
        owner = timelines.by_number(tx, row.timeline)
        if owner is not None and owner.head == row.id:
            timelines.set_head(tx, row.timeline, before.id if before is not None else None)
        _note(tx, row, verb)
    snapshots.inherit(tx, parents)


def _note(tx: Transaction, row: SnapshotRow, verb: str) -> None:
    operations.add(
        tx,
        row.timeline,
        time.time_ns(),
        verb,
        snapshot=row.id,
        seq=row.seq,
        manifest=row.manifest.hex(),
        parent=row.parent,
        labels=list(row.labels),
        created_ns=row.time_ns,
        trigger=row.trigger,
        session=row.session,
        changed=row.changed,
        mixed=row.mixed,
        generation=collecting.present_generation(tx),
    )


def _join_moves(tx: Transaction, row: SnapshotRow, before: SnapshotRow | None, after: SnapshotRow | None) -> None:
    meeting = moves.touching(tx, row.timeline, row.seq)
    beginning = [move for move in meeting if move.opening == row.id != move.closing]
    ending = [move for move in meeting if move.closing == row.id != move.opening]
    if after is None and (begun := [move for move in beginning if move.open and move.level != "manual"]):
        raise InvalidInput(
            f"the move {short(begun[0].id)} begins at snapshot {short(row.id)} and has not ended",
            hints=["drop it when the move has ended"],
        )
    for move in meeting:
        if move.opening == move.closing == row.id:
            _carry(tx, move, before or after)
    mixed = bool(row.mixed)
    for first in ending:
        second = next((move for move in beginning if _continues(first, move)), None)
        if second is not None:
            beginning.remove(second)
            _join(tx, first, second)
            continue
        mixed = True
        if before is not None and (before.seq > first.opening_seq or first.level == "takeback"):
            moves.update(tx, first._replace(closing=before.id, closing_seq=before.seq))
        else:
            moves.remove(tx, first.id)
    for move in beginning:
        mixed = True
        still = move.closing_seq is None or (after is not None and after.seq < move.closing_seq)
        if after is not None and (still or move.level == "takeback"):
            moves.update(tx, move._replace(opening=after.id, opening_seq=after.seq))
        else:
            moves.remove(tx, move.id)
    if mixed and after is not None:
        snapshots.mark_mixed(tx, after.id)


def _carry(tx: Transaction, move: Move, to: SnapshotRow | None) -> None:
    """What is left of a move of takeback's whose steps are gone: a record of what it took back, at one place."""
    if to is None:
        moves.remove(tx, move.id)
    else:
        moves.update(tx, move._replace(opening=to.id, opening_seq=to.seq, closing=to.id, closing_seq=to.seq))


def _continues(first: Move, second: Move) -> bool:
    """Whether one move goes on where the other ended. What takeback did stays as it was."""
    same = (first.session, first.level, first.undone_by) == (second.session, second.level, second.undone_by)
    return same and first.level != "takeback"


def _join(tx: Transaction, first: Move, second: Move) -> None:
    """One move from the first's beginning to the second's end, under the second's id."""
    moves.remove(tx, first.id)
    moves.update(
        tx,
        second._replace(
            title=_joined(first, second),
            opening=first.opening,
            opening_seq=first.opening_seq,
            opened_ns=first.opened_ns,
            reported=tuple(dict.fromkeys((*first.reported, *second.reported))),
            context={**first.context, **second.context, "opened": first.context.get("opened", {})},
        ),
    )


def _joined(first: Move, second: Move) -> str:
    """Both titles; a person's changes are named after the save before them, which is the first's."""
    if first.level == "manual":
        return first.title
    return " + ".join(part for part in dict.fromkeys((first.title, second.title)) if part)
