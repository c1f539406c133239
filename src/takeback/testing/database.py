"""What `takeback.store.catalogue.database.Database` promises, as tests."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from takeback.errors import InvalidInput, TakebackError
from takeback.store.catalogue import blobs, counters
from takeback.store.catalogue.database import Database
from takeback.store.packs.pack import FrameSpan, PackEntry


class DatabaseSuite:
    """Subclass it and override the fixture ``database`` with an empty catalogue of your kind."""

    @pytest.fixture
    def database(self) -> Iterator[Database]:
        raise NotImplementedError("override the fixture `database`")

    def test_what_is_written_is_read(self, database: Database) -> None:
        with database.write() as tx:
            assert counters.next_value(tx, "test") == 1
            assert counters.next_value(tx, "test", by=5) == 6
        with database.read() as tx:
            assert counters.value(tx, "test") == 6
            assert counters.value(tx, "never used") == 0

    def test_a_block_that_raises_leaves_nothing(self, database: Database) -> None:
        with pytest.raises(RuntimeError, match="no"):
            with database.write() as tx:
                counters.next_value(tx, "test")
                raise RuntimeError("no")
        with database.read() as tx:
            assert counters.value(tx, "test") == 0

    def test_bytes_text_and_numbers_keep_their_type(self, database: Database) -> None:
        root, name = b"\x00\xff/any bytes", "any text: ✓"
        with database.write() as tx:
            tx.execute(
                "INSERT INTO timelines (id, root, name, created_ns, head, fork_of) VALUES (?, ?, ?, ?, ?, ?)",
                (1, root, name, 2**62, None, None),
            )
        with database.read() as tx:
            rows = tx.execute("SELECT root, name, created_ns, head FROM timelines")
        assert [(bytes(row[0]), *row[1:]) for row in rows] == [(root, name, 2**62, None)]

    def test_a_sound_one_finds_nothing_wrong_with_itself(self, database: Database) -> None:
        with database.write() as tx:
            tx.executemany("INSERT INTO pins (snapshot) VALUES (?)", ((str(number),) for number in range(1000)))
        assert database.damage(thorough=True) == database.damage(thorough=False) == []

    def test_who_looks_knows_that_somebody_wrote(self, database: Database) -> None:
        seen = database.changes()
        assert database.changes() == seen
        with ThreadPoolExecutor(1) as others:
            others.submit(_count, database).result()
        assert database.changes() != seen

    def test_it_goes_on_after_it_was_disconnected(self, database: Database) -> None:
        with database.write() as tx:
            counters.next_value(tx, "test")
        database.disconnect()
        with database.write() as tx:
            assert counters.next_value(tx, "test") == 2

    def test_executemany_runs_once_for_each_row(self, database: Database) -> None:
        with database.write() as tx:
            tx.executemany("INSERT INTO pins (snapshot) VALUES (?)", ((str(number),) for number in range(1000)))
            tx.executemany("INSERT INTO pins (snapshot) VALUES (?)", ())
            assert tx.execute("SELECT COUNT(*) FROM pins") == [(1000,)]

    def test_scrubbing_and_tidying_keep_what_is_there(self, database: Database) -> None:
        with database.write() as tx:
            tx.executemany("INSERT INTO pins (snapshot) VALUES (?)", ((str(number),) for number in range(1000)))
            tx.execute("DELETE FROM pins WHERE snapshot <> ?", ("500",))
        assert database.scrub()
        database.tidy()
        with database.read() as tx:
            assert tx.execute("SELECT snapshot FROM pins") == [("500",)]

    def test_a_refused_statement_is_an_error_of_ours(self, database: Database) -> None:
        with pytest.raises(TakebackError):
            with database.write() as tx:
                tx.execute("INSERT INTO pins (snapshot) VALUES (?)", ("a",))
                tx.execute("INSERT INTO pins (snapshot) VALUES (?)", ("a",))
        with pytest.raises(TakebackError):
            with database.read() as tx:
                tx.execute("SELECT nonsense FROM nowhere")
        with database.write() as tx:
            assert tx.execute("SELECT COUNT(*) FROM pins") == [(0,)]

    def test_reads_nest_in_reads_and_in_writes(self, database: Database) -> None:
        with database.read() as outer, database.read() as inner:
            assert counters.value(outer, "test") == counters.value(inner, "test") == 0
        with database.write() as outer:
            counters.next_value(outer, "test")
            with database.read() as inner:
                assert counters.value(inner, "test") == 1

    def test_an_inner_write_that_fails_takes_back_only_itself(self, database: Database) -> None:
        with database.write() as outer:
            counters.next_value(outer, "outer")
            with pytest.raises(RuntimeError, match="inner"):
                with database.write() as inner:
                    counters.next_value(inner, "inner")
                    raise RuntimeError("inner")
            with database.write() as inner:
                counters.next_value(inner, "second")
        with database.read() as tx:
            assert [counters.value(tx, name) for name in ("outer", "inner", "second")] == [1, 0, 1]

    def test_a_write_inside_a_read_is_refused(self, database: Database) -> None:
        with database.read():
            with pytest.raises(InvalidInput):
                with database.write():
                    pass
        with database.write() as tx:
            counters.next_value(tx, "test")

    def test_threads_never_get_the_same_number(self, database: Database) -> None:
        def take(_: int) -> list[int]:
            numbers = []
            for _ in range(25):
                with database.write() as tx:
                    before = counters.value(tx, "test")
                    numbers.append(counters.next_value(tx, "test"))
                    assert numbers[-1] == before + 1
            return numbers

        with ThreadPoolExecutor(8) as pool:
            numbers = [number for taken in pool.map(take, range(8)) for number in taken]
        assert sorted(numbers) == list(range(1, 201))

    def test_a_write_is_seen_by_other_threads_only_when_it_ends(self, database: Database) -> None:
        seen: list[int] = []

        def look() -> None:
            with database.read() as tx:
                seen.append(counters.value(tx, "test"))

        with database.write() as tx:
            counters.next_value(tx, "test")
            looking = threading.Thread(target=look)
            looking.start()
            looking.join(0.2)  # a database may let it see the past, or let it wait
        looking.join()
        assert seen in ([0], [1])
        look()
        assert seen[-1] == 1

    def test_a_blob_is_known_once_its_pack_is_live_and_unknown_when_it_is_condemned(self, database: Database) -> None:
        entry = PackEntry(b"b" * 32, 1, 0, 0, 10)
        with database.write() as tx:
            first = blobs.add_pending(tx, "first", 1)
            assert blobs.known(tx, [entry.id], frozenset()) == set()
            assert blobs.make_live(tx, first, 100, [FrameSpan(24, 30, 10)], [entry])
            assert not blobs.make_live(tx, first, 100, [], [])
            assert blobs.known(tx, [entry.id, b"x" * 32], frozenset()) == {entry.id}
        with database.write() as tx:
            tx.execute("UPDATE packs SET state = 'condemned' WHERE id = ?", (first,))
            gone = blobs.condemned(tx)
            assert gone == {first}
            assert blobs.known(tx, [entry.id], gone) == set()
            found = blobs.locate(tx, entry.id)
            assert found is not None and found.pack == first
            assert blobs.locate_frame(tx, first, 0) == ("first", FrameSpan(24, 30, 10))
            assert blobs.locate_frame(tx, first, 1) is None
            second = blobs.add_pending(tx, "second", 2)
            blobs.make_live(tx, second, 100, [FrameSpan(24, 40, 20)], [entry._replace(start=10)])
            moved = blobs.locate(tx, entry.id)
            assert moved is not None and (moved.pack, moved.start) == (second, 10)
            assert blobs.forget_pending(tx, blobs.add_pending(tx, "third", 2))
            assert not blobs.forget_pending(tx, second)

    def test_a_blob_stored_twice_stays_where_it_was_first(self, database: Database) -> None:
        entries = [PackEntry(bytes([number]) * 32, 1, 0, number, 1) for number in range(3)]
        with database.write() as tx:
            numbers = [blobs.add_pending(tx, name, 1) for name in ("first", "second")]
            for number in numbers:
                blobs.make_live(tx, number, 100, [FrameSpan(24, 30, 10)], entries)
            assert {at.pack for at in blobs.locate_all(tx, [entry.id for entry in entries])} == {numbers[0]}

    def test_looking_up_many_ids_finds_each_once(self, database: Database) -> None:
        entries = [PackEntry(number.to_bytes(32, "big"), 1, 0, number, 1) for number in range(1000)]
        with database.write() as tx:
            blobs.add_hot(tx, b"sealed", 1000, entries)
        asked = [number.to_bytes(32, "big") for number in range(500, 1500)]
        with database.read() as tx:
            assert blobs.known(tx, asked, frozenset()) == set(asked[:500])
            found = blobs.locate_all(tx, asked)
            assert sorted(at.id for at in found) == asked[:500]
            assert {(at.pack, at.frame) for at in found} == {(blobs.HOT_PACK, 1)}
            assert blobs.hot_frame(tx, 1) == (b"sealed", 1000)
            assert blobs.hot_frame(tx, 2) is None

    def test_it_says_how_large_it_is(self, database: Database) -> None:
        assert database.size() > 0

    def test_tidying_keeps_every_row(self, database: Database) -> None:
        with database.write() as tx:
            for _ in range(100):
                blobs.add_hot(tx, bytes(10_000), 10_000, ())
        with database.write() as tx:
            tx.execute("DELETE FROM hot WHERE frame > 1")
        database.tidy()
        with database.read() as tx:
            assert blobs.hot_frame(tx, 1) == (bytes(10_000), 10_000)
            assert blobs.hot_frame(tx, 2) is None


def _count(database: Database) -> None:
    with database.write() as tx:
        counters.next_value(tx, "test")
