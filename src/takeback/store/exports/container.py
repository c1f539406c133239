"""The export file, version 1. All numbers are little-endian.

::

    header   magic "TBEX", version u16, reserved u16, id of the store it came from (16 bytes)
    packs    one after the other, as `takeback.store.packs.pack` describes them
    index    a page: blob id (32 bytes); a pack: pack id (16 bytes), length u64
    footer   checksum (32 bytes), number of pages u32, number of packs u32, magic "TBEE"

The checksum is the BLAKE3 of the header, the index and the two numbers. Pages are blobs of kind history; together they
are the rows of `takeback.store.catalogue.tables`. Packs, index and footer fill the file without gaps.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import NamedTuple

from blake3 import blake3

from takeback.errors import Integrity, InvalidInput, Unavailable

VERSION = 1

_HEADER = struct.Struct("<4sHH16s")
_PAGE = struct.Struct("<32s")
_PACK = struct.Struct("<16sQ")
_COUNTS = struct.Struct("<II")
_FOOTER = struct.Struct("<32sII4s")
_MAGIC, _END = b"TBEX", b"TBEE"

HEADER_SIZE = _HEADER.size


class PackSpan(NamedTuple):
    """A pack and where it lies in the file."""

    name: str
    position: int
    length: int


class Index(NamedTuple):
    """What an export file says about itself."""

    store: str
    pages: list[bytes]
    packs: list[PackSpan]


def encode_header(store: str) -> bytes:
    return _HEADER.pack(_MAGIC, VERSION, 0, bytes.fromhex(store))


def encode_end(index: Index) -> bytes:
    """The index and the footer."""
    listed = b"".join(
        [
            *(_PAGE.pack(page) for page in index.pages),
            *(_PACK.pack(bytes.fromhex(pack.name), pack.length) for pack in index.packs),
        ]
    )
    counts = _COUNTS.pack(len(index.pages), len(index.packs))
    checksum = blake3(encode_header(index.store) + listed + counts).digest()
    return listed + _FOOTER.pack(checksum, len(index.pages), len(index.packs), _END)


def read_index(where: str, size: int, read: Callable[[int, int], bytes]) -> Index:
    """Parse and check the index of a file of ``size`` bytes; ``read(offset, length)`` gives its bytes.

    InvalidInput if it does not begin like an export file, Unavailable if it is of a later version, else Integrity for
    anything but what `encode_header` and `encode_end` wrote around packs that fill the space between.
    """
    header = read(0, _HEADER.size)
    if header[: len(_MAGIC)] != _MAGIC:
        raise InvalidInput(f"{where} is no export of takeback's", hints=["`takeback export FILE` makes one"])
    if len(header) < _HEADER.size or size < _HEADER.size + _FOOTER.size:
        raise _damaged(where, f"it is torn: {size} bytes are too few")
    _, version, reserved, store = _HEADER.unpack(header)
    if version > VERSION:
        raise Unavailable(
            f"{where} was written by a newer takeback (version {version}; this one reads up to {VERSION}).",
            hints=["upgrade takeback: pip install --upgrade takeback"],
        )
    if version != VERSION or reserved:
        raise _damaged(where, "its header is not one")
    checksum, pages, packs, end = _FOOTER.unpack(read(size - _FOOTER.size, _FOOTER.size))
    length = pages * _PAGE.size + packs * _PACK.size
    start = size - _FOOTER.size - length
    if end != _END or start < _HEADER.size:
        raise _damaged(where, "it is torn: it does not end like an export")
    listed = read(start, length)
    if blake3(header + listed + _COUNTS.pack(pages, packs)).digest() != checksum:
        raise _damaged(where, "its index does not match its checksum")
    split = pages * _PAGE.size
    found: list[PackSpan] = []
    position = _HEADER.size
    for name, extent in _PACK.iter_unpack(listed[split:]):
        found.append(PackSpan(name.hex(), position, extent))
        position += extent
    if position != start or len({pack.name for pack in found}) != packs:
        raise _damaged(where, "its packs do not fill it")
    return Index(store.hex(), [page for (page,) in _PAGE.iter_unpack(listed[:split])], found)


def _damaged(where: str, why: str) -> Integrity:
    return Integrity(f"{where} is damaged: {why}.", hints=["export it again, or copy the file again"])
