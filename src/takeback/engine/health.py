"""verify and stats, from the snapshots' side: is everything there that they need, and what do they use?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import NamedTuple

from takeback.engine.losses import Findable, Loss, Losses
from takeback.engine.manifest import load_snapshot
from takeback.engine.reach import Reach, Sizes
from takeback.errors import TakebackError
from takeback.model.ids import short
from takeback.model.progress import Watch
from takeback.model.snapshot import Snapshot
from takeback.store import stats as store_stats
from takeback.store import verify as store_verify
from takeback.store.blobstore import BlobStore
from takeback.store.catalogue import blobs as blob_rows
from takeback.store.catalogue import journals, snapshots, timelines
from takeback.store.catalogue.snapshots import SnapshotRow
from takeback.store.reader import Reader
from takeback.store.stats import StoreStats
from takeback.store.verify import Problem

_POINTS = 200
"""Times at which it is told how much the store held."""


@dataclass(frozen=True, slots=True)
class Health:
    """What `verify` found."""

    problems: tuple[Problem, ...]
    losses: tuple[Loss, ...]
    """Snapshots that cannot be restored whole because of the problems, and what of each."""
    snapshots: int
    blobs: int
    read_data: bool

    @property
    def harmed(self) -> tuple[str, ...]:
        """The ids of those snapshots."""
        return tuple(loss.snapshot for loss in self.losses)

    @property
    def ok(self) -> bool:
        return not self.problems


@dataclass(frozen=True, slots=True)
class Share:
    """What one part of one timeline needs: as plain files without repetitions, and of the store's bytes."""

    root: str
    timeline: str
    part: str
    snapshots: int
    raw: int
    stored: int


class Size(NamedTuple):
    """What all snapshots up to a time take: as plain copies, and of the store's bytes."""

    time_ns: int
    snapshots: int
    logical: int
    stored: int


@dataclass(frozen=True, slots=True)
class Usage:
    """What uses the space."""

    store: StoreStats
    shares: tuple[Share, ...]
    logical: int
    """What all snapshots together would take as plain copies."""
    growth: tuple[Size, ...] = ()
    """How it came to that, oldest first."""

    @property
    def saved_by_deduplication(self) -> int:
        return max(0, self.logical - self.store.raw_bytes)


def verify(blobs: BlobStore, read_data: bool, watch: Watch) -> Health:
    """Check packs and catalogue, then that every snapshot's blobs are there. That chunks are gone is no problem if no
    snapshot needs them: a collection removes packs, and what nothing needs may lie in several."""
    problems = list(store_verify.verify(blobs, read_data, watch))
    with blobs.reader() as reader:
        rows = _rows(blobs)
        followed = follow(blobs, reader, rows, watch)
        problems = [each for each in problems if each.kind != "missing chunk" or followed.seen.intersection(each.blobs)]
        damaged = {blob for problem in problems for blob in problem.blobs}
        problems += followed.problems(damaged)
        problems += _lost_plans(blobs, reader)
        losses = followed.losses(reader, damaged)
    return Health(tuple(problems), tuple(losses), len(rows), len(followed.seen), read_data)


@dataclass(frozen=True, slots=True)
class Followed:
    """What snapshots lead to, and what is wrong on the way."""

    loaded: tuple[Snapshot, ...]
    broken: tuple[Loss, ...]
    """Those that cannot be read at all."""
    disagreeing: tuple[str, ...]
    """Those whose manifests say otherwise than the catalogue why they were made."""
    seen: frozenset[bytes]
    missing: frozenset[bytes]
    """Blobs that are not in the store."""
    unreadable: Mapping[bytes, str]
    """Trees and recipes that cannot be read, and why."""

    def problems(self, damaged: AbstractSet[bytes]) -> Iterator[Problem]:
        """What is wrong beside blobs that are known to be ``damaged``."""
        for loss in self.broken:
            yield Problem("broken snapshot", f"snapshot {short(loss.snapshot)}", loss.broken)
        for id in self.disagreeing:
            detail = "the catalogue says otherwise than its manifest why it was made"
            yield Problem("disagreement", f"snapshot {short(id)}", detail)
        if gone := self.missing - damaged:
            detail = "snapshots need them, but they are not in the store"
            yield Problem("missing blob", f"{len(gone)} blobs", detail, blobs=tuple(sorted(gone)))
        for blob, why in self.unreadable.items():
            if blob not in damaged and blob not in self.missing:
                yield Problem("damaged blob", f"blob {blob.hex()[:12]}", why, blobs=(blob,))

    def losses(self, reader: Reader, damaged: AbstractSet[bytes]) -> list[Loss]:
        """Every snapshot that cannot be restored whole."""
        lost = {*damaged, *self.missing, *self.unreadable}
        paths = Losses(reader, lost)
        return [*self.broken, *(loss for each in self.loaded if lost and (loss := paths.of(each)) is not None)]


