"""Undos and restores that have dealt with a step since: what they changed is not taken back a second time.

An undo in force has dealt with the steps of what it took back. A restore in force has dealt with all that lies between the
snapshot that it brought back and itself: what it changed goes on from that snapshot, so older steps count for it again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from takeback.model.move import AFTER, AGAIN, LEFT, PARTLY, RESTORED, Move
from takeback.store.catalogue import moves, snapshots
from takeback.store.catalogue.database import Transaction
from takeback.store.catalogue.snapshots import SnapshotRow


class Ends(NamedTuple):
    """A move of takeback's own: its id and the snapshots at its ends."""

    move: str
    opening: str
    closing: str
    seq: int
    """The place of the first of them: it has dealt with nothing that came later."""
    again: frozenset[str] = frozenset()
    """Paths that it changed, and did not deal with all the same."""
    first: int = 0
    """The place after which it took back what was done."""

    def covers(self, before: SnapshotRow, after: SnapshotRow) -> bool:
        """Whether a step lies in what it dealt with."""
        return self.first <= before.seq and after.seq <= self.seq


class Dealt(NamedTuple):
    """A move that has dealt with a step, and the later restores that made some paths again as they were after the step."""

    ends: Ends
    brought_back: frozenset[Ends] = frozenset()


class Taken(NamedTuple):
    """A move that is taken back, and the undos in force that did it."""

    move: Move
    undos: frozenset[Ends]
    whole: frozenset[Ends]
    """Those that left nothing of it."""

    def undos_of(self, before: SnapshotRow, after: SnapshotRow) -> list[Ends]:
        """The undos that dealt with what the move did in a step."""
        return [ends for ends in self.undos if ends.covers(before, after)]

    def whole_of(self, before: SnapshotRow, after: SnapshotRow) -> list[Ends]:
        """Those that left nothing of it."""
        return [ends for ends in self.whole if ends.covers(before, after)]


def taken(tx: Transaction, targets: Sequence[Move], own: Sequence[Move]) -> list[Taken]:
    """Those that are taken back among moves whose work is the targets' ``own``."""
    undone = [move for move in own if move.undone_by is not None]
    undos = moves.undos_in_force(tx, [move.id for move in undone])
    again = {target.id for target in targets}
    found = []
    for move in undone:
        some = undos.get(move.id, [])
        whole = [undo for undo in some if move.id not in again and not undo.context.keys() & {PARTLY, LEFT}]
        found.append(Taken(move, _all(tx, some), _all(tx, whole)))
    return found


class Restored(NamedTuple):
    """A restore in force, and the places between which it has dealt with what it changed."""

    ends: Ends
    first: int
    last: int


def restored(tx: Transaction, timeline: int, targets: Sequence[Move], first_seq: int) -> Iterator[Restored]:
    """The restores in force since a place."""
    if any(target.level == "takeback" for target in targets):
        return
    for move in moves.effective(tx, timeline, (), verbs=("restore",), after_seq=first_seq):
        brought = move.context.get(RESTORED)
        row = snapshots.by_id(tx, brought) if isinstance(brought, str) else None
        if row is not None:  # else nobody knows where the restored state lay
            yield Restored(_ends(tx, move), row.seq if row.timeline == timeline else 0, move.opening_seq)


def redone(tx: Transaction, timeline: int, first_seq: int) -> Iterator[Restored]:
    """The redos in force since a place: each brought back what there was before the undo that it took back."""
    for move in moves.effective(tx, timeline, (), verbs=("redo",), after_seq=first_seq):
        for target in moves.targets(tx, move.id):
            if (undo := moves.by_id(tx, target)) is not None:
                yield Restored(_ends(tx, move), undo.opening_seq, move.opening_seq)


def _all(tx: Transaction, some: Sequence[Move]) -> frozenset[Ends]:
    return frozenset(_ends(tx, move) for move in some)


def _ends(tx: Transaction, move: Move) -> Ends:
    after = move.context.get(AFTER)
    first = snapshots.by_id(tx, after) if isinstance(after, str) else None
    again = move.context.get(AGAIN)
    paths = frozenset(map(str, again)) if isinstance(again, list) else frozenset[str]()
    return Ends(move.id, move.opening, move.closing or move.opening, move.opening_seq, paths, first.seq if first else 0)
