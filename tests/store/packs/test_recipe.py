from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from takeback.errors import Integrity, InvalidInput
from takeback.model.ids import BlobKind
from takeback.store.packs.chunking import LARGEST
from takeback.store.packs.recipe import MOST_CHUNKS, Chunk, Recipe, decode_recipe, encode_recipe

WHOLE = b"w" * 32
chunks = st.builds(Chunk, st.binary(min_size=32, max_size=32), st.integers(0, LARGEST))


@given(st.lists(chunks, max_size=20), st.sampled_from([kind for kind in BlobKind if kind is not BlobKind.RECIPE]))
def test_a_recipe_comes_back(listed: list[Chunk], kind: BlobKind) -> None:
    assert decode_recipe(WHOLE, encode_recipe(WHOLE, kind, listed)) == Recipe(kind, listed)


@given(st.binary(max_size=200))
def test_other_bytes_are_refused_as_a_recipe(data: bytes) -> None:
    with pytest.raises(Integrity):
        decode_recipe(WHOLE, data)


@given(st.lists(chunks, min_size=1, max_size=5), st.data())
def test_a_flipped_bit_is_found(listed: list[Chunk], data: st.DataObject) -> None:
    flipped = bytearray(encode_recipe(WHOLE, BlobKind.DATA, listed))
    flipped[data.draw(st.integers(0, len(flipped) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    with pytest.raises(Integrity):
        decode_recipe(WHOLE, bytes(flipped))


def test_a_recipe_of_another_blob_is_refused() -> None:
    with pytest.raises(Integrity):
        decode_recipe(b"o" * 32, encode_recipe(WHOLE, BlobKind.DATA, [Chunk(b"c" * 32, 5)]))


def test_a_chunk_that_is_longer_than_any_is_refused() -> None:
    with pytest.raises(Integrity, match="longer than any"):
        decode_recipe(WHOLE, encode_recipe(WHOLE, BlobKind.DATA, [Chunk(b"c" * 32, LARGEST + 1)]))


def test_a_file_of_too_many_chunks_is_refused_in_words() -> None:
    with pytest.raises(InvalidInput, match="too large"):
        encode_recipe(WHOLE, BlobKind.DATA, [Chunk(b"c" * 32, 1)] * (MOST_CHUNKS + 1))
