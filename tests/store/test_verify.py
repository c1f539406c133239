from __future__ import annotations

from pathlib import Path

import pytest

from support.stores import noise, only_pack, problems, save
from takeback.errors import OutOfTime
from takeback.model.ids import BlobKind
from takeback.model.progress import Watch
from takeback.store.blobstore import BlobStore, open_local
from takeback.store.verify import verify

MIB = 1 << 20


@pytest.fixture
def filled(local: BlobStore) -> BlobStore:
    """A store with a pack of several frames, a large blob, and hot rows."""
    save(local, [noise(100_000, number) for number in range(30)] + [noise(3 * MIB, "large")])
    save(local, [b"hot", b"rows"])
    return local


def flip(file: Path, position: int) -> None:
    file.chmod(0o600)
    data = bytearray(file.read_bytes())
    data[position] ^= 0x40
    file.write_bytes(data)


def sql(store: BlobStore, statement: str) -> None:
    with store.database.write() as tx:
        tx.execute(statement)


def test_a_good_store_has_no_problems(store: BlobStore) -> None:
    save(store, [noise(100_000, number) for number in range(30)] + [noise(3 * MIB), b""])
    save(store, [b"hot", b"rows"], BlobKind.TREE)
    assert problems(store) == [] == problems(store, read_data=False)


def test_a_missing_pack_is_named_with_every_blob_in_it(filled: BlobStore) -> None:
    file = only_pack(filled)
    file.unlink()
    (problem,) = problems(filled, read_data=False)
    assert (problem.kind, problem.pack) == ("missing pack", file.name)
    assert len(problem.blobs) > 30 and filled.blob_id(noise(100_000, 7)) in problem.blobs


@pytest.mark.parametrize("cut", [1, 50, 1_000_000])
def test_a_torn_pack_is_named(filled: BlobStore, cut: int) -> None:
    file = only_pack(filled)
    file.chmod(0o600)
    with file.open("r+b") as stream:
        stream.truncate(file.stat().st_size - cut)
    found = problems(filled, read_data=False)
    assert {(problem.kind, problem.pack) for problem in found} == {("damaged pack", file.name)}
    everything = problems(filled)
    assert any(problem.kind == "damaged frame" for problem in everything) == (cut > 1000)


@pytest.mark.parametrize("position", [0, 10, 24, 100, 500_000, 2_000_000, -1, -30, -60, -500])
def test_a_flipped_byte_anywhere_in_a_pack_is_found_when_data_is_read(filled: BlobStore, position: int) -> None:
    file = only_pack(filled)
    flip(file, position)
    found = problems(filled)
    assert found and {problem.pack for problem in found} == {file.name}


def test_a_flipped_byte_of_a_frame_names_the_blobs_it_harms_and_no_others(filled: BlobStore) -> None:
    file = only_pack(filled)
    victim = filled.blob_id(noise(100_000, 3))
    with filled.database.read() as tx:
        ((frame, start, position),) = tx.execute(
            "SELECT b.frame, b.start, f.position FROM blobs b JOIN frames f ON f.pack = b.pack AND f.frame = b.frame "
            "WHERE b.id = ?",
            (victim,),
        )
    flip(file, position + start + 50_000)  # noise is stored as it is, so the byte is in this blob
    assert problems(filled, read_data=False) == []
    (problem,) = problems(filled)
    assert problem.what == f"frame {frame} of pack {file.name}"
    assert problem.blobs == (victim,)


@pytest.mark.parametrize(
    ("statement", "kind"),
    [
        ("UPDATE packs SET size = size + 1", "damaged pack"),
        ("UPDATE frames SET raw_length = raw_length + 1 WHERE frame = 1", "disagreement"),
        ("DELETE FROM frames WHERE frame = 1", "lost blob"),
        ("UPDATE blobs SET start = start + 1 WHERE pack <> 0 AND start = 0 AND frame = 0", "disagreement"),
        ("DELETE FROM packs", "lost blob"),
        ("DELETE FROM hot", "lost blob"),
    ],
)
def test_a_catalogue_that_disagrees_is_found_without_reading_data(filled: BlobStore, statement: str, kind: str) -> None:
    sql(filled, statement)
    assert kind in {problem.kind for problem in problems(filled, read_data=False)}


def test_a_damaged_hot_frame_is_found_when_data_is_read(filled: BlobStore) -> None:
    sql(filled, "UPDATE hot SET data = x'00112233'")
    assert problems(filled, read_data=False) == []
    (problem,) = problems(filled)
    assert problem.kind == "damaged frame" and problem.what == "hot frame 1"
    assert set(problem.blobs) == {filled.blob_id(b"hot"), filled.blob_id(b"rows")}


def test_a_large_blob_without_all_its_chunks_is_named(filled: BlobStore) -> None:
    large = filled.blob_id(noise(3 * MIB, "large"))
    with filled.reader() as reader:
        chunk = reader.recipe(large).chunks[5]
    with filled.database.write() as tx:
        tx.execute("DELETE FROM blobs WHERE id = ?", (chunk.id,))
    (problem,) = problems(filled)
    assert (problem.kind, problem.blobs) == ("missing chunk", (large,))


def test_a_pack_that_is_still_being_written_is_no_problem(filled: BlobStore) -> None:
    with filled.writer() as writer:
        for number in range(10):
            writer.put(noise(900_000, ("pending", number)), BlobKind.DATA)
        assert problems(filled) == []


def test_verify_works_on_a_read_only_store(filled: BlobStore) -> None:
    assert filled.path is not None
    with open_local(filled.path, readonly=True) as store:
        assert problems(store) == []
        flip(only_pack(store), 1000)
        assert problems(store)


def test_verify_keeps_to_its_time(filled: BlobStore) -> None:
    with pytest.raises(OutOfTime):
        list(verify(filled, True, Watch(budget=-1)))
