"""Stretches of a timeline's history, newest first, as a list that somebody scrolls needs them: each costs the same however
long the history is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from takeback.model.move import Move
from takeback.store.blobstore import BlobStore
from takeback.store.catalogue import moves, operations, snapshots, timelines
from takeback.store.catalogue.operations import Operation
from takeback.store.catalogue.snapshots import SnapshotRow


class Stretch(NamedTuple):
    """Some snapshots of a timeline, newest first, and the moves that ended with one of them."""

    snapshots: list[SnapshotRow]
    moves: list[Move]
    takes: Mapping[str, list[str]]
    """What the undos and redos among them took back."""
    whole: bool
    """Whether the last of the snapshots is the timeline's first."""


def stretch(blobs: BlobStore, timeline: int, before_seq: int | None, limit: int) -> Stretch:
    """The newest snapshots, or those before a place."""
    with blobs.database.read() as tx:
        found = snapshots.newest(tx, timeline, limit, before_seq=before_seq)
        if not found:
            return Stretch([], [], {}, whole=True)
        ended = moves.ended(tx, timeline, found[-1].seq, found[0].seq)
        takes = moves.taken_by(tx, [move.id for move in ended if move.verb])
        first = snapshots.first(tx, timeline)
    return Stretch(found, ended, takes, whole=first is None or first.seq >= found[-1].seq)


def under_way(blobs: BlobStore, timeline: int) -> list[Move]:
    """Moves of agents that nobody has closed, the last opened first."""
    with blobs.database.read() as tx:
        return [move for move in moves.open_moves(tx, timeline) if move.level != "manual"]


def sessions(blobs: BlobStore, timeline: int, limit: int) -> list[Move]:
    """The last move of each session, the newest first."""
    with blobs.database.read() as tx:
        return moves.last_of_sessions(tx, timeline, limit)


def heads(blobs: BlobStore) -> tuple[dict[int, str | None], int]:
    """The latest snapshot of every timeline, and the number of the newest operation."""
    with blobs.database.read() as tx:
        return {row.number: row.head for row in timelines.every(tx)}, operations.last(tx)


def done(blobs: BlobStore, before_seq: int | None, limit: int) -> list[Operation]:
    """What takeback did, newest first."""
    with blobs.database.read() as tx:
        return operations.newest(tx, limit, before_seq=before_seq)


def meeting(blobs: BlobStore, ids: Iterable[str]) -> dict[str, tuple[SnapshotRow, list[Move]]]:
    """Those of some snapshots that there are, each with the moves that begin or end there."""
    with blobs.database.read() as tx:
        found = snapshots.among(tx, ids)
        rows = {row.id: row for row in snapshots.with_marks(tx, list(found.values()))}
        return {id: (row, moves.touching(tx, row.timeline, row.seq)) for id, row in rows.items()}
