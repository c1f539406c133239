from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import apsw
import pytest

from support.privileges import as_ordinary_user
from takeback.errors import Integrity, InvalidInput, Locked, Unavailable
from takeback.store.catalogue import counters, sqlite_errors, wal
from takeback.store.catalogue.database import Row
from takeback.store.catalogue.sqlite import SqliteDatabase
from takeback.store.catalogue.sqlite_connection import Connection
from takeback.store.catalogue.wal import unread_commits


@pytest.fixture
def database(tmp_path: Path) -> Iterator[SqliteDatabase]:
    database = SqliteDatabase(str(tmp_path / "catalogue.db"))
    database.create()
    yield database
    database.close()


def test_commits_are_durable_and_readers_do_not_block(database: SqliteDatabase) -> None:
    with database.read() as tx:
        assert tx.execute("PRAGMA journal_mode") == [("wal",)]
        assert tx.execute("PRAGMA synchronous") == [(2,)]


def test_sqlite_is_recent_enough_not_to_lose_the_wal() -> None:
    assert tuple(map(int, apsw.sqlite_lib_version().split("."))) >= (3, 51, 3)


def test_making_the_tables_twice_changes_nothing(database: SqliteDatabase) -> None:
    with database.write() as tx:
        counters.next_value(tx, "test")
    database.create()
    with database.read() as tx:
        assert counters.value(tx, "test") == 1


def test_a_reader_sees_one_moment(database: SqliteDatabase) -> None:
    def write() -> None:
        with database.write() as tx:
            counters.next_value(tx, "test")

    with database.read() as tx:
        assert counters.value(tx, "test") == 0
        thread = threading.Thread(target=write)
        thread.start()
        thread.join()
        assert counters.value(tx, "test") == 0
    with database.read() as tx:
        assert counters.value(tx, "test") == 1


def test_a_writer_that_waits_too_long_says_that_others_are_writing(
    tmp_path: Path, database: SqliteDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_errors, "PATIENCE", 0.05)
    other = SqliteDatabase(str(tmp_path / "catalogue.db"))  # as another process: nothing is shared but the file
    with database.write():
        with pytest.raises(Locked, match="another takeback is writing") as caught, other.write():
            pass
        assert caught.value.hints
        with other.read() as tx:
            counters.value(tx, "test")
    with other.write() as tx:
        counters.next_value(tx, "test")
    other.close()


def test_a_thread_that_waits_too_long_says_so_too(database: SqliteDatabase, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_errors, "PATIENCE", 0.05)
    errors: list[Exception] = []

    def write() -> None:
        try:
            with database.write():
                pass
        except Exception as error:
            errors.append(error)

    with database.write():
        thread = threading.Thread(target=write)
        thread.start()
        thread.join()
    assert [type(error) for error in errors] == [Locked]


@pytest.mark.parametrize("statement", ["BEGIN", "BEGIN IMMEDIATE", "COMMIT"])
@pytest.mark.parametrize("after", [False, True])
def test_an_interrupt_leaves_no_transaction_open(
    database: SqliteDatabase, monkeypatch: pytest.MonkeyPatch, statement: str, after: bool
) -> None:
    """As Ctrl-C does while SQLite waits for another writer: it is heard when the statement has returned."""
    execute, interrupts = Connection.execute, [KeyboardInterrupt()]

    def interrupted(connection: Connection, sql: str, params: Sequence[Any] = ()) -> list[Row]:
        if sql != statement or not interrupts:
            return execute(connection, sql, params)
        if after:
            execute(connection, sql, params)
        raise interrupts.pop()

    monkeypatch.setattr(Connection, "execute", interrupted)
    with pytest.raises(KeyboardInterrupt), database.read() if statement != "BEGIN IMMEDIATE" else database.write():
        pass
    monkeypatch.undo()

    def write() -> None:
        with database.write() as tx:
            counters.next_value(tx, "test")

    thread = threading.Thread(target=write)  # with a connection of its own
    thread.start()
    thread.join()
    write()
    with database.read() as tx:
        assert counters.value(tx, "test") == 2


