"""What a writer has put since its last commit, on its way into the store.

Blobs gather into frames: the bytes of files in large ones, what is read to find one's way (trees, manifests, recipes)
in small ones of their own, so that looking at a directory does not open a megabyte of its files. While the frames are
small together they are held in memory, to become hot rows; once they are more, they go into packs, which are written
in the background and stay ``pending`` until the commit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from takeback.errors import Locked, TakebackError
from takeback.model.ids import BlobKind
from takeback.store.backend import Backend
from takeback.store.catalogue import blobs
from takeback.store.catalogue.database import Database, Transaction
from takeback.store.leases import Lease
from takeback.store.packs.frames import FRAME_SIZE, Frame, FrameBuilder, Stored, read_frame
from takeback.store.packs.pack import new_pack_id, object_name
from takeback.store.packs.sealing import HOT, Sealer

if TYPE_CHECKING:
    from takeback.store.packs.packing import PackWriter

HOT_SEALED = 256 << 10
HOT_RAW = 8 << 20
STRUCTURE_FRAME = 128 << 10
PACK_SEALED = 64 << 20
PACK_ENTRIES = 400_000


class Batch:
    """The blobs of one commit. Not for several threads at once."""

    def __init__(self, database: Database, backend: Backend, sealer: Sealer, lease: Lease) -> None:
        self._database = database
        self._backend = backend
        self._sealer = sealer
        self._lease = lease
        self._data = FrameBuilder()
        self._structure = FrameBuilder()
        self._framed: dict[bytes, tuple[Frame, PackWriter | None]] = {}  # in a frame, held or in a pack
        self._held: list[tuple[Frame, bytes]] = []  # frames with their sealed bytes
        self._held_raw = self._held_sealed = 0
        self._pack: PackWriter | None = None
        self._ended: list[PackWriter] = []

    def __contains__(self, id: bytes) -> bool:
        return id in self._framed or id in self._data.blobs or id in self._structure.blobs

    def add(self, id: bytes, blob: Stored) -> None:
        """Take a blob that neither the store nor this batch has."""
        data = blob.kind == BlobKind.DATA
        builder, limit = (self._data, FRAME_SIZE) if data else (self._structure, STRUCTURE_FRAME)
        if builder.size and builder.size + len(blob.data) > limit:
            self._close(builder)
        builder.add(id, blob)

    def get(self, id: bytes) -> Stored | None:
        """A blob of this batch. If its pack is being written, that pack is ended here, so that it can be read."""
        if id not in self._framed:
            return self._data.blobs.get(id) or self._structure.blobs.get(id)
        frame, pack = self._framed[id]
        entry, raw = frame.entry(id), frame.raw
        if raw is None:
            assert pack is not None, "only a pack lets go of the raw bytes"
            if pack is self._pack:
                self._end_pack()
            pack.finish()
            raw = read_frame(self._backend, self._sealer, pack.name, frame.number, pack.frames[frame.number])
        return Stored(entry.kind, raw[entry.start : entry.start + entry.length])

    def finish(self) -> None:
        """Have every pack durable under its name; what is held waits for `publish`."""
        if not self._framed and self._data.size + self._structure.size <= STRUCTURE_FRAME:
            self._data.join(self._structure)
        self._close(self._structure)
        self._close(self._data)
        self._end_pack()
        for pack in self._ended:
            pack.finish()

    def publish(self, tx: Transaction) -> int:
        """Make all of it known, as part of a transaction; returns the sealed bytes that this adds."""
        added = 0
        for pack in self._ended:
            if not blobs.make_live(tx, pack.number, pack.size, pack.frames, pack.entries):
                raise Locked(
                    "a pack of this operation was swept away before it was committed. Nothing was recorded.",
                    hints=["run the same command again"],
                )
            added += pack.size
        for frame, sealed in self._held:
            blobs.add_hot(tx, sealed, frame.raw_length, frame.entries(0))
            added += len(sealed)
        return added

    def abandon(self) -> None:
        """Remove the packs, but only those that the catalogue calls pending: whoever is interrupted just after a
        commit must not take away what that made live."""
        for pack in [*self._ended, *([self._pack] if self._pack else [])]:
            pack.abandon()
            try:
                with self._database.write() as tx:
                    if blobs.forget_pending(tx, pack.number):
                        self._backend.delete(object_name(pack.name))
            except TakebackError:
                pass  # a pending pack that nobody commits is removed by the next collection

    def _close(self, builder: FrameBuilder) -> None:
        frame = builder.take(keep=builder is self._structure)
        if frame is None:
            return
        if self._pack is None and not self._ended:
            self._hold(frame)
        else:
            self._add_to_pack(frame)

    def _hold(self, frame: Frame) -> None:
        sealed = frame.seal(HOT, self._sealer)
        self._held.append((frame, sealed))
        self._index(frame, None)
        self._held_raw += frame.raw_length
        self._held_sealed += len(sealed)
        if self._held_sealed > HOT_SEALED or self._held_raw > HOT_RAW:
            held, self._held = self._held, []
            for frame, _ in held:
                self._add_to_pack(frame)

    def _add_to_pack(self, frame: Frame) -> None:
        if self._pack is None:
            self._pack = self._open_pack()
        self._pack.add(frame)
        self._index(frame, self._pack)
        if self._pack.size >= PACK_SEALED or len(self._pack.entries) >= PACK_ENTRIES:
            self._end_pack()

    def _index(self, frame: Frame, pack: PackWriter | None) -> None:
        self._framed.update(dict.fromkeys(frame.ids, (frame, pack)))

    def _open_pack(self) -> PackWriter:
        from takeback.store.packs.packing import PackWriter  # most commits are small and need no threads

        name = new_pack_id()
        with self._database.write() as tx:
            self._lease.check(tx)
            number = blobs.add_pending(tx, name, self._lease.generation)
        return PackWriter(name, number, self._backend, self._sealer)

    def _end_pack(self) -> None:
        """Let a pack become durable while the next one is filled."""
        if self._pack is not None:
            self._pack.close()
            self._ended.append(self._pack)
            self._pack = None
