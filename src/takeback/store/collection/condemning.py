"""Which packs shall go, and how: what is needed of them is copied into new packs, those are made live, the blobs' rows
are moved to them in short transactions, and one more condemns the old packs and begins a new generation of leases.

Rows of blobs that nothing needs stay with their pack: who began before may still rely on them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import NamedTuple

from takeback.errors import Integrity
from takeback.model.progress import Watch
from takeback.store.batch import PACK_SEALED
from takeback.store.blobstore import BlobStore
from takeback.store.catalogue import blobs, collecting, counters
from takeback.store.catalogue.blobs import PackRow
from takeback.store.collection.packer import Packer, checked
from takeback.store.collection.steps import paced
from takeback.store.packs.frames import read_frame
from takeback.store.packs.pack import PackEntry

DEAD_SHARE = 0.3
"""A pack of which more than this is needed by nothing is written anew."""
SMALL = PACK_SEALED // 4
MANY = 8
"""So many small packs are merged."""


@dataclass(frozen=True, slots=True)
class _Candidate:
    row: PackRow
    wanted: int
    """How many of its blobs are needed,"""
    needed: int
    """and their raw bytes."""

    @property
    def share(self) -> float:
        return self.needed / (self.row.raw_size or 1)


class Newest(NamedTuple):
    """The last numbers that packs and hot frames had been given."""

    pack: int
    hot: int


def condemn(store: BlobStore, needed: AbstractSet[bytes], watch: Watch, dead_share: float = DEAD_SHARE) -> int:
    """How many packs were condemned: those of which more than ``dead_share`` is dead, and small ones if there are many."""
    total = 0
    for group in _groups(_choose(store, needed, watch, dead_share)):
        total += _condemn(store, group, needed, watch)
    return total


def newest_numbers(store: BlobStore) -> Newest:
    with store.database.read() as tx:
        return Newest(counters.value(tx, "packs"), counters.value(tx, "hot"))


def any_dead(store: BlobStore, until: Newest, needed: AbstractSet[bytes]) -> bool:
    """Whether any pack or hot frame up to some moment is still there and holds what nothing needs, were it only a second
    copy of what is needed. What came later is not looked at: ``needed`` may be older than that."""
    with store.database.read() as tx:
        hot = blobs.entries_of(tx, blobs.HOT_PACK)
        old = [row for row in blobs.packs(tx) if row.id <= until.pack and row.state in ("live", "condemned")]
    return (
        any(entry.id not in needed for entry in hot if entry.frame <= until.hot)
        or any(row.state == "condemned" for row in old)
        or any(_candidate(store, row, needed).needed < row.raw_size for row in old)
    )


def _choose(store: BlobStore, needed: AbstractSet[bytes], watch: Watch, dead_share: float) -> list[_Candidate]:
    with store.database.read() as tx:
        live = [row for row in blobs.packs(tx) if row.state == "live"]
    dead: list[_Candidate] = []
    small: list[_Candidate] = []
    for done, row in enumerate(live):
        watch.tick("collect", done, len(live))
        candidate = _candidate(store, row, needed)
        if not candidate.wanted or candidate.needed < row.raw_size * (1 - dead_share):
            dead.append(candidate)
        elif row.size < SMALL:
            small.append(candidate)
    return dead + (small if len(small) >= MANY else [])


def _candidate(store: BlobStore, row: PackRow, needed: AbstractSet[bytes]) -> _Candidate:
    with store.database.read() as tx:
        lengths = [entry.length for entry in blobs.entries_of(tx, row.id) if entry.id in needed]
    return _Candidate(row, len(lengths), sum(lengths))


def _groups(candidates: Sequence[_Candidate]) -> Iterator[list[_Candidate]]:
    """As many together as make about one full pack: so much space is needed for the copies."""
    group: list[_Candidate] = []
    size = 0.0
    for candidate in candidates:
        group.append(candidate)
        size += candidate.row.size * candidate.share
        if size >= PACK_SEALED:
            yield group
            group, size = [], 0.0
    if group:
        yield group


def _condemn(store: BlobStore, group: Sequence[_Candidate], needed: AbstractSet[bytes], watch: Watch) -> int:
    lease = store.leases.acquire()
    packer = Packer(store, lease)
    try:
        going = [each.row.id for each in group if _copy(store, each.row, needed, packer, watch)]
        if not going:
            packer.abandon()
            return 0
        packer.finish()
        with store.database.write() as tx:
            lease.check(tx)
            copies = packer.publish(tx)
        for some in paced(copies):
            with store.database.write() as tx:
                collecting.move(tx, some, going)
        with store.database.write() as tx:
            lease.check(tx)
            collecting.condemn(tx, going)
        return len(going)
    except BaseException:
        packer.abandon()
        raise
    finally:
        lease.release()


def _copy(store: BlobStore, row: PackRow, needed: AbstractSet[bytes], packer: Packer, watch: Watch) -> bool:
    """Whether all that is needed of a pack could be read. A damaged one stays as it is, for `verify` and repair."""
    with store.database.read() as tx:
        spans = blobs.frames_of(tx, row.id)
        entries = [entry for entry in blobs.entries_of(tx, row.id) if entry.id in needed]
    frames: dict[int, list[PackEntry]] = {}
    for entry in entries:
        frames.setdefault(entry.frame, []).append(entry)
    try:
        for done, (number, inside) in enumerate(frames.items()):
            watch.tick("collect", done, len(frames))
            raw = read_frame(store.backend, store.sealer, row.name, number, spans[number])
            for entry in inside:
                packer.add(entry.id, checked(raw, entry))
    except (Integrity, IndexError):
        return False
    return True
