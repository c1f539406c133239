"""One connection to SQLite, and the transactions on it."""

from __future__ import annotations

import errno
import os
import threading
from collections.abc import Iterable, Sequence
from types import TracebackType
from typing import Any, NamedTuple, Protocol

import apsw

from takeback.errors import Integrity, InvalidInput, TakebackError
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

    __slots__ = ("__weakref__", "_half_open", "closed", "depth", "handle", "lock", "only", "opened", "writing")

    def __init__(self, handle: apsw.Connection, opened: Opened | None = None, *, only: bool = False) -> None:
        self.handle = handle
        self.opened = opened
        self.only = only
        """There can be no other, because what it is connected to is in memory."""
        self._half_open = False
        self.lock = threading.RLock()
        self.depth = 0
        self.writing = False
        self.closed = False

    def execute(self, sql: str, params: Sequence[Any] = ()) -> list[Row]:
        try:
            return list(self.handle.execute(sql, params))
        except apsw.Error as error:
            raise self._failed(error) from error
        except UnicodeDecodeError as error:
            raise Integrity("the store's catalogue holds text that is none", hints=["takeback verify"]) from error

    def executemany(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        try:
            self.handle.executemany(sql, rows)
        except apsw.Error as error:
            raise self._failed(error) from error

    def release(self) -> None:
        """Unlock it. Where an interrupt (Ctrl-C) kept a transaction from its end, or came when it had just begun, it ends
        here: it would keep everybody else from writing.

        SQLite stays with a WAL, or an index of it, that it could open only to read because of an error that may have
        passed: such a connection is not used again once its transaction has ended. (After any other error it is. A new
        one could find a commit in the WAL whose sync failed, and that was reported as failed.)"""
        try:
            if self.depth == 0 and not self.closed:
                _end(self, "ROLLBACK")
            if self._half_open and self.depth == 0 and not self.only:
                self.close()
        finally:
            self.lock.release()

    def close(self) -> None:
        self.closed = True
        self.handle.close()

    def _failed(self, error: apsw.Error) -> TakebackError:
        number = self.handle.system_errno if isinstance(error, (apsw.IOError, apsw.CantOpenError)) else 0
        if number == errno.EBADF or isinstance(error, (apsw.CantOpenError, apsw.ReadOnlyError)):
            self._half_open = True
        return catalogue_error(error, self.handle.filename, number)


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
                connection.release()
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
            connection.release()


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
                connection.release()
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
            connection.release()
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
