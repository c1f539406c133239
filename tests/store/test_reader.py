from __future__ import annotations

import random
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest

from support.stores import noise, nothing, only_pack, save
from takeback.errors import Integrity
from takeback.model.ids import BlobKind
from takeback.model.progress import Watch
from takeback.store.blobstore import BlobStore
from takeback.store.catalogue import blobs
from takeback.store.catalogue.database import Transaction
from takeback.store.collection.folding import fold
from takeback.store.packs.frame_cache import FrameCache
from takeback.store.packs.recipe import Chunk, encode_recipe

MIB = 1 << 20


def test_a_missing_blob_is_an_integrity_error_that_says_what_it_was(store: BlobStore) -> None:
    with store.reader() as reader:
        with pytest.raises(Integrity, match="blob 616161616161 is not in the store") as caught:
            reader.get(b"a" * 32)
        assert caught.value.hints
        with pytest.raises(Integrity, match="tree 616161616161"):
            reader.get(b"a" * 32, BlobKind.TREE)
        with pytest.raises(Integrity):
            reader.size(b"a" * 32)
        with pytest.raises(Integrity):
            next(reader.stream(b"a" * 32))


def test_equal_bytes_are_one_blob_whatever_kind_they_were_stored_as(store: BlobStore) -> None:
    small, large = noise(100), noise(2 * MIB)
    save(store, [small, large], BlobKind.DATA)
    ids = save(store, [small, large], BlobKind.TREE)
    with store.reader() as reader:
        assert [reader.get(id, BlobKind.TREE) for id in ids] == [small, large]


