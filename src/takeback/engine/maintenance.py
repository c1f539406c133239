"""maintain: which blobs are needed, for the store to remove the others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from takeback.engine.manifest import load_snapshot
from takeback.engine.plandoc import decode_plan
from takeback.engine.reach import Reach
from takeback.errors import Integrity, Unavailable
from takeback.model.ids import BlobKind, short
from takeback.model.kinds import DOCUMENTS, TREES
from takeback.model.progress import Watch
from takeback.model.tree import DIRECTORY
from takeback.store.blobstore import BlobStore
from takeback.store.catalogue import journals, snapshots
from takeback.store.catalogue.journals import Journal
from takeback.store.catalogue.snapshots import SnapshotRow
from takeback.store.collection import maintenance
from takeback.store.collection.condemning import DEAD_SHARE
from takeback.store.collection.maintenance import Dropped, Maintained
from takeback.store.reader import Reader


def maintain(
    blobs: BlobStore,
    watch: Watch,
    *,
    patience: float = 0.0,
    spared: Dropped = (),
    dead_share: float = DEAD_SHARE,
    unneeded: Iterable[str] = (),
) -> Maintained:
    """Fold, remove what nothing needs, tidy up. Integrity, and nothing removed, if a snapshot cannot be followed.

    ``spared`` are dropped snapshots that shall still be able to come back; packs of which no more than ``dead_share``
    is dead stay as they are; another maintenance is waited for with some ``patience``. ``unneeded`` are images that
    snapshots named until now.
    """
    from takeback.engine import images  # it asks what can be undropped, which asks here

    known = {*images.of_dropped(blobs), *unneeded}
    done = maintenance.maintain(
        blobs, lambda dropped: mark(blobs, watch, (*dropped, *spared)), watch, patience=patience, dead_share=dead_share
    )
    if not done.busy:
        images.release(blobs, known)
    return done


def mark(blobs: BlobStore, watch: Watch, dropped: Dropped = ()) -> set[bytes]:
    """Every blob that a snapshot or an unfinished restore leads to; and those of some dropped snapshots, as far as they
    are still there."""
    with blobs.reader() as reader:
        with blobs.database.read() as tx:
            rows = snapshots.everywhere(tx)
            unfinished = journals.every(tx)
        reach = Reach(reader)
        for done, row in enumerate(rows):
            watch.tick("mark", done, len(rows))
            try:
                _exhaust(snapshot_blobs(reader, reach, row))
            except Integrity as error:
                raise Integrity(
                    f"nothing was removed, because snapshot {short(row.id)} cannot be followed: {error.message}",
                    hints=[
                        "`takeback store repair` brings back what can be, and names the rest",
                        "drop snapshots that stay harmed, then try again",
                    ],
                ) from error
        for journal in unfinished:
            _exhaust(_journal_blobs(blobs, reader, reach, journal))
        for row in _as_rows(dropped):
            try:
                _exhaust(snapshot_blobs(reader, reach, row))
            except Integrity:
                continue
        return reach.seen


def snapshot_blobs(reader: Reader, reach: Reach, row: SnapshotRow) -> Iterator[bytes]:
    """The blobs that a snapshot needs and that were not given out before."""
    yield from reach.blob(row.manifest)
    for part in load_snapshot(reader, row).parts.values():
        if part.kind not in TREES | DOCUMENTS:
            raise Unavailable(
                f"what the part {part.name!r} of snapshot {short(row.id)} needs is not known here: it is of the kind "
                f"{part.kind!r}. Nothing was removed.",
                hints=["upgrade takeback: pip install --upgrade takeback"],
            )
        yield from reach.of(part)


def _journal_blobs(blobs: BlobStore, reader: Reader, reach: Reach, journal: Journal) -> Iterator[bytes]:
    yield from reach.blob(journal.plan)
    documents = document_parts(blobs, reader, journal)
    for effect in decode_plan(reader.get(journal.plan, BlobKind.DOCUMENT)).effects:
        for entry in (effect.before, effect.after):
            if entry is not None and entry.kind != DIRECTORY:
                yield from reach.document(entry.id) if effect.part in documents else reach.file(entry)


def document_parts(blobs: BlobStore, reader: Reader, journal: Journal) -> set[str]:
    """The parts that an unfinished restore puts back as documents: its safety snapshot has them all."""
    with blobs.database.read() as tx:
        row = snapshots.by_id(tx, journal.safety)
    parts = load_snapshot(reader, row).parts if row is not None else {}
    return {name for name, part in parts.items() if part.kind in DOCUMENTS}


def _as_rows(dropped: Dropped) -> Sequence[SnapshotRow]:
    return [SnapshotRow(0, id, 0, None, 0, "", "", manifest, 0) for id, manifest in dropped]


def _exhaust(found: Iterator[bytes]) -> None:
    for _ in found:
        pass
