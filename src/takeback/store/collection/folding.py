"""Hot rows become packs: copied first, then the pack is made live, the blobs are pointed to it, and the rows that were
read are deleted, in short transactions. Saves go on adding hot rows meanwhile; those stay for the next time."""

from __future__ import annotations

from takeback.errors import Integrity
from takeback.model.progress import Watch
from takeback.store.blobstore import BlobStore
from takeback.store.catalogue import blobs, collecting
from takeback.store.catalogue.blobs import HOT_PACK
from takeback.store.collection.packer import Packer, checked
from takeback.store.collection.steps import paced
from takeback.store.packs.frames import Stored
from takeback.store.packs.sealing import HOT


def fold(store: BlobStore, watch: Watch) -> int:
    """How many hot frames were moved. One that is damaged stays where it is, for `verify` to name."""
    lease = store.leases.acquire()
    packer = Packer(store, lease)
    try:
        with store.database.read() as tx:
            frames = collecting.hot_frames(tx)
        folded: list[int] = []
        for done, frame in enumerate(frames):
            watch.tick("fold", done, len(frames))
            try:
                held = _read(store, frame)
            except Integrity:
                continue
            folded.append(frame)
            for id, blob in held:
                packer.add(id, blob)
        if not folded:
            return 0
        packer.finish()
        with store.database.write() as tx:
            lease.check(tx)
            copies = packer.publish(tx)
        for some in paced(copies):
            with store.database.write() as tx:
                collecting.move(tx, some, [HOT_PACK])
        for empty in paced(folded):
            with store.database.write() as tx:
                collecting.drop_empty_hot(tx, empty)
        return len(folded)
    except BaseException:
        packer.abandon()
        raise
    finally:
        lease.release()


def _read(store: BlobStore, frame: int) -> list[tuple[bytes, Stored]]:
    with store.database.read() as tx:
        row = blobs.hot_frame(tx, frame)
        entries = collecting.hot_entries(tx, frame)
    if row is None or not entries:
        return []  # every blob of it was stored elsewhere first
    raw = store.sealer.open(row[0], row[1], HOT)
    return [(entry.id, checked(raw, entry)) for entry in entries]
