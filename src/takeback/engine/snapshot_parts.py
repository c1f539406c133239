"""The parts of the snapshots that a plan compares, read once each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from takeback.engine.attribution import PRESENT
from takeback.engine.line import Line, Present
from takeback.model.move import AGENT_LEVELS, ASKED, Move
from takeback.model.snapshot import Part
from takeback.store.catalogue import snapshots
from takeback.store.catalogue.snapshots import SnapshotRow
from takeback.store.reader import Reader


class SnapshotParts:
    """Parts by snapshot; `PRESENT` stands for the world as it is now."""

    def __init__(self, line: Line, reader: Reader, present: Present) -> None:
        self._line, self._reader = line, reader
        self._known: dict[str, Mapping[str, Part]] = {PRESENT.id: present.parts}
        self._missed: dict[str, Mapping[str, str]] = {PRESENT.id: present.reasons}

    def at(self, row: SnapshotRow) -> Mapping[str, Part]:
        if row.id not in self._known:
            snapshot = self._line.load(self._reader, row)
            self._known[row.id], self._missed[row.id] = snapshot.parts, snapshot.missed
        return self._known[row.id]

    def in_doubt(self, name: str, targets: Sequence[Move]) -> bool:
        """Whether an agent is in the middle of a move that is taken back, and may have changed an object that nobody can see
        from here since it was saved last: it goes on, or did when it was taken back for the first time."""
        return any(
            move.open or (ASKED in move.context and move.undone_by is None and self._is_as_left(name, move))
            for move in targets
            if move.level in AGENT_LEVELS
        )

    def _is_as_left(self, name: str, move: Move) -> bool:
        """Whether a part is as a closed move has left it."""
        with self._line.blobs.database.read() as tx:
            row = snapshots.by_id(tx, move.closing) if move.closing is not None else None
        return row is not None and self._known[PRESENT.id][name].same_state(self.at(row).get(name))

    def missed_at(self, row: SnapshotRow, name: str) -> str:
        """Why a part could not be captured in a snapshot that was read; empty if it could."""
        return self._missed.get(row.id, {}).get(name, "")
