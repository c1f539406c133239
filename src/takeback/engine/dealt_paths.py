"""Paths of a step that later undos and restores have dealt with: nothing is done about them a second time.

They are the paths that such a move changed. An undo of one session passes over what another session did in the same step, so
that is not among them.
"""

from __future__ import annotations

from collections.abc import Iterator

from takeback.engine.attribution import OwnedStep, owned_steps
from takeback.engine.later_takebacks import Ends
from takeback.engine.line import Line
from takeback.engine.snapshot_parts import SnapshotParts
from takeback.engine.step_verdicts import judged
from takeback.model.snapshot import Part
from takeback.store.catalogue import moves, snapshots
from takeback.store.catalogue.snapshots import SnapshotRow
from takeback.store.reader import Reader


class DealtPaths:
    """The paths by move of takeback's own and part, found out once each."""

    def __init__(self, line: Line, reader: Reader, parts: SnapshotParts) -> None:
        self._line, self._reader, self._parts = line, reader, parts
        self._known: dict[tuple[str, str], frozenset[str]] = {}
        self._steps: dict[str, list[OwnedStep]] = {}

    def of(self, step: OwnedStep, name: str) -> frozenset[str]:
        """The paths of a part that the step's later moves have dealt with."""
        dealt = frozenset[str]()
        for ends, brought_back in step.later:
            paths = self._changed_by(ends, name)
            paths = paths.difference(*(self._changed_by(each, name) for each in brought_back))
            dealt |= paths - self._others(ends, step, name) if paths and len(step.claims) > 1 else paths
        return dealt

    def _changed_by(self, ends: Ends, name: str) -> frozenset[str]:
        if (ends.move, name) not in self._known:
            self._known[ends.move, name] = frozenset(self._changed(ends, name)) - ends.again
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

    def _others(self, ends: Ends, step: OwnedStep, name: str) -> frozenset[str]:
        """The paths of a step that an undo left because another session, or a person, had changed them."""
        if ends.move not in self._steps:
            self._steps[ends.move] = self._steps_of(ends)
        for each in self._steps[ends.move]:
            if (each.before.id, each.after.id) == (step.before.id, step.after.id):
                found = judged(self._line, self._reader, self._parts, name, each)
                return found.leave - found.undecided.keys()
        return frozenset()

    def _steps_of(self, ends: Ends) -> list[OwnedStep]:
        with self._line.blobs.database.read() as tx:
            found = (moves.by_id(tx, id) for id in moves.targets(tx, ends.move))
            targets = [move for move in found if move is not None]
            return owned_steps(tx, self._line.row(tx).number, targets) if targets else []
