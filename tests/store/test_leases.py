from __future__ import annotations

import errno
import os
import signal
from pathlib import Path

import pytest

from support.processes import start
from support.stores import noise, nothing, problems
from takeback.errors import Locked
from takeback.model.ids import BlobKind
from takeback.store import leases
from takeback.store.blobstore import BlobStore, open_local
from takeback.store.catalogue import counters


def advance(store: BlobStore) -> int:
    """What a collector does when it condemns: the generation that has passed."""
    with store.database.write() as tx:
        return counters.next_value(tx, "generation") - 1


def sweep(store: BlobStore, generation: int) -> None:
    with store.database.write() as tx:
        tx.execute("UPDATE counters SET value = ? WHERE name = 'swept'", (generation,))


def test_a_generation_ends_when_its_last_lease_does(store: BlobStore) -> None:
    first, second = store.leases.acquire(), store.leases.acquire()
    passed = advance(store)
    later = store.leases.acquire()
    assert first.generation == second.generation == passed < later.generation
    assert not store.leases.ended(passed)
    first.release()
    first.release()
    assert not store.leases.ended(passed)
    second.release()
    assert store.leases.ended(passed)
    assert store.leases.ended(passed)
    assert not store.leases.ended(advance(store))
    later.release()


def test_readers_and_writers_hold_leases_for_their_life(store: BlobStore) -> None:
    with store.writer() as writer:
        writer.put(b"data", BlobKind.DATA)
        writer.commit(nothing)
        passed = advance(store)
        assert not store.leases.ended(passed)
    assert store.leases.ended(passed)
    with store.reader():
        passed = advance(store)
        assert not store.leases.ended(passed)
    assert store.leases.ended(passed)


def test_a_writer_that_failed_holds_no_lease(store: BlobStore) -> None:
    with pytest.raises(RuntimeError), store.writer() as writer:
        writer.put(noise(2_000_000), BlobKind.DATA)
        raise RuntimeError
    assert store.leases.ended(advance(store))


def test_a_lease_of_another_process_counts_until_that_is_killed(tmp_path: Path) -> None:
    ready, tell = os.pipe()

    def hold() -> None:
        with open_local(tmp_path / "store") as store, store.reader():
            os.write(tell, b"x")
            signal.pause()

    with open_local(tmp_path / "store") as store:
        pid, result = start(hold)
        os.read(ready, 1)
        passed = advance(store)
        assert not store.leases.ended(passed)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        assert store.leases.ended(passed)
    for fd in (ready, tell, result):
        os.close(fd)


def test_a_lease_taken_while_the_generation_changes_is_of_the_new_one(
    local: BlobStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = leases._generation
    passed: list[int] = []

    def changing(database: object) -> int:
        generation = read(local.database)
        if not passed:
            passed.append(advance(local))
        return generation

    monkeypatch.setattr(leases, "_generation", changing)
    lease = local.leases.acquire()
    assert lease.generation == passed[0] + 1
    assert local.leases.ended(passed[0])
    lease.release()


@pytest.mark.parametrize("length", [100, 2_000_000])
def test_a_commit_under_a_swept_lease_fails_and_records_nothing(store: BlobStore, length: int) -> None:
    with store.writer() as writer:
        id = writer.put(noise(length), BlobKind.DATA)
        sweep(store, advance(store))
        with pytest.raises(Locked, match="lease was swept") as caught:
            writer.commit(lambda tx: counters.next_value(tx, "test"))
        assert caught.value.hints
    with store.database.read() as tx:
        assert counters.value(tx, "test") == 0
    with store.writer() as writer:
        assert id not in writer
        writer.put(noise(length), BlobKind.DATA)
        writer.commit(nothing)
    assert problems(store) == []


def test_writers_store_again_what_is_condemned_and_readers_still_read_it(local: BlobStore) -> None:
    data = noise(2_000_000)
    with local.writer() as writer:
        id = writer.put(data, BlobKind.DATA)
        writer.commit(nothing)
    with local.database.write() as tx:
        tx.execute("UPDATE packs SET state = 'condemned'")
        counters.next_value(tx, "generation")
    with local.reader() as reader:
        assert reader.get(id) == data
    with local.writer() as writer:
        assert id not in writer
        writer.put(data, BlobKind.DATA)
        writer.commit(nothing)
        assert id in writer and writer.added > 2_000_000
    with local.database.read() as tx:
        rows = tx.execute("SELECT DISTINCT p.state FROM blobs b JOIN packs p ON p.id = b.pack")
    assert rows == [("live",)]
    assert problems(local) == []


def test_lease_files_of_the_past_are_removed(local: BlobStore) -> None:
    for _ in range(5):
        local.leases.acquire().release()
        assert local.leases.ended(advance(local))
    assert local.path is not None
    assert len(list((local.path / "leases").iterdir())) <= 1


def test_a_lease_file_that_cannot_be_removed_ends_its_generation_all_the_same(
    local: BlobStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    local.leases.acquire().release()
    passed = advance(local)

    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(os, "unlink", refuse)
        assert local.leases.ended(passed)
    assert local.leases.ended(passed)
    assert local.path is not None
    assert not list((local.path / "leases").iterdir())
