"""Folding, condemning and sweeping: nothing that is needed goes, whoever is at work and wherever it is killed."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Collection, Iterator
from pathlib import Path

import pytest

from support.processes import KILLED, in_child
from support.stores import noise, nothing, pack_files, problems, save
from takeback.errors import Integrity, Locked, Unavailable
from takeback.model.ids import BlobKind
from takeback.model.progress import Watch
from takeback.store import verify
from takeback.store.blobstore import BlobStore, open_local
from takeback.store.catalogue import blobs, collecting, counters
from takeback.store.collection import maintenance, sweeping
from takeback.store.collection.condemning import MANY, condemn
from takeback.store.collection.folding import fold
from takeback.store.collection.maintenance import Maintained
from takeback.store.collection.packer import Packer
from takeback.store.derived import UNFINISHED
from takeback.store.locks import root_lock
from takeback.store.reader import Reader
from takeback.store.stats import stats

LARGE = 400_000
"""More than a commit may keep in hot rows."""


def maintain(store: BlobStore, needed: Collection[bytes]) -> Maintained:
    return maintenance.maintain(store, lambda dropped: set(needed), Watch())


def read_all(store: BlobStore, ids: Collection[bytes]) -> list[bytes]:
    with store.reader() as reader:
        return [reader.get(id) for id in ids]


def states(store: BlobStore) -> list[str]:
    with store.database.read() as tx:
        return [row.state for row in blobs.packs(tx)]


def test_a_fold_moves_hot_rows_into_a_pack_and_every_blob_stays_readable(store: BlobStore) -> None:
    data = [noise(3000).hex().encode() + b" version %d" % number for number in range(200)]
    ids = [id for each in data for id in save(store, [each])]
    before = stats(store)
    assert before.hot_frames == 200
    assert fold(store, Watch()) == 200
    after = stats(store)
    assert (after.hot_frames, after.packs) == (0, 1)
    assert after.sealed_bytes < before.sealed_bytes / 2
    assert read_all(store, ids) == data
    assert problems(store) == []
    assert fold(store, Watch()) == 0


def test_maintenance_gives_the_space_back_to_the_disk(local: BlobStore) -> None:
    ids = [id for number in range(300) for id in save(local, [b"%d" % number * 3000])]
    done = maintain(local, ids)
    assert done.folded >= 300
    assert done.bytes_after < done.bytes_before / 2
    assert done.bytes_after == stats(local).bytes_on_disk
    assert read_all(local, ids) == [b"%d" % number * 3000 for number in range(300)]


def test_what_is_saved_during_a_fold_stays_for_the_next(store: BlobStore, monkeypatch: pytest.MonkeyPatch) -> None:
    first = save(store, [b"before"])
    finish = Packer.finish

    def somebody_saves(packer: Packer) -> None:
        save(store, [b"meanwhile"])
        finish(packer)

    monkeypatch.setattr(Packer, "finish", somebody_saves)
    assert fold(store, Watch()) == 1
    assert stats(store).hot_frames == 1
    assert read_all(store, [*first, store.blob_id(b"meanwhile")]) == [b"before", b"meanwhile"]


def test_a_reader_goes_on_across_folds_and_sweeps(store: BlobStore) -> None:
    data = [b"%d" % number for number in range(20)]
    ids = [id for each in data for id in save(store, [each])]
    with store.reader() as reader:
        order = reader.in_storage_order(ids)
        fold(store, Watch())
        assert [reader.get(id) for id in order[:10]] == data[:10]
        maintain(store, ids[:1])
        assert [reader.get(id) for id in order[10:]] == data[10:], "its lease keeps what nothing else needs"
        assert "condemned" in states(store)
    done = maintain(store, ids[:1])
    assert done.removed and not done.waiting
    assert read_all(store, ids[:1]) == data[:1]
    with pytest.raises(Integrity):
        read_all(store, ids[1:])


def test_a_blob_that_is_folded_between_finding_and_reading_it_is_read(
    store: BlobStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    (id,) = save(store, [b"moves"])
    open_hot = Reader._open_hot

    def fold_first(reader: Reader, at: blobs.Location) -> bytes:
        assert fold(store, Watch()) == 1
        return open_hot(reader, at)

    monkeypatch.setattr(Reader, "_open_hot", fold_first)
    assert read_all(store, [id]) == [b"moves"]


def test_what_nothing_needs_goes_and_the_rest_stays(store: BlobStore) -> None:
    data = [noise(LARGE, number) for number in range(4)]
    ids = save(store, data)
    done = maintain(store, ids[:1])
    assert (done.condemned, done.removed, done.waiting) == (1, 1, 0)
    assert done.bytes_after < done.bytes_before / 2
    assert read_all(store, ids[:1]) == data[:1]
    assert problems(store) == []
    with store.writer() as writer:
        assert writer.known(ids) == set(ids[:1])
    assert save(store, data) == ids
    assert read_all(store, ids) == data


def test_a_pack_that_is_mostly_needed_is_left_alone(store: BlobStore) -> None:
    ids = save(store, [noise(LARGE, number) for number in range(10)])
    done = maintain(store, ids[:-1])
    assert (done.condemned, done.removed) == (0, 0)
    assert problems(store) == []


def test_many_small_packs_become_one(store: BlobStore) -> None:
    data = [noise(LARGE, number) for number in range(MANY)]
    ids = [id for each in data for id in save(store, [each])]
    assert stats(store).packs == MANY
    maintain(store, ids)
    assert stats(store).packs == 1
    assert read_all(store, ids) == data
    assert problems(store) == []


def test_large_blobs_keep_their_chunks(store: BlobStore) -> None:
    whole = noise(3_000_000)
    with store.writer() as writer:
        id = writer.put(whole, BlobKind.DATA)
        others = [writer.put(noise(1_000_000, number), BlobKind.DATA) for number in range(6)]
        writer.commit(nothing)
    with store.reader() as reader:
        needed = {id, *(chunk.id for chunk in reader.recipe(id).chunks)}
    done = maintain(store, needed)
    assert done.removed == 1
    assert read_all(store, [id]) == [whole]
    assert problems(store) == []
    with store.writer() as writer:
        assert not writer.known(others)


def test_who_began_before_a_condemnation_may_rely_on_what_is_condemned(store: BlobStore) -> None:
    """The case that corrupts repositories: deduplicated against a pack that a collection is about to remove."""
    needed: set[bytes] = set()
    (id,) = save(store, [noise(LARGE)])
    writer = store.writer()
    assert writer.put(noise(LARGE), BlobKind.DATA) == id
    done = maintain(store, needed)
    assert (done.condemned, done.removed, done.waiting) == (1, 0, 1)
    writer.commit(lambda tx: needed.add(id))
    assert writer.added == 0, "it was not stored again"
    writer.close()
    done = maintenance.maintain(store, lambda dropped: needed, Watch())
    assert (done.removed, done.revived) == (0, 1)
    assert read_all(store, [id]) == [noise(LARGE)]
    assert problems(store) == []


def test_who_begins_after_a_condemnation_stores_again(store: BlobStore) -> None:
    (id,) = save(store, [noise(LARGE)])
    with store.reader():
        assert maintain(store, []).waiting == 1
        assert save(store, [noise(LARGE)]) == [id]
    done = maintain(store, [id])
    assert (done.removed, done.revived) == (1, 0)
    assert read_all(store, [id]) == [noise(LARGE)]
    assert problems(store) == []


def test_a_lease_older_than_a_sweep_cannot_commit(local: BlobStore) -> None:
    assert local.path is not None
    (id,) = save(local, [noise(LARGE)])
    with local.writer() as writer:
        writer.put(noise(LARGE), BlobKind.DATA)
        for file in (local.path / "leases").iterdir():
            file.unlink()  # as if its lock had been lost: a frozen machine, a meddler
        assert maintain(local, []).removed == 1
        with pytest.raises(Locked, match="swept"):
            writer.commit(nothing)
    assert problems(local) == []
    with local.reader() as reader, pytest.raises(Integrity):
        reader.get(id)


def test_what_a_killed_writer_left_goes_and_a_running_one_keeps_its_own(tmp_path: Path) -> None:
    path = tmp_path / "store"
    open_local(path).close()

    def die() -> None:
        with open_local(path) as store:
            writer = store.writer()
            writer.put(noise(3_000_000, "dead"), BlobKind.DATA)
            writer._settle()
            os.kill(os.getpid(), signal.SIGKILL)

    code, _ = in_child(die)
    assert code == KILLED
    with open_local(path) as store, store.writer() as writer:
        running = writer.put(noise(3_000_000, "running"), BlobKind.DATA)
        writer._settle()
        assert states(store) == ["pending", "pending"]
        first = maintain(store, [])
        assert first.leftovers == 0, "the running one's lease is as old as the dead one's"
        writer.commit(nothing)
        writer.close()
        assert maintain(store, writer_needs(store, running)).leftovers >= 1
        assert "pending" not in states(store)
        assert not list((path / "tmp").iterdir())
        assert read_all(store, [running]) == [noise(3_000_000, "running")]
        assert problems(store) == []


def writer_needs(store: BlobStore, id: bytes) -> set[bytes]:
    with store.reader() as reader:
        return {id, *(chunk.id for chunk in reader.recipe(id).chunks)}


@pytest.mark.parametrize("and_its_file", [False, True])
def test_a_pack_that_goes_while_the_store_is_verified_is_no_problem(
    store: BlobStore, monkeypatch: pytest.MonkeyPatch, and_its_file: bool
) -> None:
    kept = save(store, [noise(LARGE, "kept")])
    save(store, [noise(LARGE, "dead")])
    assert condemn(store, set(kept), Watch()) == 1
    check = verify._check_pack

    def sweep_first(store: BlobStore, row: blobs.PackRow, read_data: bool, watch: Watch) -> Iterator[verify.Problem]:
        sweeping.sweep(store, lambda generation: set(kept))
        if and_its_file:
            sweeping.remove_leftovers(store, [])
        yield from check(store, row, read_data, watch)

    monkeypatch.setattr(verify, "_check_pack", sweep_first)
    assert problems(store) == []
    assert "condemned" not in states(store)


def test_a_pack_that_goes_in_the_middle_of_its_check_is_no_problem(
    store: BlobStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = save(store, [noise(LARGE, "kept")])
    save(store, [noise(LARGE, "dead")])
    assert condemn(store, set(kept), Watch()) == 1
    size = store.backend.size

    def and_sweep(name: str) -> int:
        found = size(name)
        sweeping.sweep(store, lambda generation: set(kept))
        sweeping.remove_leftovers(store, [])
        return found

    monkeypatch.setattr(store.backend, "size", and_sweep)
    with store.database.read() as tx:
        packs = [row for row in blobs.packs(tx) if row.state == "condemned"]
    monkeypatch.setattr(
        blobs, "packs", lambda tx, found=blobs.packs: sorted(found(tx), key=lambda row: row not in packs)
    )
    assert problems(store) == []
    assert states(store) == ["live"]


def test_only_one_maintenance_at_a_time(local: BlobStore) -> None:
    save(local, [b"data"])
    with root_lock(str(local.path / "packs")):  # type: ignore[operator]
        assert maintain(local, []) == Maintained(busy=True)
    assert maintain(local, []).folded


def test_a_read_only_store_is_not_maintained(tmp_path: Path) -> None:
    open_local(tmp_path / "store").close()
    with open_local(tmp_path / "store", readonly=True) as store, pytest.raises(Unavailable, match="read-only"):
        maintain(store, [])


def test_a_damaged_pack_is_left_for_repair(local: BlobStore) -> None:
    assert local.path is not None
    ids = save(local, [noise(LARGE, 1), noise(LARGE, 2)])
    (pack,) = pack_files(local.path)
    pack.chmod(0o600)
    damaged = bytearray(pack.read_bytes())
    damaged[100] ^= 1
    pack.write_bytes(damaged)
    assert condemn(local, {ids[0]}, Watch()) == 0
    assert pack.exists()
    assert states(local) == ["live"]


def test_the_history_is_noted_for_repair_and_only_the_newest_is_kept(store: BlobStore) -> None:
    with store.database.write() as tx:
        tx.execute(
            "INSERT INTO timelines (id, root, name, created_ns, head, fork_of) VALUES (1, ?, 'main', 5, NULL, NULL)",
            (b"/caf\xe9",),
        )
        counters.next_value(tx, "timelines")
    maintain(store, [])
    first = newest_history(store)
    raw = json.loads(read_all(store, [first])[0])
    assert raw["format"] == 1
    assert raw["timelines"]["rows"] == [[1, b"/caf\xe9".hex(), "main", 5, None, None]]
    assert raw["snapshots"]["columns"][:2] == ["seq", "id"]
    maintain(store, [])
    assert newest_history(store) == first, "nothing new, nothing written"
    with store.database.write() as tx:
        tx.execute("UPDATE timelines SET created_ns = 6")
    maintain(store, [])
    assert newest_history(store) != first
    maintain(store, [])
    with store.database.read() as tx:
        assert blobs.of_kind(tx, BlobKind.HISTORY) == [newest_history(store)]
    assert problems(store) == []


def newest_history(store: BlobStore) -> bytes:
    with store.database.read() as tx:
        found = collecting.newest_history(tx)
    assert found is not None
    return found


def test_half_written_derived_files_and_leases_of_the_past_are_removed(local: BlobStore) -> None:
    assert local.path is not None
    save(local, [b"data"])
    left = local.path / "derived" / f"{UNFINISHED}0123456789abcdef"
    left.write_bytes(b"half a file")
    for _ in range(3):
        with local.database.write() as tx:
            collecting.advance(tx)
        local.leases.acquire().release()
    maintain(local, [])
    assert not left.exists()
    maintain(local, [])
    assert len(os.listdir(local.path / "leases")) <= 1


def packs(store: BlobStore) -> list[blobs.PackRow]:
    with store.database.read() as tx:
        return blobs.packs(tx)
