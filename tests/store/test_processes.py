"""Several processes on one store, and a process that forks."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from support import campaigns
from support.memory import PEAK
from support.processes import at_once, finish, in_child, start
from support.stores import noise, nothing, problems, save
from takeback.model.ids import BlobKind
from takeback.store.blobstore import BlobStore, open_local, open_memory
from takeback.store.catalogue import counters
from takeback.store.stats import stats


def test_eight_processes_write_at_once_and_nothing_is_lost(tmp_path: Path) -> None:
    open_local(tmp_path / "store").close()
    rounds = 12

    def work(process: int) -> None:
        with open_local(tmp_path / "store") as store:
            for round in range(rounds):
                with store.writer() as writer:
                    writer.put(noise(2000, ("shared", round)), BlobKind.DATA)
                    writer.put(noise(2000, (process, round)), BlobKind.DATA)
                    if round % 6 == 5:
                        writer.put(noise(600_000, ("large", process, round)), BlobKind.DATA)
                    writer.commit(lambda tx: counters.next_value(tx, "test"))

    at_once([lambda process=process: work(process) for process in range(8)])  # type: ignore[misc]
    with open_local(tmp_path / "store") as store:
        with store.database.read() as tx:
            assert counters.value(tx, "test") == 8 * rounds
        with store.reader() as reader:
            for process in range(8):
                for round in range(rounds):
                    data = noise(2000, (process, round))
                    assert reader.get(store.blob_id(data)) == data
        assert stats(store).blobs == {"data": rounds + 8 * rounds + 8 * 2}
        assert problems(store) == []


def test_a_fork_and_its_parent_both_go_on(local: BlobStore) -> None:
    (before,) = save(local, [b"before"])
    with local.reader() as reader:

        def child() -> tuple[bytes, bytes, bytes]:
            (mine,) = save(local, [b"the child's"])
            with local.reader() as own:
                return own.get(before), own.get(mine), reader.get(before)

        assert in_child(child) == (0, (b"before", b"the child's", b"before"))
        (after,) = save(local, [b"the parent's"])
        assert reader.get(after) == b"the parent's"
        assert reader.get(local.blob_id(b"the child's")) == b"the child's"
    assert problems(local) == []


def test_forks_while_other_threads_use_the_store(local: BlobStore) -> None:
    stop = threading.Event()
    errors: list[BaseException] = []

    def busy(thread: int) -> None:
        number = 0
        try:
            while not stop.is_set():
                number += 1
                (id,) = save(local, [b"%d %d" % (thread, number)])
                with local.reader() as reader:
                    assert reader.get(id) == b"%d %d" % (thread, number)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=busy, args=(thread,)) for thread in range(3)]
    for thread in threads:
        thread.start()
    try:
        for number in range(15):
            code, id = in_child(lambda number=number: save(local, [b"child %d" % number])[0])  # type: ignore[misc]
            assert code == 0
            with local.reader() as reader:
                assert reader.get(id) == b"child %d" % number
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert errors == []
    assert problems(local) == []


def test_a_child_of_a_fork_inside_a_transaction_is_refused(local: BlobStore) -> None:
    def child() -> str:
        try:
            local.reader()
        except Exception as error:
            return str(error)
        return "it worked"

    with local.database.write() as tx:
        counters.next_value(tx, "test")
        code, said = in_child(child)
        assert code == 0 and "forked in the middle of a transaction" in said and "hint:" in said
    with local.database.read() as tx:
        assert counters.value(tx, "test") == 1


def test_a_store_in_memory_is_copied_by_a_fork() -> None:
    with open_memory() as store:
        (id,) = save(store, [b"data"])

        def child() -> bytes:
            save(store, [b"more"])
            with store.reader() as reader:
                return reader.get(id)

        assert in_child(child) == (0, b"data")
        with store.writer() as writer:
            assert store.blob_id(b"more") not in writer


STREAM = """
import sys
from blake3 import blake3
from takeback.store.blobstore import open_local

size, piece = int(sys.argv[2]), 1 << 20
source = blake3(b"stream")
position = 0

def read(count):
    global position
    count = min(count, piece, size - position)
    data = source.digest(length=count, seek=position)
    position += count
    return data

with open_local(sys.argv[1]) as store:
    with store.writer() as writer:
        id, length = writer.put_stream(read)
        writer.commit(lambda tx: None)
    assert length == size, length
    written = peak_mb()
    with store.reader() as reader:
        assert reader.size(id) == size
        assert sum(map(len, reader.stream(id))) == size
print(written, peak_mb())
"""


@pytest.mark.campaign("large-workspaces")
def test_a_large_blob_passes_through_without_being_held(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PEAK + STREAM, str(tmp_path / "store"), str(campaigns.size(1 << 29, 1 << 30))],
        capture_output=True,
        text=True,
        env=os.environ.copy(),
    )
    assert done.returncode == 0, done.stderr
    written, read = map(int, done.stdout.split())
    assert written < 150, "while it is stored"
    assert read < 200, "while it is read"


def test_a_commit_while_another_process_waits_for_its_own(tmp_path: Path) -> None:
    """The second writer waits for the first transaction instead of failing."""
    with open_local(tmp_path / "store") as store:

        def child() -> bytes:
            with open_local(tmp_path / "store") as own:
                return save(own, [b"child"])[0]

        entered, let_go = threading.Event(), threading.Event()

        def hold() -> None:
            with store.database.write() as tx:
                counters.next_value(tx, "test")
                entered.set()
                let_go.wait()

        other = start(child)
        thread = threading.Thread(target=hold)
        thread.start()
        entered.wait()
        let_go.set()
        thread.join()
        code, id = finish(other)
        assert code == 0
        with store.writer() as writer:
            assert id in writer
            writer.commit(nothing)
