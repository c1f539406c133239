"""The catalogue in SQLite, through apsw: WAL, synchronous=FULL, one connection a thread.

A fork is the dangerous moment: SQLite's lock tables are inherited by the child while the kernel's locks are not, so
a child that opened the same file beside an inherited connection would work unprotected. Idle connections are
therefore closed just before a fork (each side opens new ones when it needs them), and a child that was forked in the
middle of a transaction is refused.
"""

from __future__ import annotations

import os
import stat
import threading
import weakref
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

import apsw

from takeback.errors import Integrity, InvalidInput, Locked, Unavailable
from takeback.store.catalogue import schema, sqlite_errors
from takeback.store.catalogue.database import Transaction
from takeback.store.catalogue.sqlite_connection import Connection, Opened, Reading, Writing
from takeback.store.catalogue.sqlite_errors import catalogue_error
from takeback.store.durable import sync_file

_CACHE_KIB = 16 << 10
_WAL_BYTES = 4 << 20
"""What a checkpoint leaves of the WAL's file."""
_FREE_PAGES = 64
_FREE_SHARE = 0.25
"""More empty pages than this, and more than this share of all, and the file is written anew."""
_TIDY_PATIENCE = 1000
_MOST_DAMAGE = 20
"""So much that is wrong is enough to say."""
_LONGEST_VALUE = 128 << 20
"""Twice what a sealed frame may hold."""


