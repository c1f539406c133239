from __future__ import annotations

from collections.abc import Callable

import pytest
from blake3 import blake3
from hypothesis import given
from hypothesis import strategies as st

from takeback.errors import Integrity
from takeback.model.ids import BlobKind
from takeback.store.packs import pack
from takeback.store.packs.pack import Contents, FrameSpan, PackEntry, encode_end, encode_header, read_contents
from takeback.store.packs.sealing import Sealer

NAME = "00112233445566778899aabbccddeeff"
SEALER = Sealer()


def make(raws: list[bytes], entries: list[PackEntry] | None = None, name: str = NAME) -> bytes:
    """A pack with one blob a frame, unless other entries are given."""
    data = encode_header(name)
    spans = []
    for number, raw in enumerate(raws):
        sealed = SEALER.seal(raw, pack.frame_place(name, number))
        spans.append(FrameSpan(len(data), len(sealed), len(raw)))
        data += sealed
    if entries is None:
        entries = [PackEntry(blake3(raw).digest(), 1, number, 0, len(raw)) for number, raw in enumerate(raws)]
    return data + encode_end(name, Contents(spans, entries), SEALER)


def parse(data: bytes, name: str = NAME) -> Contents:
    return read_contents(name, len(data), slicing(data), SEALER)


def slicing(data: bytes) -> Callable[[int, int], bytes]:
    return lambda offset, length: data[offset : offset + length]


@given(st.lists(st.binary(max_size=200), max_size=8))
def test_a_pack_says_what_it_holds(raws: list[bytes]) -> None:
    data = make(raws)
    contents = parse(data)
    assert [entry.id for entry in contents.entries] == [blake3(raw).digest() for raw in raws]
    opened = [
        SEALER.open(data[at : at + length], raw_length, pack.frame_place(NAME, number))
        for number, (at, length, raw_length) in enumerate(contents.frames)
    ]
    assert opened == raws


@given(st.binary(max_size=400))
def test_other_bytes_are_refused_as_a_pack(data: bytes) -> None:
    with pytest.raises(Integrity):
        parse(data)


@given(st.data())
def test_a_flipped_bit_outside_of_the_frames_is_found(data: st.DataObject) -> None:
    whole = make([b"some raw bytes", b"and more" * 20])
    frames = range(pack.HEADER_SIZE, sum(parse(whole).frames[-1][:2]))
    position = data.draw(st.sampled_from([at for at in range(len(whole)) if at not in frames]))
    flipped = bytearray(whole)
    flipped[position] ^= 1 << data.draw(st.integers(0, 7))
    with pytest.raises(Integrity):
        parse(bytes(flipped))


@given(st.data())
def test_a_torn_pack_is_found(data: st.DataObject) -> None:
    whole = make([b"some raw bytes", b"and more" * 20])
    with pytest.raises(Integrity):
        parse(whole[: data.draw(st.integers(0, len(whole) - 1))])


def test_bytes_added_to_a_pack_are_found() -> None:
    whole = make([b"raw"])
    for other in (whole + b"\0", b"\0" + whole, whole + whole):
        with pytest.raises(Integrity):
            parse(other)


def test_a_pack_under_another_packs_name_is_found() -> None:
    with pytest.raises(Integrity, match="another pack"):
        parse(make([b"raw"]), "f" * 32)


@pytest.mark.parametrize(
    "entry",
    [
        PackEntry(b"i" * 32, 1, 1, 0, 1),
        PackEntry(b"i" * 32, 1, 0, 0, 9),
        PackEntry(b"i" * 32, 1, 0, 8, 1),
        PackEntry(b"i" * 32, 1, 0, 2**32 - 1, 2**32 - 1),
        PackEntry(b"i" * 32, 0, 0, 0, 1),
        PackEntry(b"i" * 32, 99, 0, 0, 1),
    ],
)
def test_an_entry_that_lies_nowhere_is_refused(entry: PackEntry) -> None:
    with pytest.raises(Integrity):
        parse(make([b"8 bytes!"], [entry]))


@pytest.mark.parametrize("spans", [[FrameSpan(0, 5, 5)], [FrameSpan(24, 5, 1 << 30)], [FrameSpan(24, 6, 5)], []])
def test_frames_that_do_not_fill_the_pack_are_refused(spans: list[FrameSpan]) -> None:
    with pytest.raises(Integrity):
        parse(encode_header(NAME) + b"12345" + encode_end(NAME, Contents(spans, []), SEALER))


def test_a_pack_of_a_later_version_is_refused() -> None:
    whole = bytearray(make([b"raw"]))
    whole[4] = 2
    with pytest.raises(Integrity, match="version 2"):
        parse(bytes(whole))


def test_the_format_is_the_one_that_is_described() -> None:
    """These bytes are format 1, for ever: a change here needs a new version."""
    whole = make([b"raw"])
    assert whole[:24] == b"TBPK\x01\x00\x00\x00" + bytes.fromhex(NAME)
    assert whole[-4:] == b"TBPE"
    length, raw_length = int.from_bytes(whole[-12:-8], "little"), int.from_bytes(whole[-8:-4], "little")
    sealed = whole[-44 - length : -44]
    assert whole[-44:-12] == blake3(whole[:24] + sealed + whole[-12:-4]).digest()
    trailer = SEALER.open(sealed, raw_length, pack._trailer_place(NAME))
    frame_length = len(whole) - 24 - length - 44
    assert trailer == b"".join(
        [
            (1).to_bytes(4, "little") + (1).to_bytes(4, "little"),
            (24).to_bytes(8, "little") + frame_length.to_bytes(4, "little") + (3).to_bytes(4, "little"),
            blake3(b"raw").digest() + bytes([BlobKind.DATA]) + bytes(4) + bytes(4) + (3).to_bytes(4, "little"),
        ]
    )
