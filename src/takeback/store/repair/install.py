"""Putting a candidate in the place of the catalogue.

A sound catalogue is changed in one transaction of its own. Where it is damaged or gone, a new file is written whole
beside it; the old files get second names in ``aside/``, then lose theirs, and one rename ends it. Killed in between, the
store has no catalogue but a finished ``catalogue.db.new``, which the next repair puts in place.
"""

from __future__ import annotations

import os

from takeback.errors import Integrity
from takeback.store.catalogue.database import Transaction
from takeback.store.catalogue.sqlite import SqliteDatabase
from takeback.store.creation import CATALOGUE
from takeback.store.durable import remove, sync_directory, sync_file
from takeback.store.repair.aside import Aside
from takeback.store.repair.rows import read_tables, write_tables

_FINISHED = CATALOGUE + ".new"
_UNFINISHED = CATALOGUE + ".tmp"
_BESIDE = ("-wal", "-shm")


def change(old: Transaction, new: Transaction) -> None:
    """Let a sound catalogue say what the candidate says."""
    write_tables(old, read_tables(new))


def write_beside(directory: str, new: Transaction) -> None:
    """Write the candidate as a file that has all in it and needs no log."""
    path = os.path.join(directory, _UNFINISHED)
    for suffix in ("", *_BESIDE):
        remove(path + suffix)
    database = SqliteDatabase(path)
    try:
        database.create()
        with database.write() as tx:
            write_tables(tx, read_tables(new))
        database.tidy()
        if os.path.getsize(f"{path}-wal"):
            raise Integrity(f"{path} could not be written whole", hints=["check the disk, then try again"])
    finally:
        database.close()
    for suffix in _BESIDE:
        remove(path + suffix)
    sync_file(path)
    os.rename(path, os.path.join(directory, _FINISHED))
    sync_directory(directory)


def swap(directory: str, aside: Aside) -> None:
    """Keep the old catalogue aside and let the finished one take its name."""
    for suffix in ("", *_BESIDE):
        aside.keep(CATALOGUE + suffix)
    remove(os.path.join(directory, CATALOGUE))
    sync_directory(directory)
    _take_name(directory)


def finish_swap(directory: str, aside: Aside) -> bool:
    """Whether an earlier repair was killed between the two names; it is finished then. What it wrote and did not get to
    use is removed."""
    if os.path.exists(os.path.join(directory, CATALOGUE)):
        for suffix in ("", *_BESIDE):
            remove(os.path.join(directory, _FINISHED + suffix))
            remove(os.path.join(directory, _UNFINISHED + suffix))
        return False
    if not os.path.exists(os.path.join(directory, _FINISHED)):
        return False
    for suffix in _BESIDE:
        aside.keep(CATALOGUE + suffix)
    _take_name(directory)
    return True


def half_swapped(directory: str) -> bool:
    return os.path.exists(os.path.join(directory, _FINISHED)) and not os.path.exists(os.path.join(directory, CATALOGUE))


def _take_name(directory: str) -> None:
    for suffix in _BESIDE:
        remove(os.path.join(directory, CATALOGUE + suffix))  # the log of another database must not be read into it
    sync_directory(directory)
    os.rename(os.path.join(directory, _FINISHED), os.path.join(directory, CATALOGUE))
    sync_directory(directory)
