"""Writing blobs: put as many as you like, then commit them together with whatever refers to them.

Until the commit nothing is visible to anybody else; without one, nothing stays.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import chain
from types import TracebackType
from typing import TypeVar

from blake3 import blake3

from takeback.errors import InvalidInput, TakebackError
from takeback.model.ids import BlobKind
from takeback.model.tree import MAGIC
from takeback.store.backend import Backend
from takeback.store.batch import Batch
from takeback.store.catalogue import blobs
from takeback.store.catalogue.database import Database, Transaction
from takeback.store.derived import Derived, DerivedDraft
from takeback.store.leases import Lease
from takeback.store.packs.chunking import LARGE, LARGE_TREE, Chunker
from takeback.store.packs.frames import FRAME_SIZE, Stored
from takeback.store.packs.recipe import Chunk, encode_recipe
from takeback.store.packs.sealing import RAW_LIMIT, Sealer
from takeback.store.reader import Reader

T = TypeVar("T")

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
        self.store_id = ""  # for what is kept elsewhere, on behalf of a store
        self.added = 0
        """Sealed bytes that the commits of this writer added."""
        self.reader = Reader(database, backend, sealer, None, self._uncommitted)
        """Reads what is stored, and what this writer has put."""
        self._database = database
        self._lease = lease
        self._chunker = chunker
        self._new_batch = partial(Batch, database, backend, sealer, lease)
        self._batch = self._new_batch()
        self._staged: dict[bytes, Stored] = {}  # put, but not yet looked up in the catalogue
        self._staged_size = 0
        self._lock = threading.RLock()
        self._process = os.getpid()
        self._refusal: TakebackError | None = None  # why nothing can be put at present
        with database.read() as tx:
            self._condemned = blobs.condemned(tx)
            self._new_store = not blobs.any_blob(tx)

    def __enter__(self) -> Writer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def put(self, data: bytes, kind: BlobKind) -> bytes:
        """Add a blob and return its id. Equal bytes are one blob."""
        if kind is BlobKind.RECIPE:
            raise InvalidInput("recipes are made by the store itself: put the bytes that they stand for")
        if len(data) > _longest_whole(data, kind):
            return self._put_chunks(_reading([data]), kind)[0]
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
        rest = iter(lambda: read(LARGE), b"")
        return self._put_chunks(_reading(chain([bytes(start)], rest)), BlobKind.DATA)

    def put_pieces(self, pieces: Iterable[bytes]) -> tuple[bytes, int]:
        """Add what the pieces are together, which may be larger than memory; the id of the whole and its size."""
        return self.put_stream(_reading(pieces))

    def __contains__(self, id: object) -> bool:
        return isinstance(id, bytes) and bool(self.known([id]))

    def known(self, ids: Iterable[bytes]) -> set[bytes]:
        """Those of the ids that need not be put: committed and not condemned, or put by this writer."""
        wanted = set(ids)
        with self._lock:
            pending = {id for id in wanted if id in self._staged or id in self._batch}
        with self._database.read() as tx:
            return pending | blobs.known(tx, wanted - pending, self._condemned)

    def commit(self, record: Callable[[Transaction], T]) -> T:
        """Make everything that was put durable and known, together with what ``record`` writes: all or nothing.

        The writer can go on to another commit. If ``record`` raises, nothing is recorded, what was put stays put, and
        the commit can be tried again.
        """
        with self._lock:
            if self._refusal is not None:
                raise self._refusal
            self._settle()
            with self._all_or_nothing():
                self._batch.finish()
            with self._database.write() as tx:
                self._lease.check(tx)
                added = self._batch.publish(tx)
                self._refusal = InvalidInput("what a commit records must be put before the commit")
                try:
                    result = record(tx)
                finally:
                    self._refusal = None
            self._batch = self._new_batch()
            self.added += added
            self._new_store = self._new_store and not added
            self.derived.keep()
            return result

    def close(self) -> None:
        """Abandon what was not committed, and give the lease back. In a forked child nothing happens."""
        if os.getpid() != self._process:
            return
        with self._lock:
            self._refusal = InvalidInput("the writer has been closed", hints=["use it inside its `with` block"])
            self._staged = {}
            batch, self._batch = self._batch, self._new_batch()
            try:
                batch.abandon()
            finally:
                self._lease.release()

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

    def _stage(self, id: bytes, kind: int, data: bytes) -> None:
        """Looking up one blob at a time would cost more than storing it, so they wait for each other."""
        if self._refusal is not None:
            raise self._refusal
        if id in self._staged or id in self._batch:
            return
        self._staged[id] = Stored(kind, data)
        self._staged_size += len(data)
        if self._staged_size >= FRAME_SIZE or len(self._staged) >= _STAGED_BLOBS:
            self._settle()

    def _settle(self) -> None:
        """Look up all that is staged, and keep what the store does not have."""
        known: set[bytes] = set()
        if not self._new_store:
            with self._database.read() as tx:
                known = blobs.known(tx, self._staged, self._condemned)
        staged, self._staged, self._staged_size = self._staged, {}, 0
        with self._all_or_nothing():
            for id, blob in staged.items():
                if id not in known:
                    self._batch.add(id, blob)

    @contextmanager
    def _all_or_nothing(self) -> Iterator[None]:
        """Blobs whose put has returned are on their way here: if that fails, no later commit may go without them."""
        try:
            yield
        except TakebackError as error:
            self._refusal = error
            raise
        except BaseException:
            self._refusal = InvalidInput("an earlier put or commit of this writer was interrupted; begin a new one")
            raise

    def _uncommitted(self, id: bytes) -> Stored | None:
        with self._lock:
            return self._staged.get(id) or self._batch.get(id)


def _longest_whole(data: bytes, kind: BlobKind) -> int:
    """What is longer is stored in chunks."""
    if kind not in (BlobKind.DATA, BlobKind.TREE):
        return RAW_LIMIT
    return LARGE_TREE if data[: len(MAGIC)] == MAGIC else LARGE


def _reading(pieces: Iterable[bytes]) -> Callable[[int], bytes]:
    """A read function over pieces."""
    others = filter(None, pieces)
    left = memoryview(b"")

    def read(count: int) -> bytes:
        nonlocal left
        if not left:
            left = memoryview(next(others, b""))
        piece, left = bytes(left[:count]), left[count:]
        return piece

    return read
