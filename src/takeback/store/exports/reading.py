"""Opening an export file as a store that can only be read: its catalogue is made, in memory, of what the file says.

A file may come from anybody. Lengths are checked before memory is taken, and nothing but the rows that
`takeback.store.catalogue.tables` knows gets into the catalogue; what they mean is for the engine to judge. Blobs are
hashed when they are read, as in every store.
"""

from __future__ import annotations

import os
import stat
from functools import partial

from takeback.errors import Integrity, InvalidInput, NotFound
from takeback.model.ids import BlobKind
from takeback.store.blobstore import BlobStore
from takeback.store.catalogue import blobs, tables
from takeback.store.catalogue.sqlite import SqliteDatabase
from takeback.store.derived import DerivedMemory
from takeback.store.durable import read_at, storage_error
from takeback.store.exports.container import Index, PackSpan, read_index
from takeback.store.exports.packed import PackedFile
from takeback.store.header import Header
from takeback.store.leases import MemoryLeases
from takeback.store.packs.pack import object_name, read_contents
from takeback.store.packs.sealing import Sealer
from takeback.store.reader import Reader

PAGE_LIMIT = 16 << 20
"""No page of history is longer."""


def open_export(path: str) -> BlobStore:
    """The store that an export file is; NotFound or InvalidInput if there is no such file."""
    fd = _open(path)
    try:
        try:
            index = read_index(path, os.fstat(fd).st_size, partial(read_at, fd))
        except OSError as error:
            raise storage_error(error, f"reading {path}") from error
        return _store(index, fd)
    except BaseException:
        os.close(fd)
        raise


def _open(path: str) -> int:
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except FileNotFoundError:
        raise NotFound(f"there is no file {path}", hints=["`takeback export FILE` makes one"]) from None
    except OSError as error:
        raise storage_error(error, f"opening {path}") from error
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise InvalidInput(f"{path} is no file, so it is no export", hints=["`takeback export FILE` makes one"])
    return fd


def _store(index: Index, fd: int) -> BlobStore:
    backend = PackedFile(fd, index.packs)
    database = SqliteDatabase(None)
    try:
        database.create()
        _list_blobs(database, backend, index.packs)
        _load_history(database, backend, index.pages)
        database.readonly = True
        header = Header(index.store, 0, 0)
        return BlobStore(header, None, database, backend, MemoryLeases(database), DerivedMemory())
    except BaseException:
        database.close()
        raise


def _list_blobs(database: SqliteDatabase, backend: PackedFile, packs: list[PackSpan]) -> None:
    sealer = Sealer()
    count = 0
    for pack in packs:
        contents = read_contents(pack.name, pack.length, partial(backend.range, object_name(pack.name)), sealer)
        count += len(contents.entries)
        if len({entry.id for entry in contents.entries}) != len(contents.entries):
            raise Integrity(f"pack {pack.name} of the export lists a blob twice")
        with database.write() as tx:
            number = blobs.add_pending(tx, pack.name, 1)
            blobs.make_live(tx, number, pack.length, contents.frames, contents.entries)
            (listed,) = tx.execute("SELECT count(*) FROM blobs")[0]
        if listed != count:
            raise Integrity(f"pack {pack.name} of the export lists a blob that another one holds")


def _load_history(database: SqliteDatabase, backend: PackedFile, pages: list[bytes]) -> None:
    if len(set(pages)) != len(pages):
        raise Integrity("the export names a page of its history twice")
    reader = Reader(database, backend, Sealer(), None)
    with database.write() as tx:
        for page in pages:
            if reader.size(page) > PAGE_LIMIT:
                raise Integrity("a page of the export's history is longer than any that is written")
            tables.load(tx, reader.get(page, BlobKind.HISTORY))
