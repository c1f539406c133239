"""Checking a store: that everything the catalogue lists is there, and, when asked, that every byte is what it was.

This is about blobs; whether snapshots refer only to blobs that exist is the engine's question.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from blake3 import blake3

from takeback.errors import Integrity, NotFound
from takeback.model.ids import BlobKind
from takeback.model.progress import Watch
from takeback.store.blobstore import BlobStore
from takeback.store.catalogue import blobs
from takeback.store.catalogue.blobs import HOT_PACK, PackRow
from takeback.store.catalogue.consistency import inconsistencies
from takeback.store.packs.frames import read_frame
from takeback.store.packs.pack import Contents, PackEntry, is_name, object_name, read_contents
from takeback.store.packs.recipe import decode_recipe
from takeback.store.packs.sealing import HOT

_PHASE = "check"


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong, and which blobs cannot be relied upon because of it."""

    kind: str
    """``damaged catalogue``, ``missing pack``, ``damaged pack``, ``unknown pack``, ``disagreement``, ``damaged frame``,
    ``damaged blob``, ``missing chunk`` or ``lost blob``."""
    what: str
    detail: str
    pack: str | None = None
    blobs: tuple[bytes, ...] = ()


def verify(store: BlobStore, read_data: bool, watch: Watch) -> Iterator[Problem]:
    """Everything that is wrong with the packs, the hot rows and the catalogue's account of them."""
    lease = store.leases.acquire()
    try:
        yield from _check_catalogue(store, read_data)
        yield from _unknown_packs(store)
        yield from _lost_blobs(store)
        with store.database.read() as tx:
            rows = [row for row in blobs.packs(tx) if row.state != "pending"]
        for done, row in enumerate(rows):
            watch.tick(_PHASE, done, len(rows))
            for problem in _check_pack(store, row, read_data, watch):
                # A pack that was condemned before our lease may be removed meanwhile: no problem any more.
                if _listed(store, row.id):
                    yield problem
        yield from _check_hot(store, read_data, watch)
        if read_data:
            yield from _check_recipes(store, watch)
    finally:
        lease.release()


def _check_catalogue(store: BlobStore, read_data: bool) -> Iterator[Problem]:
    """What the database says of itself, and whether its rows fit together."""
    for damage in store.database.damage(thorough=read_data):
        yield Problem("damaged catalogue", "the catalogue", damage)
    with store.database.read() as tx:
        for what, how in inconsistencies(tx):
            yield Problem("disagreement", f"the catalogue: {what}", how)


def _unknown_packs(store: BlobStore) -> Iterator[Problem]:
    """A pack's row comes before its file and goes after it: a file without one tells of rows that were lost."""
    seen = list(store.backend.list("packs/"))
    with store.database.read() as tx:
        known = {object_name(row.name) for row in blobs.packs(tx) if is_name(row.name)}
    for name in sorted(set(seen) - known):
        try:
            store.backend.size(name)
        except NotFound:
            continue  # it was removed meanwhile, and its row after it
        yield Problem("unknown pack", name, "the catalogue does not know of it", name.rpartition("/")[2])


def _lost_blobs(store: BlobStore) -> Iterator[Problem]:
    """Blobs whose pack or frame the catalogue does not know."""
    with store.database.read() as tx:
        lost = blobs.lost(tx)
    if lost:
        yield Problem(
            "lost blob",
            f"{len(lost)} blobs",
            "the catalogue says where they lie, but no pack or hot frame is listed there",
            blobs=tuple(lost),
        )


def _check_pack(store: BlobStore, row: PackRow, read_data: bool, watch: Watch) -> Iterator[Problem]:
    what = f"pack {row.name}"
    with store.database.read() as tx:
        listed = Contents(blobs.frames_of(tx, row.id), blobs.entries_of(tx, row.id))
    everything = tuple(entry.id for entry in listed.entries)
    if not is_name(row.name):
        detail = "the catalogue gives it a name that no pack can have"
        yield Problem("missing pack", f"pack {row.name[:40]!r}", detail, row.name, everything)
        return
    name = object_name(row.name)
    try:
        size = store.backend.size(name)
    except NotFound:
        yield Problem("missing pack", what, "it is gone from the store", row.name, everything)
        return
    if size != row.size:
        detail = f"it has {size} bytes instead of {row.size}"
        yield Problem("damaged pack", what, detail, row.name, () if read_data else everything)
    found: Contents | None = None
    try:
        found = read_contents(row.name, size, lambda at, length: store.backend.range(name, at, length), store.sealer)
    except (Integrity, NotFound) as error:  # not found: it went just now, which the caller sees
        yield Problem("damaged pack", what, error.message, row.name)
    else:
        yield from _compare(row, listed, found)
    if read_data:
        yield from _check_frames(store, row, listed, found, watch)