class SqliteDatabase:
    """A `takeback.store.catalogue.database.Database` in one file, or in memory when there is no path."""

    def __init__(self, path: str | None, *, readonly: bool = False) -> None:
        self.readonly = readonly
        self._path = path
        self._closed = False
        self._forked_inside = False
        self._shared = _configured(Connection(apsw.Connection(":memory:"), only=True)) if path is None else None
        self._reset()
        _DATABASES.add(self)

    def _reset(self) -> None:
        self._local = threading.local()
        self._connections: weakref.WeakSet[Connection] = weakref.WeakSet()
        self._opening = threading.Lock()
        # In memory there is one connection for all, so whoever has it is the writer.
        self.writers = threading.RLock() if self._shared is None else self._shared.lock

    def create(self) -> None:
        """Make the tables, all or nothing; nothing if they are there."""
        if self._path is None:
            self._make_tables()
            return
        _touch(self._path)
        connection = self._connection()
        # One sync at the end instead of eight on the way: nobody uses it yet, and whoever is killed here begins anew.
        # A journal in memory leaves no file behind that would be played into the next catalogue of this name.
        connection.execute("PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY")
        self._make_tables()
        connection.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
        for suffix in ("-wal", "-shm"):
            _touch(self._path + suffix)  # SQLite would make them, but not say why it cannot
        sync_file(self._path)

    def _make_tables(self) -> None:
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
            objects = tx.execute("SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL")
        if version > schema.FORMAT:
            raise Unavailable(
                f"the catalogue was written by a newer takeback (format {version}; this one knows {schema.FORMAT}).",
                hints=["upgrade takeback"],
            )
        if version < 1:
            raise Integrity(
                "the catalogue is empty, though the store was in use",
                hints=["`takeback store repair` makes a new one from the packs"],
            )
        schema.check_objects(objects)

    def read(self) -> AbstractContextManager[Transaction]:
        return Reading(self)

    def write(self) -> AbstractContextManager[Transaction]:
        if self.readonly:
            raise Unavailable(
                f"cannot write to the store{f' at {os.path.dirname(self._path)}' if self._path else ''}: it is read-only.",
                hints=["use another store with --store, or make its directory writable"],
            )
        return Writing(self)

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

    def changes(self) -> int:
        """Another number than before, on the same thread, if anybody has written since."""
        connection = self.locked()
        try:
            if self._path is None:
                return int(connection.handle.total_changes())
            return int(connection.execute("PRAGMA data_version")[0][0])
        finally:
            connection.release()

    def damage(self, thorough: bool) -> list[str]:
        try:
            with self.read() as tx:
                rows = tx.execute(f"PRAGMA {'integrity_check' if thorough else 'quick_check'}({_MOST_DAMAGE})")
        except Integrity as error:
            return [error.message]
        found = [str(row[0]) for row in rows if row[0] != "ok"]
        found += self._other_columns()
        if (lost := self.unread()) > 1:  # one alone may be a commit that a power cut tore before anybody was told of it
            found.append(f"{lost} commits in its log cannot be read, because something before them is damaged")
        return found

    def columns(self) -> dict[str, tuple[str, ...]]:
        """The tables that there are, and their columns."""
        with self.read() as tx:
            names = [
                name for (name,) in tx.execute("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY rowid")
            ]
            listed = "SELECT name FROM pragma_table_info(?)"
            return {name: tuple(column for (column,) in tx.execute(listed, (name,))) for name in names}

    def _other_columns(self) -> list[str]:
        """Where the tables are not those of every catalogue: SQLite believes whatever their definition says."""
        fresh = SqliteDatabase(None)
        fresh.create()
        there, should = self.columns(), fresh.columns()
        fresh.close()
        return [f"the table {name} is not as it was made" for name in should if there.get(name) != should[name]]

    def unread(self) -> int:
        """Commits that lie in the log behind a place at which SQLite stops to read."""
        from takeback.store.catalogue.wal import unread_commits  # no save needs it

        if self._path is None or self.readonly:
            return 0
        page_size = self._asked("PRAGMA page_size", 0)
        while True:
            read = self._asked("PRAGMA wal_checkpoint(NOOP)", 1)
            lost = unread_commits(f"{self._path}-wal", max(0, read), page_size)
            if lost <= 1 or self._asked("PRAGMA wal_checkpoint(NOOP)", 1) == read:
                return lost  # else others went on writing meanwhile

    def _asked(self, pragma: str, column: int) -> int:
        connection = self.locked()
        try:
            return int(connection.execute(pragma)[0][column])
        finally:
            connection.release()

    def disconnect(self) -> None:
        """Close what is idle: whoever goes on opens the file anew, and sees if another one has taken its place."""
        for connection in list(self._connections):
            with connection.lock:
                if connection.depth == 0:
                    connection.close()
                    self._connections.discard(connection)

    def tidy(self) -> None:
        """Write the file anew if much of it is empty, then empty the WAL. Whoever is busy there comes first."""
        if self._path is None or self.readonly:
            return
        with self._tidying() as connection:
            free, pages = (int(connection.execute(f"PRAGMA {name}")[0][0]) for name in ("freelist_count", "page_count"))
            if free > _FREE_PAGES and free > pages * _FREE_SHARE:
                connection.execute("VACUUM")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def scrub(self) -> bool:
        """Write the file anew, with zeros where nothing is, and empty the WAL."""
        busy = 1
        with self._tidying() as connection:
            connection.execute("PRAGMA secure_delete = ON")  # or the pages of the new file are not cleared first
            try:
                connection.execute("VACUUM")
            finally:
                connection.execute("PRAGMA secure_delete = OFF")
            if self._path is None:
                return True
            busy = int(connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")[0][0])
        return not busy

    @contextmanager
    def _tidying(self) -> Iterator[Connection]:
        """The connection, outside of any transaction. If others are in the way, what is left of the block is left out."""
        connection = self.locked()
        try:
            if connection.depth:
                raise InvalidInput("a catalogue is not tidied in the middle of a transaction")
            connection.handle.set_busy_timeout(_TIDY_PATIENCE)
            yield connection
        except Locked:
            pass  # the next maintenance finds it as it is
        finally:
            connection.handle.set_busy_timeout(int(sqlite_errors.PATIENCE * 1000))
            connection.release()

    def locked(self) -> Connection:
        """The calling thread's connection, locked, so that neither a fork nor `close` takes it away."""
        while True:
            connection = self._connection()
            connection.lock.acquire()
            if not connection.closed:
                return connection
            connection.lock.release()

    def _connection(self) -> Connection:
        if self._closed:
            raise InvalidInput("the store has been closed", hints=["open it again"])
        if self._shared is not None:
            return self._shared
        connection: Connection | None = getattr(self._local, "connection", None)
        if connection is None or connection.closed:
            with self._opening:
                connection = self._open()
                self._connections.add(connection)
                self._local.connection = connection
        return connection

    def _open(self) -> Connection:
        assert self._path is not None
        if self._forked_inside:
            raise Unavailable(
                "this process was forked in the middle of a transaction and must not use the store.",
                hints=["fork outside of the store's transactions, or start a new process instead"],
            )
        try:
            _check_file(self._path)
            if not self.readonly:
                opened = Opened.now(self._path)  # before it is opened: an error on the safe side
                handle = apsw.Connection(self._path, flags=apsw.SQLITE_OPEN_READWRITE)
                return _configured(Connection(handle, opened))
            return _configured(Connection(_open_readonly(self._path)))
        except apsw.CantOpenError as error:
            if not os.path.exists(self._path):
                raise Integrity(
                    f"the store has lost its catalogue: {self._path} does not exist.",
                    hints=["`takeback store repair` makes a new one from the packs"],
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
            self._reset()
            return
        left = list(self._connections)
        _INHERITED.extend(left)  # referenced for ever: closing the parent's connection here could harm the parent
        self._forked_inside = self._forked_inside or bool(left)
        self._reset()


def _touch(path: str) -> None:
    os.close(os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600))  # SQLite copies the mode of the database


def _configured(connection: Connection) -> Connection:
    handle = connection.handle
    handle.set_busy_timeout(int(sqlite_errors.PATIENCE * 1000))
    # Leaving the WAL to the next process saves every command the fsyncs of a checkpoint; SQLite still makes one
    # whenever the WAL has grown by a thousand pages.
    handle.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    # A catalogue may come from an enemy: nothing that its schema says is ever run.
    handle.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
    handle.config(apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER, 0)
    handle.config(apsw.SQLITE_DBCONFIG_ENABLE_VIEW, 0)
    handle.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
    handle.limit(apsw.SQLITE_LIMIT_LENGTH, _LONGEST_VALUE)
    try:
        connection.execute(
            f"PRAGMA synchronous = FULL; PRAGMA cache_size = -{_CACHE_KIB}; PRAGMA journal_size_limit = {_WAL_BYTES}"
        )
    except BaseException:
        connection.close()
        raise
    return connection


def _check_file(path: str) -> None:
    """A link could lead to somebody's own database, and a pipe would be waited for."""
    try:
        status = os.lstat(path)
    except OSError:
        return  # SQLite says it better
    if not stat.S_ISREG(status.st_mode):
        raise Integrity(
            f"the store's catalogue is not a file of its own: {path} is a link or something else",
            hints=["put catalogue.db back from a copy of the store"],
        )


def _open_readonly(path: str) -> apsw.Connection:
    """A WAL needs its index beside it; where none can be made and there is no WAL, the file never changes."""
    from urllib.parse import quote

    frozen = not os.access(os.path.dirname(path), os.W_OK) and not os.path.exists(f"{path}-wal")
    uri = f"file:{quote(os.path.abspath(path))}?mode=ro{'&immutable=1' if frozen else ''}"
    return apsw.Connection(uri, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)


_DATABASES: weakref.WeakSet[SqliteDatabase] = weakref.WeakSet()
_INHERITED: list[Connection] = []
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
