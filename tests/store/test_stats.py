from __future__ import annotations

from support.stores import noise, pack_files, save
from takeback.model.ids import BlobKind
from takeback.store.blobstore import BlobStore
from takeback.store.stats import stats


def test_an_empty_store_holds_nothing(store: BlobStore) -> None:
    numbers = stats(store)
    assert (numbers.blobs, numbers.raw_bytes, numbers.sealed_bytes, numbers.packs) == ({}, 0, 0, 0)
    assert numbers.catalogue_bytes > 0


def test_the_numbers_are_those_on_disk(local: BlobStore) -> None:
    save(local, [noise(400_000, number) for number in range(10)])
    save(local, [b"a" * 100_000], BlobKind.TREE)
    save(local, [b"b" * 100_000], BlobKind.MANIFEST)
    numbers = stats(local)
    assert local.path is not None
    assert numbers.blobs == {"data": 10, "tree": 1, "manifest": 1}
    assert numbers.raw_bytes == 4_200_000
    assert numbers.packed_bytes == sum(file.stat().st_size for file in pack_files(local.path)) > 4_000_000
    assert (numbers.packs, numbers.condemned_packs, numbers.hot_frames) == (1, 0, 2)
    assert 0 < numbers.hot_bytes < 1000
    assert numbers.saved_by_compression == numbers.raw_bytes - numbers.sealed_bytes > 190_000
    assert numbers.bytes_on_disk == numbers.packed_bytes + numbers.catalogue_bytes
