"""Taking snapshots out of a line in one transaction: one that a person drops, or many that retention lets go.

Where a person drops one, the moves that met at it become one, of the same session and level; others lose only the step that
led to it, so that nobody is blamed for what somebody else did. Retention lets moves go as a whole, with what only they need:
of one that others worked beside, a trace stays, so that its work is not taken for theirs.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager

from takeback.engine.move_snapshots import concerns, inner_actions, is_over, needs, owns_whole_window
from takeback.engine.stretches import RAN
from takeback.errors import InvalidInput, NotFound
from takeback.model.ids import short
from takeback.model.move import CUT, GONE, Move
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
        _join_moves(tx, row, snapshots.beside(tx, row, -1), snapshots.beside(tx, row, +1))
        parents[row.id] = _remove(tx, row, verb)
    snapshots.inherit(tx, parents)


def let_go(tx: Transaction, timeline: int, ids: Iterable[str], verb: str) -> list[str]:
    """Remove snapshots and, as a whole, the moves that need one of them; the ids of the moves. The caller has made sure that
    they may go."""
    rows = sorted((row for id in ids if (row := snapshots.by_id(tx, id)) is not None), key=lambda row: row.seq)
    if not rows:
        return []
    seqs = [row.seq for row in rows]
    near = moves.over(tx, timeline, seqs[0], seqs[-1])
    if going := going_with(seqs, near):
        first, last = min(move.opening_seq for move in going), max(move.closing_seq or 0 for move in going)
        near = moves.over(tx, timeline, min(first, seqs[0]), max(last, seqs[-1]))
        going = going_with(seqs, near)
    known = {move.id for move in going}
    left = [move for move in near if move.id not in known]
    mixed = [row for row in rows if row.mixed or any(_is_end(move, row, near) for move in near)]
    dropped = {row.seq for row in rows}
    for move in going:
        if move.level != "takeback":
            _leave_trace(tx, timeline, move, dropped, left)
    for move in going:
        if move.level == "takeback":
            _let_takeback_go(tx, move, dropped)
    parents = {row.id: _remove(tx, row, verb) for row in rows}
    for row in mixed:
        if (after := snapshots.beside(tx, row, +1)) is not None:
            snapshots.mark_mixed(tx, after.id)
    snapshots.inherit(tx, parents)
    return [move.id for move in going if GONE not in move.context and move.opening != move.closing]


def going_with(seqs: Sequence[int], near: Sequence[Move]) -> list[Move]:
    """The ended moves that go as a whole with the snapshots at some places, their actions included."""
    over = {seq: [move for move in near if is_over(move, seq)] for seq in seqs}
    going = {move.id: move for seq in seqs for move in over[seq] if not move.open and needs(move, seq, over[seq])}
    for move in list(going.values()):
        going |= {action.id: action for action in inner_actions(move, near) if not action.open}
    return list(going.values())


def _leave_trace(tx: Transaction, timeline: int, move: Move, dropped: set[int], left: Sequence[Move]) -> None:
    """Remove a move; what is left of its window stays as a trace if others worked there whose undo has to know of it."""
    assert move.closing_seq is not None
    rows = [
        row for row in snapshots.between(tx, timeline, move.opening_seq, move.closing_seq) if row.seq not in dropped
    ]
    if len(rows) > 1 and any(concerns(other, move) and _meet(other, rows[0].seq, rows[-1].seq) for other in left):
        trace = move._replace(opening=rows[0].id, opening_seq=rows[0].seq, context={**move.context, GONE: True})
        moves.update(tx, trace._replace(closing=rows[-1].id, closing_seq=rows[-1].seq))
    else:
        moves.remove(tx, move.id)


def _meet(move: Move, first_seq: int, last_seq: int) -> bool:
    """Whether a move has a step between two places."""
    return move.opening_seq < last_seq and (move.closing_seq is None or move.closing_seq > first_seq)


def _let_takeback_go(tx: Transaction, move: Move, dropped: set[int]) -> None:
    """Remove an undo, a redo or a restore; what it took back still knows it if that stays."""
    is_known = any(moves.by_id(tx, target) is not None for target in moves.targets(tx, move.id))
    place = snapshots.by_id(tx, move.closing or move.opening) if is_known else None
    while place is not None and place.seq in dropped:
        place = snapshots.beside(tx, place, +1)
    _carry(tx, move, place)


def _is_end(move: Move, row: SnapshotRow, near: Sequence[Move]) -> bool:
    """Whether a step of a move ends or begins at a snapshot, so that the steps beside it are not of the same owners."""
    if move.opening == move.closing or row.seq not in (move.opening_seq, move.closing_seq):
        return False
    return not _is_of_frame(move, row.seq, near)


def _is_of_frame(action: Move, seq: int, near: Sequence[Move]) -> bool:
    """Whether an action lies in a turn or run of its session that owns what is on both sides of its end."""
    return action.level == "action" and any(
        owns_whole_window(move)
        and move.session == action.session
        and move.opening_seq < seq
        and (move.closing_seq is None or seq < move.closing_seq)
        for move in near
    )


def _remove(tx: Transaction, row: SnapshotRow, verb: str) -> str | None:
    """Remove a snapshot; the id of its parent, which its children get."""
    before = snapshots.beside(tx, row, -1)
    snapshots.remove(tx, row)
    owner = timelines.by_number(tx, row.timeline)
    if owner is not None and owner.head == row.id:
        timelines.set_head(tx, row.timeline, before.id if before is not None else None)
    _note(tx, row, verb)
    return row.parent


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
    near = moves.over(tx, row.timeline, row.seq, row.seq)
    for first in ending:
        second = next((move for move in beginning if _continues(first, move)), None)
        if second is not None:
            beginning.remove(second)
            _join(tx, first, second)
            continue
        mixed = mixed or not _is_of_frame(first, row.seq, near)
        if before is not None and (before.seq > first.opening_seq or first.level == "takeback"):
            moves.update(tx, _cut(first)._replace(closing=before.id, closing_seq=before.seq))
        else:
            moves.remove(tx, first.id)
    for move in beginning:
        mixed = mixed or not _is_of_frame(move, row.seq, near)
        still = move.closing_seq is None or (after is not None and after.seq < move.closing_seq)
        if after is not None and (still or move.level == "takeback"):
            moves.update(tx, _cut(move)._replace(opening=after.id, opening_seq=after.seq))
        else:
            moves.remove(tx, move.id)
    if mixed and after is not None:
        snapshots.mark_mixed(tx, after.id)


def _cut(move: Move) -> Move:
    """A move that loses an end, and says so."""
    return move._replace(context={**move.context, CUT: True})


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
    """One move from the first's beginning to the second's end, under the second's id. Calls of an agent stay two, over the same
    step: when each ran, and what it named, tells their changes apart."""
    if first.level == "action" and RAN in first.context and RAN in second.context:
        moves.update(tx, first._replace(closing=second.closing, closing_seq=second.closing_seq))
        moves.update(tx, second._replace(opening=first.opening, opening_seq=first.opening_seq))
        return
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
