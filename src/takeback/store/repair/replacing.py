"""Damaged packs are replaced: what is intact in them is copied into new packs, and the old file goes aside.

In the candidate the old pack is then a pending one, so if the repair is killed before it goes, a maintenance removes it;
it has its second name in ``aside/`` by then.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from takeback.model.ids import BlobKind
from takeback.model.progress import Watch
from takeback.store.backends.local import LocalBackend
from takeback.store.blobstore import BlobStore
from takeback.store.catalogue import blobs, collecting
from takeback.store.collection.packer import Packer, checked
from takeback.store.packs.frames import read_frame
from takeback.store.packs.pack import PackEntry, object_name
from takeback.store.packs.sealing import HOT, Sealer
from takeback.store.repair.aside import Aside
from takeback.store.repair.survey import FoundPack, pack_names, survey


def replace(store: BlobStore, packs: Sequence[FoundPack], aside: Aside) -> None:
    """Write what is intact in damaged packs anew, and keep those packs aside."""
    if not packs:
        return
    numbers = _numbers(store)
    for pack in packs:
        aside.keep(object_name(pack.name))
    lease = store.leases.acquire()
    packer = Packer(store, lease)
    try:
        for pack in packs:
            _copy(store, numbers[pack.name], pack, packer)
        packer.finish()
        with store.database.write() as tx:
            old = [numbers[pack.name] for pack in packs]
            collecting.condemn(tx, old)
            collecting.move(tx, packer.publish(tx), old)
            for pack in packs:
                collecting.forget(tx, numbers[pack.name])
    except BaseException:
        packer.abandon()
        raise
    finally:
        lease.release()


def _copy(store: BlobStore, number: int, pack: FoundPack, packer: Packer) -> None:
    with store.database.read() as tx:
        spans, entries = blobs.frames_of(tx, number), blobs.entries_of(tx, number)
    frames: dict[int, list[PackEntry]] = {}
    for entry in entries:
        frames.setdefault(entry.frame, []).append(entry)
    for frame, inside in sorted(frames.items()):
        raw = read_frame(store.backend, store.sealer, pack.name, frame, spans[frame])
        for entry in inside:
            packer.add(entry.id, checked(raw, entry))


def remove(store: BlobStore, packs: Iterable[FoundPack]) -> None:
    """Remove the files of packs that were replaced, and their rows."""
    for pack in packs:
        store.backend.delete(object_name(pack.name))
        with store.database.write() as tx:
            number = _numbers(store).get(pack.name)
            if number is not None:
                blobs.forget_pending(tx, number)


def _numbers(store: BlobStore) -> dict[str, int]:
    with store.database.read() as tx:
        return {row.name: row.id for row in blobs.packs(tx)}


def forget_torn(store: BlobStore) -> set[bytes]:
    """Forget large blobs that lack chunks; returns them. A save that meets one of them again would keep the recipe, and
    it may cut the file in other places."""
    torn: set[bytes] = set()
    with store.reader() as reader, store.database.write() as tx:
        for id in blobs.of_kind(tx, BlobKind.RECIPE):
            chunks = {chunk.id for chunk in reader.recipe(id).chunks}
            if blobs.known(tx, chunks, frozenset()) != chunks:
                torn.add(id)
        tx.executemany("DELETE FROM blobs WHERE id = ?", ((id,) for id in torn))
    return torn


def bring_back(store: BlobStore, lost: set[bytes], places: Iterable[str], watch: Watch) -> set[bytes]:
    """Look for lost blobs in what earlier repairs have put aside; those that were found are hot rows then."""
    found: set[bytes] = set()
    sealer = Sealer()
    for place in places:
        if not lost - found:
            break
        backend = LocalBackend(place)
        for pack in survey(backend, sealer, pack_names(place), {}, watch):
            frames = {entry.frame for entry in pack.contents.entries if entry.id in lost - found}
            for frame in sorted(frames):
                found |= _keep_hot(store, backend, sealer, pack, frame, lost - found)
    return found


def _keep_hot(
    store: BlobStore, backend: LocalBackend, sealer: Sealer, pack: FoundPack, frame: int, wanted: set[bytes]
) -> set[bytes]:
    raw = read_frame(backend, sealer, pack.name, frame, pack.contents.frames[frame])
    entries = [entry for entry in pack.contents.entries if entry.frame == frame and entry.id in wanted]
    with store.database.write() as tx:
        blobs.add_hot(tx, sealer.seal(raw, HOT), len(raw), entries)
    return {entry.id for entry in entries}
