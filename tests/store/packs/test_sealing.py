from __future__ import annotations

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from takeback.errors import Integrity
from takeback.store.packs.sealing import HOT, RAW_LIMIT, Place, Sealer, Section

SEALER = Sealer()
PLACE = Place("ab" * 16, 3, Section.FRAME)


@given(st.binary(max_size=5000))
def test_what_is_sealed_opens_again(raw: bytes) -> None:
    assert SEALER.open(SEALER.seal(raw, PLACE), len(raw), PLACE) == raw


@given(st.binary(max_size=300), st.integers(-1, 300))
def test_other_bytes_are_refused_with_integrity_only(sealed: bytes, raw_length: int) -> None:
    try:
        assert len(SEALER.open(sealed, raw_length, PLACE)) == raw_length
    except Integrity as error:
        assert "frame 3 of pack abab" in error.message


@pytest.mark.parametrize("claimed", [0, 9, 11, RAW_LIMIT, RAW_LIMIT + 1, -1])
def test_a_wrong_length_is_refused(claimed: int) -> None:
    with pytest.raises(Integrity):
        SEALER.open(SEALER.seal(b"ten bytes!", PLACE), claimed, PLACE)


def test_a_frame_that_would_take_all_memory_is_refused_before_it_is_opened() -> None:
    bomb = zstandard.ZstdCompressor().compress(bytes(200 << 20))
    assert len(bomb) < 20_000
    for claimed in (1000, RAW_LIMIT, 200 << 20):
        with pytest.raises(Integrity):
            SEALER.open(bomb, claimed, PLACE)


def test_a_frame_without_its_size_and_one_with_bytes_behind_it_are_refused() -> None:
    compressor = zstandard.ZstdCompressor(write_content_size=False)
    with pytest.raises(Integrity):
        SEALER.open(compressor.compress(b"raw"), 3, PLACE)
    with pytest.raises(Integrity):
        SEALER.open(SEALER.seal(b"raw", PLACE) + b"more", 3, PLACE)


def test_a_place_says_where_it_is() -> None:
    assert str(HOT) == "a hot frame of the catalogue"
    assert str(Place("ab", 0, Section.TRAILER)) == "the trailer of pack ab"


@given(st.binary(min_size=1, max_size=5000), st.data())
def test_who_needs_only_the_beginning_gets_at_least_that(raw: bytes, data: st.DataObject) -> None:
    upto = data.draw(st.integers(0, len(raw)))
    opened = SEALER.open(SEALER.seal(raw, PLACE), len(raw), PLACE, upto)
    assert raw.startswith(opened) and len(opened) >= upto


def test_only_the_beginning_of_a_long_section_is_opened_and_a_torn_one_is_refused() -> None:
    raw = bytes(range(256)) * 4000
    sealed = SEALER.seal(raw, PLACE)
    assert SEALER.open(sealed, len(raw), PLACE, 1000) == raw[:1000]
    with pytest.raises(Integrity):
        SEALER.open(b"\xff" * len(sealed), len(raw), PLACE, 1000)


def test_a_section_that_wants_a_huge_window_is_not_streamed() -> None:
    raw = bytes(64 << 20)
    parameters = zstandard.ZstdCompressionParameters(window_log=26)
    sealed = zstandard.ZstdCompressor(compression_params=parameters).compress(raw)
    assert len(SEALER.open(sealed, len(raw), PLACE, 10)) == len(raw)