def test_a_full_disk_is_said_and_the_transaction_is_undone(database: SqliteDatabase) -> None:
    with database.read() as tx:
        pages = tx.execute("PRAGMA page_count")[0][0]
    database._connection().execute(f"PRAGMA max_page_count = {pages + 2}")
    with pytest.raises(Unavailable, match=r"the disk is full \(.*iB free at ") as caught, database.write() as tx:
        counters.next_value(tx, "test")
        tx.execute("INSERT INTO hot (frame, data, raw_length) VALUES (1, ?, 1)", (bytes(100_000),))
    assert caught.value.hints
    with database.write() as tx:
        assert counters.value(tx, "test") == 0
        counters.next_value(tx, "test")


def test_damage_is_said(tmp_path: Path, database: SqliteDatabase) -> None:
    with database.write() as tx:
        tx.executemany("INSERT INTO pins (snapshot) VALUES (?)", ((f"{number:0100}",) for number in range(2000)))
    database._connection().execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()
    file = tmp_path / "catalogue.db"
    data = bytearray(file.read_bytes())
    data[8192:-4096] = b"\xa5" * (len(data) - 12288)
    file.write_bytes(data)
    damaged = SqliteDatabase(str(file))
    with pytest.raises(Integrity, match="damaged") as caught, damaged.read() as tx:
        tx.execute("SELECT COUNT(snapshot) FROM pins WHERE snapshot LIKE '%9'")
    assert "takeback store repair" in caught.value.hints[0]
    damaged.close()


def test_closing_one_threads_store_closes_all(database: SqliteDatabase) -> None:
    opened, closed = threading.Event(), threading.Event()
    errors: list[Exception] = []

    def use() -> None:
        with database.read() as tx:
            counters.value(tx, "test")
        opened.set()
        closed.wait()
        try:
            with database.read():
                pass
        except Exception as error:
            errors.append(error)

    thread = threading.Thread(target=use)
    thread.start()
    opened.wait()
    database.close()
    closed.set()
    thread.join()
    assert [type(error) for error in errors] == [InvalidInput]
    database.close()


def test_a_thread_that_ended_leaves_no_connection(database: SqliteDatabase) -> None:
    def use() -> None:
        with database.read() as tx:
            counters.value(tx, "test")

    for _ in range(10):
        thread = threading.Thread(target=use)
        thread.start()
        thread.join()
    assert len(database._connections) <= 1


def test_scrubbing_leaves_nothing_of_deleted_rows_unless_a_reader_is_in_the_way(
    tmp_path: Path, database: SqliteDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("takeback.store.catalogue.sqlite._TIDY_PATIENCE", 1)
    secret = b"nothing like this is anywhere else" * 100
    with database.write() as tx:
        tx.execute("INSERT INTO hot (frame, data, raw_length) VALUES (1, ?, 0)", (secret,))
    with database.write() as tx:
        tx.execute("DELETE FROM hot")

    def found() -> bool:
        return any(secret[:34] in file.read_bytes() for file in tmp_path.iterdir())

    assert found()
    other = SqliteDatabase(str(tmp_path / "catalogue.db"))
    with other.read() as tx:
        tx.execute("SELECT COUNT(*) FROM hot")
        assert not database.scrub()
    other.close()
    assert database.scrub()
    assert not found()


def test_a_wal_that_could_once_be_opened_only_to_read_is_opened_again(tmp_path: Path) -> None:
    def work() -> int:
        place = tmp_path / "catalogue.db"
        SqliteDatabase(str(place)).create()
        wal = place.with_name("catalogue.db-wal")
        wal.chmod(0o400)
        database = SqliteDatabase(str(place))
        with pytest.raises(Unavailable), database.write() as tx:
            counters.next_value(tx, "test")
        wal.chmod(0o600)
        with database.write() as tx:
            return counters.next_value(tx, "test")

    assert as_ordinary_user(work) == 1


def test_what_others_commit_while_the_log_is_looked_at_is_no_damage(
    database: SqliteDatabase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = SqliteDatabase(str(tmp_path / "catalogue.db"))
    looked = 0

    def after_three_commits(path: str, read: int, page_size: int) -> int:
        nonlocal looked
        looked += 1
        for _ in range(3 if looked == 1 else 0):
            with other.write() as tx:
                counters.next_value(tx, "test")
        return unread_commits(path, read, page_size)

    monkeypatch.setattr(wal, "unread_commits", after_three_commits)
    assert database.damage(thorough=False) == []
    assert looked == 2
    other.close()
