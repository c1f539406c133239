"""Trees, recipes, packs, frames and export files."""

from __future__ import annotations

from collections.abc import Callable

from blake3 import blake3

from takeback.errors import Integrity, InvalidInput, Unavailable
from takeback.model.ids import BlobKind
from takeback.model.tree import DIRECTORY, FILE, LINK, Entry, decode_tree, encode_tree
from takeback.store.exports import container
from takeback.store.packs import pack as packs
from takeback.store.packs.pack import Contents, FrameSpan, PackEntry
from takeback.store.packs.recipe import Chunk, decode_recipe, encode_recipe
from takeback.store.packs.sealing import HOT, Sealer

_SEALER = Sealer()
_PACK = "0123456789abcdef" * 2
_WHOLE = blake3(b"whole").digest()
_MOST = 1 << 16


def tree(data: bytes) -> None:
    assert encode_tree(decode_tree(data)) == data


def recipe(data: bytes) -> None:
    """With the checksum put right, so that what comes after it is reached."""
    for raw in (data, data[:4] + blake3(_WHOLE + data[2:3] + data[36:]).digest() + data[36:]):
        try:
            found = decode_recipe(_WHOLE, raw)
        except Integrity:
            continue
        assert found.size >= 0
        assert encode_recipe(_WHOLE, BlobKind(found.kind), found.chunks) == raw


def frame(data: bytes) -> None:
    """The first four bytes are the raw length that somebody claims."""
    length = int.from_bytes(data[:4], "little") % _MOST
    assert len(_SEALER.open(data[4:], length, HOT)) == length


def pack(data: bytes) -> None:
    """A whole pack file; and the same bytes as a trailer whose checksums are right."""
    for raw in (data, _around(data)):
        try:
            found = packs.read_contents(_PACK, len(raw), _reading(raw), _SEALER)
        except Integrity:
            continue
        end = packs.encode_end(_PACK, found, _SEALER)
        again = (
            packs.encode_header(_PACK)
            + raw[
                packs.HEADER_SIZE : found.frames[-1].position + found.frames[-1].length
                if found.frames
                else packs.HEADER_SIZE
            ]
            + end
        )
        contents = packs.read_contents(_PACK, len(again), _reading(again), _SEALER)
        assert contents == found


def _reading(data: bytes) -> Callable[[int, int], bytes]:
    return lambda at, length: data[at : at + length]


def _around(raw: bytes) -> bytes:
    sealed = _SEALER.seal(raw, HOT)
    header = packs.encode_header(_PACK)
    lengths = len(sealed).to_bytes(4, "little") + len(raw).to_bytes(4, "little")
    return header + sealed + blake3(header + sealed + lengths).digest() + lengths + b"TBPE"


def export(data: bytes) -> None:
    """An export file; and the same bytes as an index whose checksum is right."""
    header = container.encode_header(_PACK)
    pages, listed = data[:1] or b"\0", data[1:]
    count = min(pages[0] % 4, len(listed) // 32)
    spans = (len(listed) - 32 * count) // 24
    listed = listed[: 32 * count + 24 * spans]
    counts = count.to_bytes(4, "little") + spans.to_bytes(4, "little")
    forged = header + listed + blake3(header + listed + counts).digest() + counts + b"TBEE"
    for raw in (data, forged):
        try:
            found = container.read_index("a file", len(raw), _reading(raw))
        except (Integrity, InvalidInput, Unavailable):
            continue
        assert raw.endswith(container.encode_end(found))


def _trees() -> list[bytes]:
    id = bytes(range(32))
    return [
        encode_tree({}),
        encode_tree(
            {"a": Entry(FILE, 0o644, 5, id), "b": Entry(LINK, 0o777, 3, id), "\udcff": Entry(DIRECTORY, 0o755, 0, id)}
        ),
    ]


def _packs() -> list[bytes]:
    raw = b"a blob"
    sealed = _SEALER.seal(raw, HOT)
    contents = Contents(
        [FrameSpan(packs.HEADER_SIZE, len(sealed), len(raw))],
        [PackEntry(blake3(raw).digest(), BlobKind.DATA, 0, 0, len(raw))],
    )
    return [packs.encode_header(_PACK) + sealed + packs.encode_end(_PACK, contents, _SEALER), bytes(8)]


TARGETS = {
    "tree": (tree, _trees()),
    "recipe": (
        recipe,
        [encode_recipe(_WHOLE, BlobKind.DATA, [Chunk(bytes(32), 5)]), encode_recipe(_WHOLE, BlobKind.TREE, [])],
    ),
    "frame": (
        frame,
        [len(data).to_bytes(4, "little") + _SEALER.seal(data, HOT) for data in (b"", b"a frame", bytes(5000))],
    ),
    "pack": (pack, _packs()),
    "export": (export, [container.encode_header(_PACK) + container.encode_end(container.Index(_PACK, [], []))]),
}
