"""One connection to SQLite, and the transactions on it."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Sequence
from types import TracebackType
from typing import Any, NamedTuple, Protocol

import apsw

from takeback.errors import InvalidInput
from takeback.store.catalogue import sqlite_errors
from takeback.store.catalogue.database import Row
from takeback.store.catalogue.sqlite_errors import busy, catalogue_error, replaced


class Opened(NamedTuple):
    """A database's file as it was when it was opened: a repair may put another one in its place."""

    path: str
    device: int
    inode: int

    @classmethod
    def now(cls, path: str) -> Opened | None:
        try:
            status = os.stat(path)
        except FileNotFoundError:
            return None
        return cls(path, status.st_dev, status.st_ino)

    def replaced(self) -> bool:
        return Opened.now(self.path) != self


class Connection:
    """One thread's connection; ``lock`` is held while a transaction is open, so that a fork can tell."""

    __slots__ = ("__weakref__", "closed", "depth", "handle", "lock", "opened", "writing")

    def __init__(self, handle: apsw.Connection, opened: Opened | None = None) -> None:
        self.handle = handle
        self.opened = opened
        self.lock = threading.RLock()
        self.depth = 0
        self.writing = False
        self.closed = False

    def execute(self, sql: str, params: Sequence[Any] = ()) -> list[Row]:
        try:
            return list(self.handle.execute(sql, params))
        except apsw.Error as error:
            raise catalogue_error(error, self.handle.filename) from error

    def executemany(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        try:
            self.handle.executemany(sql, rows)
        except apsw.Error as error:
            raise catalogue_error(error, self.handle.filename) from error

    def close(self) -> None:
        self.closed = True
        self.handle.close()


class Connections(Protocol):
    """What a transaction needs of its database."""

    writers: threading.RLock
    """Held by the thread that writes."""

    def locked(self) -> Connection:
        """The calling thread's connection, locked."""


class Reading:
    """A transaction that sees one moment; inside another it is part of that one."""

    __slots__ = ("_connection", "_database")

    def __init__(self, database: Connections) -> None:
        self._database = database

    def __enter__(self) -> Connection:
        connection = self._connection = self._database.locked()
        if connection.depth == 0:
            try:
                connection.execute("BEGIN")
            except BaseException:
                connection.lock.release()
                raise
        connection.depth += 1
        return connection

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        connection = self._connection
        connection.depth -= 1
        try:
            if connection.depth == 0:
                _end(connection, "COMMIT")
        finally:
            connection.lock.release()


class Writing:
    """The only writer; inside another it is a savepoint of that one."""

    __slots__ = ("_connection", "_database", "_savepoint")

    def __init__(self, database: Connections) -> None:
        self._database = database

    def __enter__(self) -> Connection:
        if not self._database.writers.acquire(timeout=sqlite_errors.PATIENCE):
            raise busy()
        try:
            connection = self._connection = self._database.locked()
            try:
                self._savepoint = connection.depth > 0
                if self._savepoint and not connection.writing:
                    raise InvalidInput("write() inside read(): what was read may be out of date; end the read first")
                connection.execute(f"SAVEPOINT nested_{connection.depth}" if self._savepoint else "BEGIN IMMEDIATE")
                if not self._savepoint and connection.opened is not None and connection.opened.replaced():
                    connection.close()
                    raise replaced()
            except BaseException:
                connection.lock.release()
                raise
        except BaseException:
            self._database.writers.release()
            raise
        connection.depth += 1
        connection.writing = True
        return connection

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        connection = self._connection
        connection.depth -= 1
        try:
            if self._savepoint:
                name = f"nested_{connection.depth}"
                if kind is not None:
                    _end(connection, f"ROLLBACK TO {name}")
                _end(connection, f"RELEASE {name}")
            elif kind is not None:
                _end(connection, "ROLLBACK")
            else:
                self._commit()
        finally:
            connection.writing = connection.depth > 0
            connection.lock.release()
            self._database.writers.release()

    def _commit(self) -> None:
        try:
            self._connection.execute("COMMIT")
        except BaseException:
            _end(self._connection, "ROLLBACK")
            raise


def _end(connection: Connection, sql: str) -> None:
    """End a transaction unless an error has ended it already."""
    if connection.handle.in_transaction:
        connection.execute(sql)
