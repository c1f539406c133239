"""Writing blobs: put as many as you like, then commit them together with whatever refers to them.

Until the commit nothing is visible to anybody else; without one, nothing stays. What adds little goes into the
catalogue as hot rows, in the commit's own transaction; what adds more goes into packs in the background.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import TYPE_CHECKING, TypeVar

from blake3 import blake3

from takeback.errors import InvalidInput, Locked, TakebackError
from takeback.model.ids import BlobKind
from takeback.store.backend import Backend
from takeback.store.catalogue import blobs
from takeback.store.catalogue.database import Database, Transaction
from takeback.store.chunking import LARGE, Chunker
from takeback.store.derived import Derived, DerivedDraft
from takeback.store.frames import FRAME_SIZE, Frame, FrameBuilder, seal_verified
from takeback.store.leases import Lease
from takeback.store.pack import new_pack_id, object_name
from takeback.store.reader import Reader, Stored, read_frame
from takeback.store.recipe import Chunk, encode_recipe
from takeback.store.sealing import HOT, RAW_LIMIT, Sealer

if TYPE_CHECKING:
    from takeback.store.packing import PackWriter

T = TypeVar("T")

HOT_SEALED = 256 << 10
HOT_RAW = 8 << 20
PACK_SEALED = 64 << 20
PACK_ENTRIES = 400_000
_STAGED_BLOBS = 2048


class Writer:
    """Adds blobs under a lease; safe to use from several threads. As a context manager it abandons, when it ends,
    whatever was not committed."""

    def __init__(
        self,
        database: Database,
        backend: Backend,
        sealer: Sealer,
        lease: Lease,
        chunker: Chunker,
        derived: Derived,
        identity: tuple[int, int] | None,
    ) -> None:
        self.derived = DerivedDraft(derived)  # kept when there is a commit
        self.identity = identity
        self.scope = ""  # whose derived files are used, where several could share a key
        self.added = 0
        self.reader = Reader(database, backend, sealer, None, self._uncommitted)
        self._database = database
        self._backend = backend
        self._sealer = sealer
        self._lease = lease
        self._chunker = chunker
        self._lock = threading.RLock()
        self._process = os.getpid()
        self._refusal = ""  # why nothing can be put at present
        with database.read() as tx:
            self._condemned = blobs.condemned(tx)
            self._new_store = not blobs.any_blob(tx)
        self._begin()

    def _begin(self) -> None:
        self._staged: dict[bytes, tuple[int, bytes]] = {}  # put, but not yet looked up in the catalogue
        self._staged_size = 0
        self._builder = FrameBuilder()
        self._building: dict[bytes, tuple[int, bytes]] = {}  # in the builder
        self._framed: dict[bytes, tuple[Frame, int, PackWriter | None]] = {}  # in a frame of `_held` or of a pack
        self._held: list[Frame] = []  # complete frames that may still become hot rows
        self._held_sealed: list[bytes] = []
        self._pack: PackWriter | None = None
        self._packs: list[PackWriter] = []  # finished, not committed

    def __enter__(self) -> Writer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # -- putting

    def put(self, data: bytes, kind: BlobKind) -> bytes:
        """Add a blob and return its id. Equal bytes are one blob."""
        if kind is BlobKind.RECIPE:
            raise InvalidInput("recipes are made by the store itself: put the bytes that they stand for")
        if len(data) > (LARGE if kind is BlobKind.DATA else RAW_LIMIT):
            return self._put_chunks(_reading(data), kind)[0]
        data = bytes(data)  # nothing is copied unless somebody could still change it
        id = blake3(data).digest()
        with self._lock:
            self._stage(id, kind, data)
        return id

    def put_stream(self, read: Callable[[int], bytes]) -> tuple[bytes, int]:
        """Add what ``read(n)`` gives until it gives nothing; returns the id of the whole and its size."""
        start = bytearray()
        while len(start) <= LARGE:
            piece = read(LARGE + 1 - len(start))
            if not piece:
                return self.put(bytes(start), BlobKind.DATA), len(start)
            start += piece
        return self._put_chunks(_reading(bytes(start), read), BlobKind.DATA)

    def _put_chunks(self, read: Callable[[int], bytes], kind: BlobKind) -> tuple[bytes, int]:
        whole, chunks, size = blake3(), [], 0
        for data in self._chunker.cut(read):
            whole.update(data)
            size += len(data)
            chunks.append(Chunk(self.put(data, BlobKind.DATA), len(data)))
        id = whole.digest()
        with self._lock:
            self._stage(id, BlobKind.RECIPE, encode_recipe(id, kind, chunks))
        return id, size

    def __contains__(self, id: object) -> bool:
        return isinstance(id, bytes) and bool(self.known([id]))

    def known(self, ids: Iterable[bytes]) -> set[bytes]:
        """Those of the ids that need not be put: committed and not condemned, or put by this writer."""
        wanted = set(ids)
        with self._lock:
            pending = {id for id in wanted if id in self._staged or id in self._building or id in self._framed}
        with self._database.read() as tx:
            return pending | blobs.known(tx, wanted - pending, self._condemned)

    def _stage(self, id: bytes, kind: int, data: bytes) -> None:
        if self._refusal:
            raise InvalidInput(self._refusal)
        if id in self._staged or id in self._framed or id in self._building:
            return
        self._staged[id] = (kind, data)
        self._staged_size += len(data)
        if self._staged_size >= FRAME_SIZE or len(self._staged) >= _STAGED_BLOBS:
            self._settle()

    def _settle(self) -> None:
        """Look up all that is staged at once, and keep what the store does not have."""
        known: set[bytes] = set()
        if not self._new_store:
            with self._database.read() as tx:
                known = blobs.known(tx, self._staged, self._condemned)
        staged, self._staged, self._staged_size = self._staged, {}, 0
        for id, (kind, data) in staged.items():
            if id in known:
                continue
            if self._builder.size and self._builder.size + len(data) > FRAME_SIZE:
                self._close_frame()
            self._builder.add(id, kind, data)
            self._building[id] = (kind, data)

    def _close_frame(self) -> None:
        frame = self._builder.take()
        if frame is None:
            return
        self._building.clear()
        if self._pack is None:
            self._hold(frame)
        else:
            self._add_to_pack(frame)

    def _hold(self, frame: Frame) -> None:
        """Keep a frame for the hot rows while all of them together are small."""
        self._held.append(frame)
        self._held_sealed.append(seal_verified(frame, HOT, self._sealer))
        self._index(frame, None)
        if (
            sum(map(len, self._held_sealed)) > HOT_SEALED
            or sum(held.raw_length for held in self._held) > HOT_RAW
            or self._packs
        ):
            held, self._held, self._held_sealed = self._held, [], []
            for frame in held:
                self._add_to_pack(frame)

    def _add_to_pack(self, frame: Frame) -> None:
        if self._pack is None:
            self._pack = self._open_pack()
        self._pack.add(frame)
        self._index(frame, self._pack)
        if self._pack.size >= PACK_SEALED or len(self._pack.entries) >= PACK_ENTRIES:
            self._finish_pack()

    def _index(self, frame: Frame, pack: PackWriter | None) -> None:
        for position, entry in enumerate(frame.entries):
            self._framed[entry.id] = (frame, position, pack)

    def _open_pack(self) -> PackWriter:
        from takeback.store.packing import PackWriter  # most commits are small and need no threads

        name = new_pack_id()
        with self._database.write() as tx:
            self._lease.check(tx)
            number = blobs.add_pending(tx, name, self._lease.generation)
        return PackWriter(name, number, self._backend, self._sealer)

    def _finish_pack(self) -> None:
        if self._pack is not None:
            pack = self._pack
            pack.finish()
            self._packs.append(pack)
            self._pack = None

    # -- reading what is not committed

    def _uncommitted(self, id: bytes) -> Stored | None:
        with self._lock:
            if (waiting := self._staged.get(id) or self._building.get(id)) is not None:
                return Stored(*waiting)
            if (framed := self._framed.get(id)) is None:
                return None
            frame, position, pack = framed
            entry = frame.entries[position]
            raw = frame.raw
            if raw is None:
                raw = self._written(frame, pack)
            return Stored(entry.kind, raw[entry.start : entry.start + entry.length])

    def _written(self, frame: Frame, pack: PackWriter | None) -> bytes:
        """A frame that is in a pack already: the pack is ended here, so that it can be read."""
        assert pack is not None
        if pack is self._pack:
            self._finish_pack()
        return read_frame(self._backend, self._sealer, pack.name, frame.number, pack.frames[frame.number])

    # -- ending

    def commit(self, record: Callable[[Transaction], T]) -> T:
        """Make everything that was put durable and known, together with what ``record`` writes: all or nothing.

        The writer can go on to another commit. If ``record`` raises, nothing is recorded, what was put stays put, and
        the commit can be tried again.
        """
        with self._lock:
            if self._refusal:
                raise InvalidInput(self._refusal)
            self._settle()
            self._close_frame()
            self._finish_pack()
            with self._database.write() as tx:
                self._lease.check(tx)
                added = self._publish(tx)
                self._refusal = "what a commit records must be put before the commit"
                try:
                    result = record(tx)
                finally:
                    self._refusal = ""
            self.derived.keep()
            self.added += added
            self._new_store = self._new_store and not added
            self._begin()
            return result

    def _publish(self, tx: Transaction) -> int:
        added = 0
        for pack in self._packs:
            if not blobs.make_live(tx, pack.number, pack.size, pack.frames, pack.entries):
                raise Locked(
                    "a pack of this operation was swept away before it was committed", hints=["run the command again"]
                )
            added += pack.size
        for frame, sealed in zip(self._held, self._held_sealed, strict=True):
            blobs.add_hot(tx, sealed, frame.raw_length, frame.entries)
            added += len(sealed)
        return added

    def close(self) -> None:
        """Abandon what was not committed, and give the lease back. In a forked child nothing happens."""
        if os.getpid() != self._process:
            return
        with self._lock:
            self._refusal = "the writer has been closed"
            packs = [*self._packs, *([self._pack] if self._pack else [])]
            self._begin()
            try:
                for pack in packs:
                    self._abandon(pack)
            finally:
                self._lease.release()

    def _abandon(self, pack: PackWriter) -> None:
        """Remove a pack, but only while the catalogue calls it pending: whoever is interrupted just after a commit
        must not take away what that made live."""
        pack.abandon()
        try:
            with self._database.write() as tx:
                if blobs.forget_pending(tx, pack.number):
                    self._backend.delete(object_name(pack.name))
        except TakebackError:
            pass  # a pending pack that nobody commits is removed by the next collection


def _reading(start: bytes, then: Callable[[int], bytes] | None = None) -> Callable[[int], bytes]:
    """A read function that gives ``start`` first."""
    view = memoryview(start)

    def read(count: int) -> bytes:
        nonlocal view
        if not view:
            return then(count) if then else b""
        piece, view = bytes(view[:count]), view[count:]
        return piece

    return read
