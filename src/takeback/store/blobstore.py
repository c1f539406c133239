"""A store as the engine sees it: open one, then write and read blobs and query the catalogue."""

from __future__ import annotations

import os
from types import TracebackType
from typing import TYPE_CHECKING

from blake3 import blake3

from takeback.errors import InvalidInput, NotFound, Unavailable
from takeback.store import creation, header
from takeback.store.backend import Backend
from takeback.store.backends.local import LocalBackend
from takeback.store.backends.memory import MemoryBackend
from takeback.store.catalogue.database import Database
from takeback.store.catalogue.sqlite import SqliteDatabase
from takeback.store.derived import Derived, DerivedFiles, DerivedMemory
from takeback.store.header import Header
from takeback.store.leases import FileLeases, Leases, MemoryLeases
from takeback.store.packs.chunking import Chunker
from takeback.store.packs.sealing import Sealer
from takeback.store.reader import Reader
from takeback.store.writer import Writer

if TYPE_CHECKING:
    from pathlib import Path


class BlobStore:
    """An open store; safe to use from threads, and after a fork."""

    def __init__(
        self,
        header: Header,
        directory: str | None,
        database: Database,
        backend: Backend,
        leases: Leases,
        derived: Derived,
        identity: tuple[int, int] | None = None,
    ) -> None:
        self.id = header.id
        self.created_ns = header.created_ns
        self.directory = directory
        """Where the store is, as text: `path` costs an import."""
        self.readonly = database.readonly
        self.database = database
        self.backend = backend
        self.leases = leases
        self.derived = derived
        self.identity = identity
        self.sealer = Sealer()
        self._chunker = Chunker(header.chunker_seed)

    def __enter__(self) -> BlobStore:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def path(self) -> Path | None:
        """The store's directory, if it is in one."""
        from pathlib import Path

        return Path(self.directory) if self.directory else None

    def writer(self) -> Writer:
        """Whatever it is given stays unknown to others until it commits."""
        if self.readonly:
            raise Unavailable(
                f"cannot save to the store at {self.directory}: it is read-only.",
                hints=["use another store with --store, or make its directory writable"],
            )
        return self._writer(Writer)

    def scratch(self) -> Writer:
        """One that can never commit, so that it also works where the store can only be read."""
        from takeback.store.scratch import ScratchWriter

        return self._writer(ScratchWriter)

    def _writer(self, kind: type[Writer]) -> Writer:
        lease = self.leases.acquire()
        try:
            writer = kind(self.database, self.backend, self.sealer, lease, self._chunker, self.derived, self.identity)
        except BaseException:
            lease.release()
            raise
        writer.store_id = self.id
        return writer

    def reader(self) -> Reader:
        return Reader(self.database, self.backend, self.sealer, self.leases.acquire())

    def blob_id(self, data: bytes) -> bytes:
        """The id that these bytes have in this store, whether or not it holds them."""
        return blake3(data).digest()

    def close(self) -> None:
        self.database.close()
        self.backend.close()


def open_local(path: str | os.PathLike[str], *, create: bool = True, readonly: bool = False) -> BlobStore:
    """Open the store in a directory. It is made on first use if ``create``, else NotFound."""
    directory = _directory(os.fspath(path))
    found = _find(directory, create=create and not readonly)
    creation.check_directories(directory)
    readonly = readonly or not os.access(directory, os.W_OK)
    database = SqliteDatabase(os.path.join(directory, creation.CATALOGUE), readonly=readonly)
    try:
        database.check()
    except BaseException:
        database.close()
        raise
    status = os.stat(directory)
    return BlobStore(
        found,
        directory,
        database,
        LocalBackend(directory),
        FileLeases(os.path.join(directory, "leases"), database),
        DerivedFiles(os.path.join(directory, "derived"), readonly=readonly),
        (status.st_dev, status.st_ino),
    )


def open_memory() -> BlobStore:
    """A store that lives as long as this object."""
    database = SqliteDatabase(None)
    database.create()
    return BlobStore(header.new_header(), None, database, MemoryBackend(), MemoryLeases(database), DerivedMemory())


def _directory(path: str) -> str:
    """The store's place as an absolute path; InvalidInput if no store can have that name."""
    if not path:
        raise InvalidInput("a store needs the name of a directory", hints=["name one, or leave it out for your own"])
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        raise InvalidInput(f"{path!r} cannot be a store: its name is not UTF-8", hints=["name another place"]) from None
    return os.path.abspath(path)


def _find(directory: str, *, create: bool) -> Header:
    try:
        return header.read_header(directory)
    except FileNotFoundError:
        pass
    except NotADirectoryError:
        raise InvalidInput(
            f"{directory} is no store: it is, or lies below, a file", hints=["name a directory"]
        ) from None
    except PermissionError as error:
        raise Unavailable(
            f"the store at {directory} cannot be read: {error.strerror}.", hints=["check who owns the directory"]
        ) from error
    if create:
        return creation.create(directory)
    if os.path.isdir(directory) and os.listdir(directory):
        raise InvalidInput(f"{directory} is no takeback store", hints=["name the directory that holds store.json"])
    raise NotFound(f"there is no store at {directory}", hints=["the first `takeback save` makes one"])
