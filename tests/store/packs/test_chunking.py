from __future__ import annotations

import pytest

from support.stores import noise, reading
from takeback.store.packs.chunking import LARGEST, SMALLEST, Chunker

DATA = noise(8 << 20)


def test_chunks_make_the_whole_and_keep_within_their_bounds() -> None:
    chunks = list(Chunker(7).cut(reading(DATA)))
    assert b"".join(chunks) == DATA
    assert all(SMALLEST <= len(chunk) <= LARGEST for chunk in chunks[:-1])
    assert len(DATA) // len(chunks) in range(48 << 10, 128 << 10)


@pytest.mark.parametrize("most", [999, 65536, 1 << 20])
def test_cuts_do_not_depend_on_how_the_bytes_arrive(most: int) -> None:
    assert list(Chunker(7).cut(reading(DATA, most))) == list(Chunker(7).cut(reading(DATA, len(DATA))))


def test_another_seed_cuts_elsewhere() -> None:
    first, second = (set(Chunker(seed).cut(reading(DATA))) for seed in (7, 8))
    assert len(first & second) < len(first) / 4


@pytest.mark.parametrize("seed", [0, 1, 2**63 - 1])
def test_every_seed_that_a_store_may_have_works(seed: int) -> None:
    assert b"".join(Chunker(seed).cut(reading(DATA))) == DATA


def test_cuts_are_those_of_every_store_of_format_1() -> None:
    """If a new release of the chunker cuts elsewhere, old files no longer share chunks with new ones."""
    lengths = [len(chunk) for chunk in Chunker(7).cut(reading(noise(1 << 20)))]
    assert lengths == [
        22861,
        93070,
        77064,
        122546,
        58759,
        84061,
        28178,
        84150,
        73676,
        32190,
        92827,
        65951,
        69562,
        115842,
        27839,
    ]
