"""Making an export file: a store is filled whose packs go into the file, then its history, then the index.

The file grows under another name (``FILE.part``) and gets its own when all of it is on disk; a killed export leaves
only that, and the next one to the same place writes over it.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager

from takeback.errors import Integrity, InvalidInput, Locked
from takeback.model.ids import BlobKind
from takeback.model.progress import Watch
from takeback.store import header
from takeback.store.blobstore import BlobStore
from takeback.store.catalogue import tables
from takeback.store.catalogue.database import Transaction
from takeback.store.catalogue.sqlite import SqliteDatabase
from takeback.store.collection.folding import fold
from takeback.store.derived import DerivedMemory
from takeback.store.durable import give_name, storage_error, sync_directory, write_all
from takeback.store.exports.container import Index, encode_end, encode_header
from takeback.store.exports.packed import PackedFile
from takeback.store.exports.reading import PAGE_LIMIT
from takeback.store.header import Header
from takeback.store.leases import MemoryLeases

PART = ".part"


@contextmanager
def new_export(path: str, origin: str, watch: Watch) -> Iterator[BlobStore]:
    """A store to copy into, which is the export file ``path`` once the block has ended well; if it has not, nothing is.

    ``origin`` is the id of the store that it comes from. InvalidInput if there is such a file.
    """
    if os.path.lexists(path):
        raise InvalidInput(f"{path} is there already, and is not written over", hints=["name another file"])
    part = path + PART
    fd = _open(part)
    backend = PackedFile(fd)
    database = SqliteDatabase(None)
    try:
        database.create()
        made = header.new_header()
        named = Header(origin, made.chunker_seed, made.created_ns)
        store = BlobStore(named, None, database, backend, MemoryLeases(database), DerivedMemory())
        write_all(fd, encode_header(origin))
        yield store
        pages = _put_history(store)
        fold(store, watch)
        _finish(fd, backend, Index(origin, pages, backend.packs))
        give_name(part, path)
        _settle(path)
    except OSError as error:
        _remove(part)
        raise storage_error(error, f"writing {path}") from error
    except BaseException:
        _remove(part)
        raise
    finally:
        database.close()
        backend.close()


def _open(part: str) -> int:
    """The file that the export grows in, alone."""
    while True:
        try:
            fd = os.open(part, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK, 0o600)
        except (FileNotFoundError, NotADirectoryError):
            raise InvalidInput(
                f"cannot write {part}: its directory does not exist", hints=["make the directory first"]
            ) from None
        except OSError as error:
            raise storage_error(error, f"writing {part}") from error
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.path.samestat(os.fstat(fd), os.lstat(part)):
                if os.fstat(fd).st_nlink == 1:
                    os.fchmod(fd, 0o600)
                    os.ftruncate(fd, 0)
                    return fd
                os.unlink(part)  # whoever was killed here had given it its name already
            os.close(fd)  # somebody else's, who has just finished
        except FileNotFoundError:
            os.close(fd)
        except BlockingIOError:
            os.close(fd)
            raise Locked(f"somebody else is writing {part}", hints=["try again when it is done"]) from None
        except OSError as error:
            os.close(fd)
            raise storage_error(error, f"writing {part}") from error


def _put_history(store: BlobStore) -> list[bytes]:
    """Store the rows of the catalogue as blobs; their ids."""
    with store.database.read() as tx:
        pages = list(tables.pages(tx))  # first all of them: a pack, which many of them need, is begun by a write
    with store.writer() as writer:
        ids = [writer.put(_short_enough(page), BlobKind.HISTORY) for page in pages]
        writer.commit(_nothing)
    return ids


def _short_enough(page: bytes) -> bytes:
    if len(page) > PAGE_LIMIT:
        raise InvalidInput(
            f"a move is too long to be exported: with its context it has {len(page)} bytes",
            hints=["leave out its snapshots: name those to export"],
        )
    return page


def _nothing(tx: Transaction) -> None:
    """The pages are named in the file's index."""


def _finish(fd: int, backend: PackedFile, index: Index) -> None:
    end = len(encode_header(index.store))
    for pack in index.packs:
        if pack.position != end:
            raise Integrity("a pack of the export was given up, so the file has a gap")
        end += pack.length
    os.lseek(fd, end, os.SEEK_SET)
    size = end + write_all(fd, encode_end(index))
    os.ftruncate(fd, size)
    os.fsync(fd)


def _settle(path: str) -> None:
    """Make the name durable; if that cannot be said to be done, there is no such file."""
    try:
        sync_directory(os.path.dirname(path))
    except BaseException:
        _remove(path)
        raise


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        pass  # the next export to the same place writes over what was left
