"""prune: which snapshots a policy lets go, and taking them out of their timelines.

What stays whatever the policy says: the first snapshot of a timeline (`root`), the latest, pinned ones, and those that
an open move begins at or an unfinished restore needs. Labels protect nothing. The bytes are freed by `maintain`.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from takeback.engine.dropping import drop_snapshots, root_held
from takeback.engine.line import Line
from takeback.engine.maintenance import snapshot_blobs
from takeback.engine.reach import Reach
from takeback.errors import Integrity, Locked
from takeback.model.policy import Policy
from takeback.model.progress import Watch
from takeback.store.blobstore import BlobStore
from takeback.store.catalogue import blobs as blob_rows
from takeback.store.catalogue import journals, moves, snapshots, timelines
from takeback.store.catalogue.database import Transaction
from takeback.store.catalogue.snapshots import SnapshotRow
from takeback.store.catalogue.timelines import TimelineRow
from takeback.store.collection.steps import paced
from takeback.store.reader import Reader

_STEP = 50
"""So many go in one transaction, and while the root is locked: some fifty milliseconds."""


@dataclass(frozen=True, slots=True)
class Pruned:
    """What `prune` let go, or would."""

    snapshots: tuple[str, ...] = ()
    """Ids, oldest first."""
    kept: int = 0
    """How many are left on the timelines that were looked at."""
    bytes: int = 0
    """What the next `maintain` can free, about."""
    busy: tuple[str, ...] = ()
    """Roots that were left alone because somebody was at work there."""
    dry_run: bool = False

    def and_then(self, more: Pruned) -> Pruned:
        """Both together; ``more`` was let go afterwards."""
        gone = (*self.snapshots, *more.snapshots)
        return Pruned(gone, self.kept, self.bytes + more.bytes, (*self.busy, *more.busy))


def prune(
    blobs: BlobStore, policy: Policy, line: Line | None, dry_run: bool, watch: Watch, *, root: str | None = None
) -> Pruned:
    """Apply a policy to one timeline, to those of a ``root``, or to all of the store."""
    with blobs.reader() as reader:
        with blobs.database.read() as tx:
            every = [line.row(tx)] if line is not None else timelines.every(tx)
            lines = [each for each in every if root is None or each.root == root]
            looked_at = {each.number: snapshots.newest(tx, each.number) for each in lines}
            protected = {id for each in lines for id in _protected(tx, each)}
            protected |= {row.id for rows in looked_at.values() for row in rows if row.pinned}
            everything = snapshots.everywhere(tx)
        beyond = {row.id for rows in looked_at.values() for row in _beyond(rows, policy)} - protected
        may_go = {row.id for rows in looked_at.values() for row in rows} - protected - beyond
        weight = _Weight(blobs, reader, watch)
        size = sum(weight.of(row) for row in everything if row.id not in may_go and row.id not in beyond)
        freed = 0.0
        for row in reversed(everything):
            if row.id in may_go:
                more = weight.of(row)
                if policy.size is not None and (freed or size + more > policy.size):
                    beyond.add(row.id)  # and so do all that are older
                    freed += more
                else:
                    size += more
        freed += sum(weight.of(row) for row in everything if row.id in beyond)
    chosen = [(each, [row.id for row in reversed(looked_at[each.number]) if row.id in beyond]) for each in lines]
    gone: list[str] = []
    busy: list[str] = []
    for each, ids in chosen:
        try:
            for some in [ids] if dry_run else paced(ids, _STEP):
                gone += some if dry_run else _drop(blobs, each, some)
        except Locked:
            busy.append(each.root)
    kept = sum(len(rows) for rows in looked_at.values()) - len(gone)
    return Pruned(tuple(gone), kept, int(freed) if gone else 0, tuple(busy), dry_run)


def _drop(blobs: BlobStore, line: TimelineRow, ids: Sequence[str]) -> list[str]:
    """Take snapshots out, unless something came to need them since they were chosen; returns those that went."""
    with root_held(line.root), blobs.database.write() as tx:
        protected = set(_protected(tx, line))
        rows = [row for id in ids if (row := snapshots.by_id(tx, id)) is not None]
        going = [row.id for row in rows if not row.pinned and row.id not in protected]
        drop_snapshots(tx, going, "prune")
        return going


def _protected(tx: Transaction, line: TimelineRow) -> Iterator[str]:
    """What stays whatever the policy says, pinned or not."""
    ends = (snapshots.first(tx, line.number), snapshots.back(tx, line.number, 0))
    yield from (row.id for row in ends if row is not None)
    yield from (move.opening for move in moves.open_moves(tx, line.number))
    yield from (journal.safety for journal in journals.every(tx))


def _beyond(newest_first: Sequence[SnapshotRow], policy: Policy) -> Iterator[SnapshotRow]:
    """Snapshots of one timeline that are too many, or too old."""
    if policy.keep_last is not None:
        yield from newest_first[policy.keep_last :]
    if policy.age_ns is not None:
        oldest = time.time_ns() - policy.age_ns
        yield from (row for row in newest_first if row.time_ns < oldest)


class _Weight:
    """What snapshots take of the store's bytes, each blob counted with the first that needs it."""

    def __init__(self, blobs: BlobStore, reader: Reader, watch: Watch) -> None:
        self._blobs = blobs
        self._reader = reader
        self._watch = watch
        self._reach = Reach(reader)
        with blobs.database.read() as tx:
            self._ratios = blob_rows.ratios(tx)

    def of(self, row: SnapshotRow) -> float:
        self._watch.tick("mark", len(self._reach.seen))
        try:
            found = list(snapshot_blobs(self._reader, self._reach, row))
        except Integrity:
            return 0.0  # a harmed snapshot can be pruned like any other
        with self._blobs.database.read() as tx:
            located = blob_rows.locate_all(tx, found)
        return sum(at.length * self._ratios.get((at.pack, at.frame), 1.0) for at in located)
