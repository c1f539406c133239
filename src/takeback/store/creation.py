"""Making a store's directory: once, whoever comes first, and again from the start after a crash in the middle.

The first file is the marker ``creating``, the last is ``store.json``; whoever finds the marker without the header
finds a creation that was cut short, in which nothing can be stored yet.
"""

from __future__ import annotations

import os

from takeback.errors import InvalidInput, Unavailable
from takeback.store import header
from takeback.store.catalogue.sqlite import SqliteDatabase
from takeback.store.durable import storage_error, sync_directory, write_new
from takeback.store.header import Header
from takeback.store.locks import root_lock

CATALOGUE = "catalogue.db"
DIRECTORIES = ("packs", "tmp", "leases", "derived")
_MARKER = "creating"
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
    except OSError as error:
        raise storage_error(error, f"making a store at {directory}") from error


def _create(directory: str) -> Header:
    _refuse_other_things(directory)
    marker = os.path.join(directory, _MARKER)
    os.close(os.open(marker, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600))
    sync_directory(directory)
    os.chmod(directory, 0o700)
    for suffix in ("", "-wal", "-shm"):
        _unlink(os.path.join(directory, CATALOGUE + suffix))
    _unlink(os.path.join(directory, header.NAME + ".new"))
    for name in DIRECTORIES:
        os.makedirs(os.path.join(directory, name), 0o700, exist_ok=True)
    database = SqliteDatabase(os.path.join(directory, CATALOGUE))
    try:
        database.create()
    finally:
        database.close()
    made = header.new_header()
    target = os.path.join(directory, header.NAME)
    write_new(target + ".new", target, [header.encode_header(made)])
    _unlink(marker)
    sync_directory(os.path.dirname(os.path.abspath(directory)))
    return made


def _refuse_other_things(directory: str) -> None:
    names = set(os.listdir(directory))
    if not names or _MARKER in names:
        return
    if CATALOGUE in names or "packs" in names:
        raise Unavailable(
            f"{directory} looks like a store, but its {header.NAME} is gone.",
            hints=["put it back from a copy, or rebuild the store: takeback repair"],
        )
    raise InvalidInput(
        f"{directory} is no takeback store, and it is not empty.",
        hints=["name another directory; a store is made in an empty or a new one"],
    )


def _unlink(path: str) -> None:
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass
