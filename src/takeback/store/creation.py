"""Making a store's directory: once, whoever comes first, and again from the start after a crash in the middle.

The header is the first file and gets its name last. Whoever finds it unfinished finds a creation that was cut short,
in which nothing can be stored yet; the rename that ends a creation also takes that sign away.
"""

from __future__ import annotations

import os
import stat

from takeback.errors import InvalidInput, Unavailable
from takeback.store import header
from takeback.store.catalogue.sqlite import SqliteDatabase
from takeback.store.durable import not_own, remove, storage_error, sync_directory
from takeback.store.header import Header
from takeback.store.locks import root_lock

CATALOGUE = "catalogue.db"
DIRECTORIES = ("packs", "tmp", "leases", "derived")
DESTROYED = header.NAME + ".destroyed"
"""What the header of a store is called that is being removed."""
_UNFINISHED = header.NAME + ".new"
_PATIENCE = 30.0


def create(directory: str) -> Header:
    """Make a store, or return the header of the one that somebody else made meanwhile."""
    try:
        os.makedirs(directory, 0o700, exist_ok=True)
        with root_lock(directory, _PATIENCE):
            try:
                return header.read_header(directory)
            except FileNotFoundError:
                return _create(directory)
    except FileExistsError:
        raise InvalidInput(f"{directory} is a file, not a store", hints=["name a directory"]) from None
    except FileNotFoundError:
        raise InvalidInput(
            f"no store can be made at {directory}: that filesystem takes no new directories",
            hints=["name a directory on a disk"],
        ) from None
    except OSError as error:
        raise storage_error(error, f"making a store at {directory}") from error


def _create(directory: str) -> Header:
    _refuse_other_things(directory)
    made = header.new_header()
    os.chmod(directory, 0o700)
    _write(os.path.join(directory, _UNFINISHED), header.encode_header(made))
    sync_directory(directory)
    for suffix in ("", "-wal", "-shm"):
        remove(os.path.join(directory, CATALOGUE + suffix))
    check_directories(directory)
    for name in DIRECTORIES:
        os.makedirs(os.path.join(directory, name), 0o700, exist_ok=True)
    database = SqliteDatabase(os.path.join(directory, CATALOGUE))
    try:
        database.create()
    finally:
        database.close()
    sync_directory(directory)
    os.rename(os.path.join(directory, _UNFINISHED), os.path.join(directory, header.NAME))
    sync_directory(directory)
    sync_directory(os.path.dirname(directory))
    return made


def check_directories(directory: str) -> None:
    """Integrity if one of a store's directories is a link: what is written or removed there would be somebody else's."""
    for name in DIRECTORIES:
        path = os.path.join(directory, name)
        try:
            status = os.lstat(path)
        except OSError:
            continue  # what needs it says so
        if not stat.S_ISDIR(status.st_mode):
            raise not_own(path)


def _refuse_other_things(directory: str) -> None:
    names = set(os.listdir(directory))
    if not names or _UNFINISHED in names:
        return
    if DESTROYED in names:
        raise Unavailable(
            f"{directory} was a store, and its removal was interrupted.", hints=["`takeback store destroy` ends it"]
        )
    if CATALOGUE in names or "packs" in names:
        raise Unavailable(
            f"{directory} looks like a store, but its {header.NAME} is gone.",
            hints=["put it back from a copy of the store, or let `takeback store repair` make a new one"],
        )
    raise InvalidInput(
        f"{directory} is no takeback store, and it is not empty.",
        hints=["name another directory; a store is made in an empty or a new one"],
    )


def _write(path: str, data: bytes) -> None:
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        os.write(fd, data)
        os.fsync(fd)
    finally:
        os.close(fd)