def _compare(row: PackRow, listed: Contents, found: Contents) -> Iterator[Problem]:
    """The trailer may hold more than the catalogue (another writer stored a blob first), never less or elsewhere."""
    if listed.frames != found.frames:
        yield Problem(
            "disagreement", f"pack {row.name}", "the catalogue lists other frames than the pack itself", row.name
        )
    missing = tuple(entry.id for entry in set(listed.entries) - set(found.entries))
    if missing:
        detail = f"the catalogue lists {len(missing)} blobs that the pack does not list, or elsewhere"
        yield Problem("disagreement", f"pack {row.name}", detail, row.name, missing)


def _check_frames(
    store: BlobStore, row: PackRow, listed: Contents, found: Contents | None, watch: Watch
) -> Iterator[Problem]:
    entries = _by_frame({*listed.entries, *(found.entries if found else ())})
    for number, span in enumerate(listed.frames):
        watch.tick(_PHASE, number, len(listed.frames), row.size)
        what = f"frame {number} of pack {row.name}"
        inside = entries.get(number, [])
        try:
            raw = read_frame(store.backend, store.sealer, row.name, number, span)
        except Integrity as error:
            blobs_inside = tuple(entry.id for entry in inside)
            yield Problem("damaged frame", what, error.message, row.name, blobs_inside)
        else:
            yield from _check_blobs(raw, inside, what, row.name)


def _check_blobs(raw: bytes, entries: list[PackEntry], what: str, pack: str | None) -> Iterator[Problem]:
    damaged = [entry.id for entry in entries if not _intact(raw, entry)]
    if damaged:
        detail = f"{len(damaged)} of its {len(entries)} blobs do not have the bytes that were stored"
        yield Problem("damaged blob", what, detail, pack, tuple(damaged))


def _intact(raw: bytes, entry: PackEntry) -> bool:
    data = raw[entry.start : entry.start + entry.length]
    if entry.kind == BlobKind.RECIPE:
        try:
            decode_recipe(entry.id, data)
        except Integrity:
            return False
        return True
    return len(data) == entry.length and blake3(data).digest() == entry.id


def _check_hot(store: BlobStore, read_data: bool, watch: Watch) -> Iterator[Problem]:
    if not read_data:
        return  # that every hot blob has its frame is part of `_lost_blobs`
    with store.database.read() as tx:
        frames = _by_frame(blobs.entries_of(tx, HOT_PACK))
    for done, (number, entries) in enumerate(sorted(frames.items())):
        watch.tick(_PHASE, done, len(frames))
        with store.database.read() as tx:
            row = blobs.hot_frame(tx, number)
        if row is None:
            continue  # lost, which `_lost_blobs` has said, or folded into a pack since
        what = f"hot frame {number}"
        try:
            raw = store.sealer.open(row[0], row[1], HOT)
        except Integrity as error:
            yield Problem("damaged frame", what, error.message, None, tuple(entry.id for entry in entries))
        else:
            yield from _check_blobs(raw, entries, what, None)


def _check_recipes(store: BlobStore, watch: Watch) -> Iterator[Problem]:
    """That the chunks of every large blob are stored, and as long as its recipe says."""
    with store.database.read() as tx:
        recipes = blobs.of_kind(tx, BlobKind.RECIPE)
    with store.reader() as reader:
        for done, id in enumerate(recipes):
            watch.tick(_PHASE, done, len(recipes))
            try:
                chunks = reader.recipe(id).chunks
            except Integrity:
                continue  # reported with its frame
            with store.database.read() as tx:
                lengths = {at.id: at.length for at in blobs.locate_all(tx, (chunk.id for chunk in chunks))}
            missing = sum(1 for chunk in chunks if lengths.get(chunk.id) != chunk.length)
            if missing:
                detail = f"{missing} of its {len(chunks)} chunks are not in the store"
                yield Problem("missing chunk", f"blob {id.hex()[:12]}", detail, None, (id,))


def _by_frame(entries: set[PackEntry] | list[PackEntry]) -> Mapping[int, list[PackEntry]]:
    frames: dict[int, list[PackEntry]] = {}
    for entry in entries:
        frames.setdefault(entry.frame, []).append(entry)
    return frames


def _listed(store: BlobStore, pack: int) -> bool:
    """Whether a pack still counts; one that is being removed is pending again."""
    with store.database.read() as tx:
        return bool(tx.execute("SELECT 1 FROM packs WHERE id = ? AND state <> 'pending'", (pack,)))