def follow(blobs: BlobStore, reader: Reader, rows: Sequence[SnapshotRow], watch: Watch) -> Followed:
    """Walk everything that snapshots lead to, whatever is lost on the way."""
    reach = Findable(reader)
    loaded: list[Snapshot] = []
    broken: list[Loss] = []
    disagreeing: list[str] = []
    missing: set[bytes] = set()
    for done, row in enumerate(rows):
        watch.tick("check", done, len(rows))
        try:
            snapshot = load_snapshot(reader, row)
        except TakebackError as error:
            broken.append(Loss(row.id, broken=error.message))
            continue
        loaded.append(snapshot)
        if snapshot.trigger != row.trigger:
            disagreeing.append(row.id)
        reach.seen.add(row.manifest)
        missing |= _missing(blobs, {each for part in snapshot.parts.values() for each in reach.of(part)})
    return Followed(
        tuple(loaded),
        tuple(broken),
        tuple(disagreeing),
        frozenset(reach.seen),
        frozenset(missing),
        dict(reach.unreadable),
    )


def _lost_plans(blobs: BlobStore, reader: Reader) -> Iterator[Problem]:
    """Restores that were interrupted and cannot be finished."""
    with blobs.database.read() as tx:
        unfinished = journals.every(tx)
    for journal in unfinished:
        if not reader.holds(journal.plan):
            detail = "what an interrupted restore was to do is lost, so it cannot be finished"
            yield Problem("missing blob", f"the restore of {journal.root}", detail, blobs=(journal.plan,))


def _missing(blobs: BlobStore, ids: set[bytes]) -> set[bytes]:
    with blobs.database.read() as tx:
        return ids - blob_rows.known(tx, ids, frozenset())


def stats(blobs: BlobStore, watch: Watch) -> Usage:
    """What each timeline and part uses, and how that grew. A blob that several share counts in each of them."""
    shares: list[Share] = []
    growth: list[Size] = []
    logical = 0
    with blobs.reader() as reader:
        sizes = Sizes(reader)
        with blobs.database.read() as tx:
            lines = {row.number: row for row in timelines.every(tx)}
        by_part: dict[tuple[int, str], tuple[Reach, int]] = {}
        known: set[bytes] = set()
        new: set[bytes] = set()
        rows = sorted(_rows(blobs), key=lambda row: (row.time_ns, row.seq))
        for done, row in enumerate(rows, 1):
            watch.tick("check", done, len(rows))
            for name, part in load_snapshot(reader, row).parts.items():
                logical += sizes.of(part)
                reach, count = by_part.get((row.timeline, name)) or (Reach(reader), 0)
                new.update(blob for blob in reach.of(part) if blob not in known)
                by_part[row.timeline, name] = (reach, count + 1)
            if done == len(rows) or done * _POINTS // len(rows) > len(growth):
                before = growth[-1].stored if growth else 0
                growth.append(Size(row.time_ns, done, logical, before + _bytes(blobs, new)[1]))
                known |= new
                new.clear()
        for (number, name), (reach, count) in sorted(by_part.items()):
            raw, stored = _bytes(blobs, reach.seen)
            share = Share(lines[number].root, lines[number].name, name, count, raw, stored)
            shares.append(share)
    return Usage(store_stats.stats(blobs), tuple(shares), logical, tuple(growth))


def _bytes(blobs: BlobStore, ids: set[bytes]) -> tuple[int, int]:
    """The raw length of blobs, and their share of the frames that they lie in."""
    raw = 0
    stored = 0.0
    with blobs.database.read() as tx:
        ratios = blob_rows.ratios(tx)
        for blob in blob_rows.locate_all(tx, ids):
            raw += blob.length
            stored += blob.length * ratios.get((blob.pack, blob.frame), 1.0)
    return raw, int(stored)


def _rows(blobs: BlobStore) -> list[SnapshotRow]:
    with blobs.database.read() as tx:
        return [row for line in timelines.every(tx) for row in snapshots.newest(tx, line.number)]
