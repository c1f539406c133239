"""Leases: how a collector knows that nobody still uses what it condemned.

Every operation holds a shared kernel lock on the file ``leases/<generation>``, so a process that dies holds none. A
collector condemns packs and advances the counter ``generation`` in one transaction; once it gets an exclusive lock
on every older file, whatever runs now has seen the condemnation. A commit under a lease that was swept over fails
(`check`), whatever the reason: a frozen virtual machine, a lock file that somebody removed.

Take the lease first and look into the catalogue afterwards, never inside an older transaction.
"""

from __future__ import annotations

import fcntl
import os
import threading
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Protocol

from takeback.errors import Locked
from takeback.store.catalogue import counters
from takeback.store.catalogue.database import Database, Transaction
from takeback.store.durable import PLAIN, storage_error


class Lease:
    """Held from `Leases.acquire` to `release`."""

    __slots__ = ("_release", "generation")

    def __init__(self, generation: int, release: Callable[[], None] | None = None) -> None:
        self.generation = generation
        self._release = release

    def release(self) -> None:
        """Give it back; quiet the second time. A forked child's copy keeps the kernel's lock until it is closed too."""
        release, self._release = self._release, None
        if release is not None:
            release()

    def check(self, tx: Transaction) -> None:
        """Locked if a collection has swept what this lease protected."""
        if self.generation <= counters.value(tx, "swept"):
            raise Locked(
                "the lease was swept: a collection removed what nobody seemed to use while this operation stood still. "
                "Nothing was recorded.",
                hints=["run the same command again"],
            )


class Leases(Protocol):
    def acquire(self) -> Lease:
        """A lease of the present generation."""

    def ended(self, generation: int) -> bool:
        """Whether all leases up to this generation have ended; asked only after the counter has passed it."""


def _generation(database: Database) -> int:
    with database.read() as tx:
        return counters.value(tx, "generation")


class FileLeases:
    """Leases as locked files of a store's directory; none at all where a read-only store has none."""

    def __init__(self, directory: str, database: Database) -> None:
        self._directory = directory
        self._database = database
        self._last = 0
        """The generation when a lease was last taken: most likely still the present one."""

    def acquire(self) -> Lease:
        generation = self._last or _generation(self._database)
        while True:
            fd = self._open(generation)
            if fd is None:
                return Lease(generation)
            try:
                fcntl.flock(fd, fcntl.LOCK_SH)
                now = _generation(self._database)
            except BaseException:
                os.close(fd)
                raise
            if now == generation:
                self._last = now
                return Lease(generation, partial(os.close, fd))
            os.close(fd)
            generation = now

    def ended(self, generation: int) -> bool:
        ended = True
        try:
            names = os.listdir(self._directory)
        except OSError as error:
            raise storage_error(error, "looking at the leases of the store") from error
        for name in names:
            if name.isdecimal() and int(name) <= generation:
                ended = self._remove_if_free(os.path.join(self._directory, name)) and ended
        return ended

    def _open(self, generation: int) -> int | None:
        path = os.path.join(self._directory, str(generation))
        try:
            return os.open(path, PLAIN)
        except FileNotFoundError:
            pass
        except OSError as error:
            if self._database.readonly:
                return None
            raise storage_error(error, "taking a lease of the store") from error
        try:
            return os.open(path, os.O_RDONLY | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        except OSError as error:
            if self._database.readonly:
                return None
            raise storage_error(error, "taking a lease of the store") from error

    def _remove_if_free(self, path: str) -> bool:
        """A lease file of the past can go: who opens it from now on finds the generation changed and takes a new one."""
        try:
            fd = os.open(path, PLAIN)
        except FileNotFoundError:
            return True
        except OSError as error:
            raise storage_error(error, "looking at a lease of the store") from error
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(fd)
            return False
        try:
            os.unlink(path)
        except OSError:
            pass  # it is gone, or stays for the next time: nobody holds it
        finally:
            os.close(fd)
        return True


class MemoryLeases:
    """Leases of a store that only this process has."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._held: Counter[int] = Counter()
        self._lock = threading.Lock()

    def acquire(self) -> Lease:
        with self._lock:
            generation = _generation(self._database)
            self._held[generation] += 1
            return Lease(generation, partial(self._release, generation))

    def ended(self, generation: int) -> bool:
        with self._lock:
            return not any(count for held, count in self._held.items() if held <= generation)

    def _release(self, generation: int) -> None:
        with self._lock:
            self._held[generation] -= 1
