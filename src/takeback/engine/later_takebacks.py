"""Undos and restores that have dealt with a step since: what they changed is not taken back a second time.

An undo in force has dealt with the steps of what it took back. A restore in force has dealt with all that lies between the
snapshot that it brought back and itself: what it changed goes on from that snapshot, so older steps count for it again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from takeback.model.move import LEFT, PARTLY, RESTORED, Move
from takeback.store.catalogue import moves, snapshots
from takeback.store.catalogue.database import Transaction

if TYPE_CHECKING:
    from takeback.engine.line import Line
    from takeback.model.snapshot import Part
    from takeback.store.catalogue.snapshots import SnapshotRow
    from takeback.store.reader import Reader


class Ends(NamedTuple):
    """A move of takeback's own: its id and the snapshots at its ends."""

    move: str
    opening: str
    closing: str


class Taken(NamedTuple):
    """A move that is taken back, the undos in force that did it, and whether they left nothing of it."""

    move: Move
    undos: frozenset[Ends]
    whole: bool


def taken(tx: Transaction, targets: Sequence[Move], own: Sequence[Move]) -> list[Taken]:
    """Those that are taken back among moves whose work is the targets' ``own``."""
    if any(target.level == "takeback" for target in targets):
        return []
    undone = [move for move in own if move.undone_by is not None and move.level != "takeback"]
    undos = moves.undos_in_force(tx, [move.id for move in undone])
    again = {target.id for target in targets}
    found = []
    for move in undone:
        some = undos.get(move.id, [])
        whole = move.id not in again and any(not undo.context.keys() & {PARTLY, LEFT} for undo in some)
        found.append(Taken(move, frozenset(map(_ends, some)), whole))
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
            yield Restored(_ends(move), row.seq if row.timeline == timeline else 0, move.opening_seq)


def _ends(move: Move) -> Ends:
    return Ends(move.id, move.opening, move.closing or move.opening)


class LaterPaths:
    """The paths that moves of takeback's own changed, part by part; read once each."""

    def __init__(self, line: Line, reader: Reader) -> None:
        self._line, self._reader = line, reader
        self._known: dict[tuple[str, str], frozenset[str]] = {}

    def of(self, some: frozenset[Ends], name: str) -> frozenset[str]:
        """The paths of a part that any of them changed."""
        return frozenset[str]().union(*(self._of(each, name) for each in some))

    def _of(self, ends: Ends, name: str) -> frozenset[str]:
        if (ends.move, name) not in self._known:
            self._known[ends.move, name] = frozenset(self._changed(ends, name))
        return self._known[ends.move, name]

    def _changed(self, ends: Ends, name: str) -> Iterator[str]:
        with self._line.blobs.database.read() as tx:
            rows = [snapshots.by_id(tx, id) for id in (ends.opening, ends.closing)]
        old, new = (self._part(row, name) for row in rows)
        if old is not None and new is not None and not new.same_state(old):
            for change in self._line.source(name, {name: new}).diff(self._reader, old, new):
                yield change.path

    def _part(self, row: SnapshotRow | None, name: str) -> Part | None:
        return None if row is None else self._line.load(self._reader, row).parts.get(name)