def test_reading_in_storage_order_opens_each_frame_once(local: BlobStore, monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = {id: number for number, id in enumerate(save(local, [noise(5000, number) for number in range(4000)]))}
    (hot,) = save(local, [b"hot"])
    shuffled = list(numbers)
    random.Random(1).shuffle(shuffled)
    opened: list[int] = []
    read = local.backend.range

    def watched(name: str, offset: int, length: int) -> bytes:
        opened.append(offset)
        return read(name, offset, length)

    monkeypatch.setattr(local.backend, "range", watched)
    with local.reader() as reader:
        order = reader.in_storage_order([*shuffled, b"?" * 32, hot, *shuffled])
        assert order[0] == hot and order[-1] == b"?" * 32 and sorted(order[1:-1]) == sorted(numbers)
        for id in order[:-1]:
            assert reader.get(id) == (b"hot" if id == hot else noise(5000, numbers[id]))
    assert len(opened) == len(set(opened)) > 15


def test_what_is_read_ahead_opens_each_frame_once_and_only_as_far_as_needed(
    local: BlobStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = save(local, [noise(5000, number) for number in range(4000)])
    opened: list[int] = []
    read = local.backend.range

    def watched(name: str, offset: int, length: int) -> bytes:
        opened.append(offset)
        return read(name, offset, length)

    monkeypatch.setattr(local.backend, "range", watched)
    with local.reader() as reader:
        with reader.ahead(ids):
            assert [reader.get(id) for id in ids] == [noise(5000, number) for number in range(4000)]
        assert len(opened) == len(set(opened)) > 15
    few = ids[::200]
    with local.reader() as reader:
        with reader.ahead(few):
            assert [reader.get(id) for id in few] == [noise(5000, number) for number in range(0, 4000, 200)]
        # What lies behind them in the same frames was not wanted then, and is found all the same.
        assert [reader.get(id) for id in ids[199::200]] == [noise(5000, number) for number in range(199, 4000, 200)]


def test_what_is_read_in_another_order_than_announced_or_only_in_part_is_right_too(local: BlobStore) -> None:
    ids = save(local, [noise(50_000, number) for number in range(400)])
    shuffled = list(enumerate(ids))
    random.Random(2).shuffle(shuffled)
    with local.reader() as reader:
        with reader.ahead(ids):
            assert all(reader.get(id) == noise(50_000, number) for number, id in shuffled[:100])
        with reader.ahead([b"?" * 32, *ids]):
            assert all(reader.get(id) == noise(50_000, number) for number, id in shuffled)
    with local.reader() as reader, pytest.raises(KeyError), reader.ahead(ids):
        reader.get(ids[0])
        raise KeyError  # nobody waits for the frames that were on their way


def test_hot_frames_are_had_many_at_a_time(local: BlobStore, monkeypatch: pytest.MonkeyPatch) -> None:
    ids = [save(local, [noise(500, number)])[0] for number in range(200)]
    asked: list[int] = []
    have = blobs.hot_frames

    def watched(tx: Transaction, frames: Sequence[int]) -> dict[int, tuple[bytes, int]]:
        asked.append(len(frames))
        return have(tx, frames)

    monkeypatch.setattr(blobs, "hot_frames", watched)
    monkeypatch.delattr(blobs, "hot_frame")
    with local.reader() as reader, reader.ahead(ids):
        assert [reader.get(id) for id in ids] == [noise(500, number) for number in range(200)]
    assert asked == [64, 64, 64, 8]


def test_hot_frames_that_are_folded_while_they_are_read_are_found_in_their_packs(local: BlobStore) -> None:
    ids = [save(local, [noise(500, number)])[0] for number in range(200)]
    with local.reader() as reader, reader.ahead(ids):
        for number, id in enumerate(ids):
            if number == 10:
                fold(local, Watch())
            assert reader.get(id) == noise(500, number)


def test_damage_in_a_frame_that_was_opened_ahead_is_found_and_named(local: BlobStore) -> None:
    ids = save(local, [noise(50_000, number) for number in range(400)])
    pack = only_pack(local)
    pack.chmod(0o600)
    data = bytearray(pack.read_bytes())
    data[len(data) // 2] ^= 1
    pack.write_bytes(data)
    damaged = 0
    with local.reader() as reader, reader.ahead(ids):
        for number, id in enumerate(ids):
            try:
                assert reader.get(id) == noise(50_000, number)
            except Integrity as error:
                assert "frame" in error.message
                damaged += 1
    assert 0 < damaged < 40


def test_a_blob_that_moved_since_its_place_was_looked_up_is_found_again(local: BlobStore) -> None:
    (id,) = save(local, [noise(1000)])
    with local.reader() as reader:
        assert reader.in_storage_order([id]) == [id]
        with local.database.write() as tx:  # as a fold does: the frame gets another place
            tx.execute("UPDATE hot SET frame = 77")
            tx.execute("UPDATE blobs SET frame = 77")
        assert reader.get(id) == noise(1000)


def test_a_flipped_byte_is_never_given_out(local: BlobStore) -> None:
    data = noise(900_000)
    (id,) = save(local, [data])
    file = only_pack(local)
    whole = bytearray(file.read_bytes())
    for position in random.Random(2).sample(range(24, 900_000), 20):
        damaged = bytearray(whole)
        damaged[position] ^= 0x10
        file.chmod(0o600)
        file.write_bytes(damaged)
        with local.reader() as reader, pytest.raises(Integrity, match=r"frame 0|damaged"):
            reader.get(id)
    file.write_bytes(whole)
    with local.reader() as reader:
        assert reader.get(id) == data


def test_a_torn_and_a_missing_pack_are_integrity_errors(local: BlobStore) -> None:
    (id,) = save(local, [noise(900_000)])
    file = only_pack(local)
    file.chmod(0o600)
    with file.open("r+b") as stream:
        stream.truncate(500_000)
    with local.reader() as reader, pytest.raises(Integrity, match="torn"):
        reader.get(id)
    file.unlink()
    with local.reader() as reader, pytest.raises(Integrity, match="gone"):
        reader.get(id)


@pytest.mark.parametrize(
    "harm",
    [
        "UPDATE frames SET raw_length = 1099511627776",
        "UPDATE frames SET length = 1099511627776",
        "UPDATE frames SET position = -5",
        "UPDATE frames SET raw_length = 5",
        "UPDATE blobs SET start = 900000",
        "UPDATE blobs SET start = -10",
        "UPDATE blobs SET length = 4",
        "UPDATE blobs SET frame = 9",
        "UPDATE blobs SET pack = 9",
        "UPDATE blobs SET pack = 0",
        "UPDATE blobs SET kind = 5",
        "UPDATE packs SET name = '../../../../etc/passwd'",
        "UPDATE packs SET name = '00000000000000000000000000000000'",
    ],
)
def test_a_catalogue_made_to_harm_gives_an_integrity_error(local: BlobStore, harm: str) -> None:
    (id,) = save(local, [noise(900_000)])
    with local.database.write() as tx:
        tx.execute(harm)
    with local.reader() as reader, pytest.raises(Integrity):
        reader.get(id)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("recipe of a recipe", "no chunk of it"),
        ("chunk of another length", "no chunk of it"),
        ("chunks of another blob", "do not make it"),
    ],
)
def test_a_recipe_made_to_harm_gives_an_integrity_error(local: BlobStore, wrong: str, said: str) -> None:
    large, small = save(local, [noise(2 * MIB), noise(1000)])
    chunk = {
        "recipe of a recipe": Chunk(large, 1000),
        "chunk of another length": Chunk(small, 999),
        "chunks of another blob": Chunk(small, 1000),
    }[wrong]
    forged = b"f" * 32
    with local.writer() as writer:
        writer._stage(forged, BlobKind.RECIPE, encode_recipe(forged, BlobKind.DATA, [chunk]))
        writer.commit(nothing)
    with local.reader() as reader:
        with pytest.raises(Integrity, match=said):
            reader.get(forged)
        with pytest.raises(Integrity, match=said):
            list(reader.stream(forged))


def test_a_stream_gives_pieces_of_bounded_size(store: BlobStore) -> None:
    data = noise(10 * MIB)
    (id,) = save(store, [data])
    with store.reader() as reader:
        pieces = list(reader.stream(id))
    assert b"".join(pieces) == data and max(map(len, pieces)) <= 256 << 10


def test_threads_may_share_one_reader(store: BlobStore) -> None:
    ids = save(store, [noise(20_000, number) for number in range(300)])
    with store.reader() as reader:
        reader.in_storage_order(ids)

        def read(thread: int) -> None:
            numbers = list(range(300))
            random.Random(thread).shuffle(numbers)
            for number in numbers:
                assert reader.get(ids[number]) == noise(20_000, number)

        with ThreadPoolExecutor(6) as pool:
            list(pool.map(read, range(6)))


def test_the_cache_of_frames_stays_within_its_bytes() -> None:
    cache = FrameCache(1000)
    for number in range(50):
        cache.put((1, number), bytes(90))
        assert cache.get((1, 0)) is not None, "what is used stays"
    cache.put((2, 0), bytes(2000))
    cache.put((3, 0), bytes(3000))
    assert cache.get((2, 0)) is None, "of giants only the last one is kept"
    assert cache.get((3, 0)) == bytes(3000)
    held = [number for number in range(50) if cache.get((1, number)) is not None]
    assert held == [0, *range(40, 50)]
