"""The catalogue in SQLite, through apsw: WAL, synchronous=FULL, one connection a thread.

A fork is the dangerous moment: SQLite's lock tables are inherited by the child while the kernel's locks are not, so
a child that opened the same file beside an inherited connection would work unprotected. Idle connections are
therefore closed just before a fork (each side opens new ones when it needs them), and a child that was forked in the
middle of a transaction is refused.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Any

import apsw

from takeback.errors import Conflict, Integrity, InvalidInput, Locked, TakebackError, Unavailable
from takeback.store.catalogue import schema
from takeback.store.catalogue.database import Row, Transaction

PATIENCE = 30.0
"""Seconds that a writer waits for the others."""

_CACHE_KIB = 16 << 10
_WAL_BYTES = 4 << 20
"""What a checkpoint leaves of the WAL's file."""


class _Connection:
    """One thread's connection; ``lock`` is held while a transaction is open, so that a fork can tell."""

    __slots__ = ("__weakref__", "closed", "depth", "handle", "lock", "writing")

    def __init__(self, handle: apsw.Connection) -> None:
        self.handle = handle
        self.lock = threading.RLock()
        self.depth = 0
        self.writing = False
        self.closed = False

    def execute(self, sql: str, params: Sequence[Any] = ()) -> list[Row]:
        try:
            return list(self.handle.execute(sql, params))
        except apsw.Error as error:
            raise catalogue_error(error) from error

    def executemany(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        try:
            self.handle.executemany(sql, rows)
        except apsw.Error as error:
            raise catalogue_error(error) from error

    def close(self) -> None:
        self.closed = True
        self.handle.close()


class SqliteDatabase:
    """A `takeback.store.catalogue.database.Database` in one file, or in memory when there is no path."""

    def __init__(self, path: str | None, *, readonly: bool = False) -> None:
        self.readonly = readonly
        self._path = path
        self._closed = False
        self._forked_inside = False
        self._reset()
        self._shared = _Connection(_configured(apsw.Connection(":memory:"))) if path is None else None
        _DATABASES.add(self)

    def _reset(self) -> None:
        self._local = threading.local()
        self._connections: weakref.WeakSet[_Connection] = weakref.WeakSet()
        self._opening = threading.Lock()
        self._writers = threading.RLock()

    def create(self) -> None:
        """Make the tables, all or nothing; nothing if they are there."""
        if self._path is not None and not os.path.exists(self._path):
            fd = os.open(self._path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)  # SQLite copies this mode
            os.close(fd)
        if self._path is not None:
            self._connection().execute("PRAGMA journal_mode = WAL")
        with self.write() as tx:
            if tx.execute("PRAGMA user_version")[0][0]:
                return
            for statement in schema.statements(schema.SQLITE_TYPES):
                tx.execute(statement)
            tx.execute(f"PRAGMA user_version = {schema.FORMAT}")

    def check(self) -> None:
        """Refuse a catalogue that is not one, or is newer than this code."""
        with self.read() as tx:
            version = tx.execute("PRAGMA user_version")[0][0]
        if version > schema.FORMAT:
            raise Unavailable(
                f"the catalogue was written by a newer takeback (format {version}; this one knows {schema.FORMAT}).",
                hints=["upgrade takeback"],
            )
        if version < 1:
            raise Integrity("the catalogue is empty, though the store was in use", hints=["takeback repair"])

    def read(self) -> AbstractContextManager[Transaction]:
        return _Read(self)

    def write(self) -> AbstractContextManager[Transaction]:
        if self.readonly:
            raise Unavailable(
                f"cannot write to the store{f' at {os.path.dirname(self._path)}' if self._path else ''}: it is read-only.",
                hints=["use another store with --store, or make its directory writable"],
            )
        return _Write(self)

    def close(self) -> None:
        self._closed = True
        for connection in [*self._connections, *([self._shared] if self._shared else [])]:
            if connection.lock.acquire(timeout=1.0):
                try:
                    connection.close()
                finally:
                    connection.lock.release()
        self._reset()

    def size(self) -> int:
        if self._path is None:
            with self.read() as tx:
                return int(tx.execute("PRAGMA page_count")[0][0]) * int(tx.execute("PRAGMA page_size")[0][0])
        return sum(os.stat(name).st_size for name in (self._path, f"{self._path}-wal") if os.path.exists(name))

    def _locked(self) -> _Connection:
        """The calling thread's connection, locked, so that neither a fork nor `close` takes it away."""
        while True:
            connection = self._connection()
            connection.lock.acquire()
            if not connection.closed:
                return connection
            connection.lock.release()

    def _connection(self) -> _Connection:
        if self._closed:
            raise InvalidInput("the store has been closed", hints=["open it again"])
        if self._shared is not None:
            return self._shared
        connection: _Connection | None = getattr(self._local, "connection", None)
        if connection is None or connection.closed:
            with self._opening:
                connection = self._open()
                self._connections.add(connection)
                self._local.connection = connection
        return connection

    def _open(self) -> _Connection:
        assert self._path is not None
        if self._forked_inside:
            raise Unavailable(
                "this process was forked in the middle of a transaction and must not use the store.",
                hints=["fork outside of the store's transactions, or start a new process instead"],
            )
        try:
            if not self.readonly:
                return _Connection(_configured(apsw.Connection(self._path, flags=apsw.SQLITE_OPEN_READWRITE)))
            return _Connection(_configured(_open_readonly(self._path)))
        except apsw.CantOpenError as error:
            if not os.path.exists(self._path):
                raise Integrity(
                    f"the store has lost its catalogue: {self._path} does not exist.", hints=["takeback repair"]
                ) from error
            raise catalogue_error(error) from error
        except apsw.Error as error:
            raise catalogue_error(error) from error

    # -- fork

    def _before_fork(self) -> None:
        self._opening.acquire()
        for connection in list(self._connections):
            # Other threads' transactions are short, so they are waited for; one of this very thread cannot be.
            if connection.lock.acquire(timeout=5.0):
                try:
                    if connection.depth == 0:
                        connection.close()
                        self._connections.discard(connection)
                finally:
                    connection.lock.release()

    def _after_fork_in_parent(self) -> None:
        self._opening.release()

    def _after_fork_in_child(self) -> None:
        if self._shared is not None:
            self._shared.lock = threading.RLock()
            return
        left = list(self._connections)
        _INHERITED.extend(left)  # referenced for ever: closing the parent's connection here could harm the parent
        self._forked_inside = self._forked_inside or bool(left)
        self._reset()


class _Read:
    __slots__ = ("_connection", "_database")

    def __init__(self, database: SqliteDatabase) -> None:
        self._database = database

    def __enter__(self) -> _Connection:
        connection = self._connection = self._database._locked()
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


class _Write:
    __slots__ = ("_connection", "_database", "_savepoint")

    def __init__(self, database: SqliteDatabase) -> None:
        self._database = database

    def __enter__(self) -> _Connection:
        if not self._database._writers.acquire(timeout=PATIENCE):
            raise _busy()
        try:
            connection = self._connection = self._database._locked()
            try:
                self._savepoint = connection.depth > 0
                if self._savepoint and not connection.writing:
                    raise InvalidInput("write() inside read(): what was read may be out of date; end the read first")
                connection.execute(f"SAVEPOINT nested_{connection.depth}" if self._savepoint else "BEGIN IMMEDIATE")
            except BaseException:
                connection.lock.release()
                raise
        except BaseException:
            self._database._writers.release()
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
            self._database._writers.release()

    def _commit(self) -> None:
        try:
            self._connection.execute("COMMIT")
        except BaseException:
            _end(self._connection, "ROLLBACK")
            raise


def _end(connection: _Connection, sql: str) -> None:
    """End a transaction unless an error has ended it already."""
    if connection.handle.in_transaction:
        connection.execute(sql)


def _configured(handle: apsw.Connection) -> apsw.Connection:
    handle.set_busy_timeout(int(PATIENCE * 1000))
    # Leaving the WAL to the next process saves every command the fsyncs of a checkpoint; SQLite still makes one
    # whenever the WAL has grown by a thousand pages.
    handle.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    handle.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
    handle.execute(
        f"PRAGMA synchronous = FULL; PRAGMA cache_size = -{_CACHE_KIB}; PRAGMA journal_size_limit = {_WAL_BYTES}"
    )
    return handle


def _open_readonly(path: str) -> apsw.Connection:
    """A WAL needs its index beside it; where none can be made and there is no WAL, the file never changes."""
    from urllib.parse import quote

    frozen = not os.access(os.path.dirname(path), os.W_OK) and not os.path.exists(f"{path}-wal")
    uri = f"file:{quote(os.path.abspath(path))}?mode=ro{'&immutable=1' if frozen else ''}"
    return apsw.Connection(uri, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)


def _busy() -> Locked:
    return Locked(
        f"the store's catalogue has been busy for {PATIENCE:.0f} seconds: another takeback is writing.",
        hints=["try again when it is done"],
    )


def catalogue_error(error: apsw.Error) -> TakebackError:
    """SQLite's error in our words."""
    match error:
        case apsw.BusyError() | apsw.LockedError():
            return _busy()
        case apsw.FullError():
            return Unavailable(
                "the catalogue cannot be written: the disk is full. Nothing that was stored before is harmed.",
                hints=["free some space, or drop old snapshots: takeback prune"],
            )
        case apsw.CorruptError() | apsw.NotADBError():
            return Integrity(f"the store's catalogue is damaged: {error}", hints=["takeback verify", "takeback repair"])
        case apsw.ReadOnlyError() | apsw.CantOpenError() | apsw.PermissionsError() | apsw.AuthError():
            return Unavailable(
                f"the store's catalogue cannot be opened or written: {error}.",
                hints=["check who owns the store's directory and whether it is mounted read-only"],
            )
        case apsw.ConstraintError():
            return Conflict(f"the catalogue already holds something else there: {error}")
        case apsw.IOError():
            return Unavailable(f"the store's catalogue cannot be read or written: {error}.", hints=["check the disk"])
    return TakebackError(f"the store's catalogue refused a statement: {error}")


_DATABASES: weakref.WeakSet[SqliteDatabase] = weakref.WeakSet()
_INHERITED: list[_Connection] = []
_FORKING: list[SqliteDatabase] = []


def _before_fork() -> None:
    _FORKING[:] = _DATABASES
    for database in _FORKING:
        database._before_fork()


def _after_fork_in_parent() -> None:
    for database in _FORKING:
        database._after_fork_in_parent()
    _FORKING.clear()


def _after_fork_in_child() -> None:
    for database in _FORKING:
        database._after_fork_in_child()
    _FORKING.clear()


os.register_at_fork(before=_before_fork, after_in_parent=_after_fork_in_parent, after_in_child=_after_fork_in_child)
