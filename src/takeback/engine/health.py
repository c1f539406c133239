"""verify and stats, from the snapshots' side: is everything there that they need, and what do they use?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from takeback.engine.manifest import load_snapshot
from takeback.engine.reach import Harm, Reach, Sizes
from takeback.errors import TakebackError
from takeback.model.ids import short
from takeback.model.progress import Watch
from takeback.model.snapshot import Snapshot
from takeback.store import stats as store_stats
from takeback.store import verify as store_verify
from takeback.store.blobstore import BlobStore
from takeback.store.catalogue import blobs as blob_rows
from takeback.store.catalogue import snapshots, timelines
from takeback.store.catalogue.snapshots import SnapshotRow
from takeback.store.reader import Reader
from takeback.store.stats import StoreStats
from takeback.store.verify import Problem


@dataclass(frozen=True, slots=True)
class Health:
    """What `verify` found."""

    problems: tuple[Problem, ...]
    harmed: tuple[str, ...]
    """Snapshots that cannot be restored whole because of the problems."""
    snapshots: int
    blobs: int
    read_data: bool

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


@dataclass(frozen=True, slots=True)
class Usage:
    """What uses the space."""

    store: StoreStats
    shares: tuple[Share, ...]
    logical: int
    """What all snapshots together would take as plain copies."""

    @property
    def saved_by_deduplication(self) -> int:
        return max(0, self.logical - self.store.raw_bytes)


def verify(blobs: BlobStore, read_data: bool, watch: Watch) -> Health:
    """Check packs and catalogue, then that every snapshot's blobs are there. That chunks are gone is no problem if no
    snapshot needs them: a collection removes packs, and what nothing needs may lie in several."""
    problems = list(store_verify.verify(blobs, read_data, watch))
    with blobs.reader() as reader:
        rows = _rows(blobs)
        reach = Reach(reader)
        loaded: list[Snapshot] = []
        harmed: dict[str, None] = {}
        for done, row in enumerate(rows):
            watch.tick("check", done, len(rows))
            try:
                snapshot = load_snapshot(reader, row)
                loaded.append(snapshot)
                missing = _missing(
                    blobs, {row.manifest, *(each for part in snapshot.parts.values() for each in reach.of(part))}
                )
            except TakebackError as error:
                problems.append(Problem("broken snapshot", f"snapshot {short(row.id)}", error.message))
                harmed[row.id] = None
                continue
            if missing:
                detail = f"{len(missing)} blobs that it needs are not in the store"
                problems.append(
                    Problem("missing blob", f"snapshot {short(row.id)}", detail, blobs=tuple(sorted(missing)))
                )
                harmed[row.id] = None
        problems = [each for each in problems if each.kind != "missing chunk" or reach.seen.intersection(each.blobs)]
        harmed |= dict.fromkeys(_harmed(reader, loaded, problems))
    return Health(tuple(problems), tuple(harmed), len(rows), len(reach.seen), read_data)


def _harmed(reader: Reader, loaded: list[Snapshot], problems: list[Problem]) -> Iterator[str]:
    """Snapshots that lead to a blob that some problem names."""
    damaged = frozenset(blob for problem in problems for blob in problem.blobs)
    if not damaged:
        return
    harm = Harm(reader, damaged)
    for snapshot in loaded:
        try:
            if any(harm.reaches(part) for part in snapshot.parts.values()):
                yield snapshot.id
        except TakebackError:
            yield snapshot.id


def _missing(blobs: BlobStore, ids: set[bytes]) -> set[bytes]:
    with blobs.database.read() as tx:
        return ids - blob_rows.known(tx, ids, frozenset())


def stats(blobs: BlobStore) -> Usage:
    """What each timeline and part uses. A blob that several share counts in each of them."""
    shares: list[Share] = []
    logical = 0
    with blobs.reader() as reader:
        sizes = Sizes(reader)
        with blobs.database.read() as tx:
            lines = {row.number: row for row in timelines.every(tx)}
        by_part: dict[tuple[int, str], tuple[Reach, int]] = {}
        for row in _rows(blobs):
            for name, part in load_snapshot(reader, row).parts.items():
                logical += sizes.of(part)
                reach, count = by_part.get((row.timeline, name)) or (Reach(reader), 0)
                for _ in reach.of(part):
                    pass
                by_part[row.timeline, name] = (reach, count + 1)
        for (number, name), (reach, count) in sorted(by_part.items()):
            raw, stored = _bytes(blobs, reach.seen)
            share = Share(lines[number].root, lines[number].name, name, count, raw, stored)
            shares.append(share)
    return Usage(store_stats.stats(blobs), tuple(shares), logical)


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
