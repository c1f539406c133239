"""One timeline as it is copied: its snapshots with their labels and pins, and the moves that have ended."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from takeback.errors import Integrity
from takeback.model.move import Move
from takeback.store.catalogue import moves, snapshots, timelines
from takeback.store.catalogue.database import Transaction
from takeback.store.catalogue.snapshots import SnapshotRow
from takeback.store.catalogue.timelines import TimelineRow


@dataclass(frozen=True, slots=True)
class CopyLine:
    root: str
    name: str
    created_ns: int
    fork_of: str | None
    snapshots: tuple[SnapshotRow, ...]
    """Oldest first."""
    moves: tuple[Move, ...]
    """The first opened first. An open move stays behind: it still goes on where it was made."""
    takes: tuple[tuple[str, str], ...]
    """Which of the moves took back which."""


def read_lines(tx: Transaction) -> list[CopyLine]:
    """Every timeline of a catalogue that somebody else may have written."""
    with _believed():
        return [read_line(tx, row) for row in timelines.every(tx)]


def read_line(tx: Transaction, row: TimelineRow) -> CopyLine:
    with _believed():
        ended = tuple(move for move in reversed(moves.newest(tx, row.number)) if not move.open)
        takes = (
            (move.id, target) for move in ended if move.level == "takeback" for target in moves.targets(tx, move.id)
        )
        return CopyLine(
            row.root,
            row.name,
            row.created_ns,
            row.fork_of,
            tuple(reversed(snapshots.newest(tx, row.number))),
            ended,
            tuple(takes),
        )


def settled(line: CopyLine) -> CopyLine:
    """A timeline without moves whose ends are not on it, as some drops of earlier versions left behind."""
    places = {row.id for row in line.snapshots}
    whole = tuple(move for move in line.moves if move.opening in places and move.closing in places)
    kept = {move.id for move in whole}
    return replace(line, moves=whole, takes=tuple(take for take in line.takes if take[0] in kept))


@contextmanager
def _believed() -> Iterator[None]:
    """Rows of the wrong shape are damage, whatever they made the code do."""
    try:
        yield
    except (ValueError, TypeError, AttributeError, LookupError, RecursionError) as error:
        raise Integrity(f"the history that was to be copied holds a row that cannot be: {error!r}") from error
