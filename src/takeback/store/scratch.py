"""A writer that can never commit, for planning: what it is given stays in memory, so the store need not be writable."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import TracebackType
from typing import TypeVar

from takeback.errors import InvalidInput
from takeback.store.backend import Backend
from takeback.store.backends.memory import MemoryBackend
from takeback.store.batch import Batch
from takeback.store.catalogue.database import Database, Transaction
from takeback.store.catalogue.sqlite import SqliteDatabase
from takeback.store.derived import Derived
from takeback.store.leases import Lease
from takeback.store.packs.chunking import Chunker
from takeback.store.packs.sealing import Sealer
from takeback.store.writer import Writer

T = TypeVar("T")


class ScratchWriter(Writer):
    """Reads what the store has, and what it was given itself; nobody else ever sees that."""

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
        super().__init__(database, backend, sealer, lease, chunker, derived, identity)
        self._aside = SqliteDatabase(None)
        self._aside.create()
        self._new_batch = partial(Batch, self._aside, MemoryBackend(), sealer, lease)
        self._batch = self._new_batch()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        super().__exit__(kind, error, trace)
        self._aside.close()

    def commit(self, record: Callable[[Transaction], T]) -> T:
        raise InvalidInput("a scratch writer is for planning: it cannot commit")
