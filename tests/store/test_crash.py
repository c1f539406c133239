"""A process that is killed between any two steps leaves a store that is whole, with the commit in it or not at all."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from support.processes import KILLED, in_child, kill_before_step
from support.stores import noise, problems, save
from takeback.model.ids import BlobKind
from takeback.store.blobstore import BlobStore, open_local
from takeback.store.catalogue import counters


def test_a_store_whose_making_was_killed_anywhere_is_made_by_the_next(tmp_path: Path) -> None:
    for step in itertools.count(1):
        path = tmp_path / str(step)

        def make(step: int = step, path: Path = path) -> None:
            kill_before_step(step)
            open_local(path)

        code, _ = in_child(make)
        with open_local(path) as store:
            (id,) = save(store, [noise(500_000, step)])
            with store.reader() as reader:
                assert reader.get(id) == noise(500_000, step)
            assert problems(store) == []
        assert not list(path.glob("*.new"))
        if code == 0:
            break
        assert code == KILLED
    assert step > 20


@pytest.mark.parametrize(
    ("count", "length", "least"), [(3, 1000, 8), (3, 500_000, 15)], ids=["into hot rows", "into a pack"]
)
def test_a_commit_that_was_killed_anywhere_is_there_wholly_or_not_at_all(
    tmp_path: Path, count: int, length: int, least: int
) -> None:
    earlier = [noise(400_000, "earlier"), b"earlier"]
    with open_local(tmp_path / "store") as store:
        kept = save(store, earlier)
    committed = 0
    for step in itertools.count(1):
        blobs = [noise(length, (step, number)) for number in range(count)]

        def commit(step: int = step, blobs: list[bytes] = blobs) -> None:
            with open_local(tmp_path / "store") as store, store.writer() as writer:
                kill_before_step(step)
                for data in blobs:
                    writer.put(data, BlobKind.DATA)
                writer.commit(lambda tx: counters.next_value(tx, "test"))
                store.derived.put("after", b"the commit")

        code, _ = in_child(commit)
        with open_local(tmp_path / "store") as store:
            with store.database.read() as tx:
                recorded = counters.value(tx, "test") - committed
            committed += recorded
            with store.reader() as reader, store.writer() as writer:
                assert [reader.get(id) for id in kept] == earlier
                known = writer.known(map(store.blob_id, blobs))
                assert len(known) == (count if recorded else 0), f"killed before step {step}"
                for data in blobs if recorded else []:
                    assert reader.get(store.blob_id(data)) == data
            assert problems(store) == []
            _rewrite(store, blobs)
        if code == 0:
            assert recorded == 1
            break
        assert code == KILLED
    assert step > least and committed >= 2, "some kills came after the commit, most before"


def _rewrite(store: BlobStore, blobs: list[bytes]) -> None:
    """What was lost can be saved again, whatever the killed process left behind."""
    ids = save(store, blobs)
    with store.reader() as reader:
        assert [reader.get(id) for id in ids] == blobs
