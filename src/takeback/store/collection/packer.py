"""Writing packs of blobs that the store has already, on their way from hot rows or from packs that shall go."""

from __future__ import annotations

from blake3 import blake3

from takeback.errors import Integrity, Locked, TakebackError
from takeback.model.ids import BlobKind
from takeback.store.batch import PACK_ENTRIES, PACK_SEALED, STRUCTURE_FRAME
from takeback.store.blobstore import BlobStore
from takeback.store.catalogue import blobs
from takeback.store.catalogue.collecting import Copy
from takeback.store.catalogue.database import Transaction
from takeback.store.leases import Lease
from takeback.store.packs.frames import FRAME_SIZE, Frame, FrameBuilder, Stored
from takeback.store.packs.pack import PackEntry, new_pack_id, object_name
from takeback.store.packs.packing import PackWriter
from takeback.store.packs.recipe import decode_recipe


def checked(raw: bytes, entry: PackEntry) -> Stored:
    """A blob out of its opened frame; Integrity if it is not what its id says, so that no damage is copied."""
    data = raw[entry.start : entry.start + entry.length]
    if entry.kind == BlobKind.RECIPE:
        decode_recipe(entry.id, data)
    elif len(data) != entry.length or blake3(data).digest() != entry.id:
        raise Integrity(f"blob {entry.id.hex()[:12]} is damaged", hints=["takeback verify --read-data"])
    return Stored(entry.kind, data)


class Packer:
    """Packs that stay ``pending`` until they are published. What files hold and what leads to it get frames of
    their own, as in a commit."""

    def __init__(self, store: BlobStore, lease: Lease) -> None:
        self._store = store
        self._lease = lease
        self._data = FrameBuilder()
        self._structure = FrameBuilder()
        self._pack: PackWriter | None = None
        self._finished: list[PackWriter] = []

    def add(self, id: bytes, blob: Stored) -> None:
        data = blob.kind == BlobKind.DATA
        builder, limit = (self._data, FRAME_SIZE) if data else (self._structure, STRUCTURE_FRAME)
        if builder.size and builder.size + len(blob.data) > limit:
            self._write(builder.take())
        builder.add(id, blob)

    def finish(self) -> None:
        """Have every pack durable under its name."""
        self._write(self._structure.take())
        self._write(self._data.take())
        self._end_pack()

    def publish(self, tx: Transaction) -> list[Copy]:
        """Make the packs live, as part of a transaction; gives all that they hold. The catalogue still names the old
        places: `collecting.move` changes that."""
        for pack in self._finished:
            if not blobs.make_live(tx, pack.number, pack.size, pack.frames, ()):
                raise Locked(
                    "a pack of this maintenance was swept away before it was committed. Nothing was lost.",
                    hints=["run the same command again"],
                )
        return [(pack.number, entry) for pack in self._finished for entry in pack.entries]

    def abandon(self) -> None:
        """Remove what was not published."""
        for pack in [*self._finished, *([self._pack] if self._pack else [])]:
            pack.abandon()
            try:
                with self._store.database.write() as tx:
                    if blobs.forget_pending(tx, pack.number):
                        self._store.backend.delete(object_name(pack.name))
            except TakebackError:
                pass  # the next collection finds its pending row

    def _write(self, frame: Frame | None) -> None:
        if frame is None:
            return
        if self._pack is None:
            name = new_pack_id()
            with self._store.database.write() as tx:
                self._lease.check(tx)
                number = blobs.add_pending(tx, name, self._lease.generation)
            self._pack = PackWriter(name, number, self._store.backend, self._store.sealer)
        self._pack.add(frame)
        if self._pack.size >= PACK_SEALED or len(self._pack.entries) >= PACK_ENTRIES:
            self._end_pack()

    def _end_pack(self) -> None:
        if self._pack is not None:
            self._pack.finish()
            self._finished.append(self._pack)
            self._pack = None
