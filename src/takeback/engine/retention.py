"""prune: which snapshots and moves a policy lets go, and taking them out of their timelines.

A move stays whole or goes whole: a snapshot is only removed together with all moves that need it to be taken back exactly
(`takeback.engine.move_snapshots`). One that a limit of number or age cuts through stays; one that a limit of bytes cuts through
goes. What stays whatever the policy says: the first snapshot of a timeline (`root`), the latest, pinned ones, what an
unfinished restore needs, and the newest move of an agent. Labels protect nothing. The bytes are freed by `maintain`.
"""

from __future__ import annotations

import time
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass

from takeback.engine.candidates import newest_of_agents
from takeback.engine.dropping import going_with, let_go, root_held
from takeback.engine.line import Line
from takeback.engine.maintenance import snapshot_blobs
from takeback.engine.move_snapshots import needs
from takeback.engine.reach import Reach
from takeback.errors import Integrity, Locked
from takeback.model.move import GONE, Move
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
    moves: tuple[str, ...] = ()
    """Ids of the moves that went with them, and cannot be taken back any more."""

    def and_then(self, more: Pruned) -> Pruned:
        """Both together; ``more`` was let go afterwards."""
        gone, busy = (*self.snapshots, *more.snapshots), (*self.busy, *more.busy)
        return Pruned(gone, self.kept, self.bytes + more.bytes, busy, moves=(*self.moves, *more.moves))


def prune(
    blobs: BlobStore, policy: Policy, line: Line | None, dry_run: bool, watch: Watch, *, root: str | None = None
) -> Pruned:
    """Apply a policy to one timeline, to those of a ``root``, or to all of the store."""
    with blobs.reader() as reader:
        with blobs.database.read() as tx:
            every = [line.row(tx)] if line is not None else timelines.every(tx)
            histories = [History(tx, each) for each in every if root is None or each.root == root]
            everything = snapshots.everywhere(tx)
        beyond = {id for each in histories for id in each.beyond(policy)}
        may_go = {row.id for each in histories for row in each.rows if row.id not in each.protected} - beyond
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
    gone: list[str] = []
    moves_gone: list[str] = []
    busy: list[str] = []
    for each in histories:
        ids = [row.id for row in each.rows if row.id in beyond]
        try:
            for some in [ids] if dry_run else paced(ids, _STEP):
                went = (some, each.moves_of(some)) if dry_run else drop(blobs, each.line, some)
                gone += went[0]
                moves_gone += went[1]
        except Locked:
            busy.append(each.line.root)
    kept = sum(len(each.rows) for each in histories) - len(gone)
    return Pruned(tuple(gone), kept, int(freed) if gone else 0, tuple(busy), dry_run, tuple(moves_gone))


def drop(blobs: BlobStore, line: TimelineRow, ids: Sequence[str]) -> tuple[list[str], list[str]]:
    """Take snapshots out, with the moves that need them, unless something that must stay came to need them since they were
    chosen; returns the snapshots and the moves that went."""
    with root_held(line.root), blobs.database.write() as tx:
        rows = [row for id in ids if (row := snapshots.by_id(tx, id)) is not None]
        if not rows:
            return [], []
        protected = set(_protected(tx, line))
        near = moves.over(tx, line.number, min(row.seq for row in rows), max(row.seq for row in rows))
        kept = _always_whole(tx, line.number, near)
        going = [
            row.id
            for row in rows
            if not (row.pinned or row.id in protected or any(needs(move, row.seq, near) for move in kept))
        ]
        return going, let_go(tx, line.number, going, "prune")


def _protected(tx: Transaction, line: TimelineRow) -> Iterator[str]:
    """What stays whatever the policy says, pinned or not."""
    ends = (snapshots.first(tx, line.number), snapshots.back(tx, line.number, 0))
    yield from (row.id for row in ends if row is not None)
    yield from (move.opening for move in moves.open_moves(tx, line.number))
    yield from (journal.safety for journal in journals.every(tx))


def _always_whole(tx: Transaction, timeline: int, near: Sequence[Move]) -> list[Move]:
    """The moves that stay as a whole whatever the policy says: open ones, as far as they have come, the newest move of an agent
    that undo would take, and the newest undo, which redo would, with what it took back."""
    newest = (newest_of_agents(tx, timeline), next(moves.effective(tx, timeline, (), verbs=("undo",)), None))
    known = {move.id for move in newest if move is not None}
    known |= {target for move in newest if move is not None for target in moves.targets(tx, move.id)}
    return [move for move in near if (move.open or move.id in known) and GONE not in move.context]


class History:
    """A timeline's snapshots and moves, and what of them a policy lets go."""

    def __init__(self, tx: Transaction, line: TimelineRow) -> None:
        self.line = line
        self.rows = snapshots.newest(tx, line.number)[::-1]
        """Oldest first."""
        self._places = [row.seq for row in self.rows]
        self._moves = moves.over(tx, line.number, self._places[0], self._places[-1]) if self.rows else []
        self._over: list[list[Move]] = [[] for _ in self.rows]
        """For each snapshot, the moves over it."""
        for move in self._moves:
            for number in self._window(move):
                self._over[number].append(move)
        self.protected = set(_protected(tx, line)) | {row.id for row in self.rows if row.pinned}
        self.protected |= self._needed(_always_whole(tx, line.number, self._moves))

    def beyond(self, policy: Policy) -> Set[str]:
        """Snapshots that are too many, or too old. A move stays as a whole while one of its steps is within the limits."""
        return self.whole({row.id for row in _beyond(self.rows[::-1], policy)}) - self.protected

    def whole(self, beyond: Set[str]) -> Set[str]:
        """Those of some snapshots that may go without cutting through a move."""
        return beyond - self._needed(move for move in self._moves if self._is_within(move, beyond))

    def moves_of(self, ids: Collection[str]) -> list[str]:
        """The moves that go with snapshots."""
        seqs = [row.seq for row in self.rows if row.id in ids]
        found = going_with(seqs, self._moves)
        return [move.id for move in found if GONE not in move.context and move.opening != move.closing]

    def _is_within(self, move: Move, beyond: Collection[str]) -> bool:
        """Whether the last step of a move lies within the limits."""
        if move.open or GONE in move.context:
            return False
        last = self._window(move)[-2:]
        return len(last) > 1 and all(self.rows[number].id not in beyond for number in last)

    def _needed(self, some: Iterable[Move]) -> set[str]:
        return {
            self.rows[number].id
            for move in some
            for number in self._window(move)
            if needs(move, self._places[number], self._over[number])
        }

    def _window(self, move: Move) -> range:
        first = bisect_left(self._places, move.opening_seq)
        last = len(self._places) if move.closing_seq is None else bisect_right(self._places, move.closing_seq)
        return range(first, last)


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
