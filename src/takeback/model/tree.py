"""Trees: how one directory is written as a blob.

Format: ``b"T1"``, the number of entries (u32), the length of the names (u32), the names joined by NUL, then one
fixed record an entry: kind (1 byte), mode (u16), size (u64), id (32 bytes); all little-endian. Entries are sorted
by their names' bytes, so equal directories give equal blobs. Columns instead of rows, because splitting and
unpacking a whole directory is then two calls into C.

A name is text that stands for any bytes (UTF-8 with surrogate escapes); it is never empty, ``.`` or ``..`` and
holds neither ``/`` nor NUL. `decode_tree` refuses everything else, so no stored name can lead out of a directory.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping
from operator import ge
from typing import NamedTuple

from takeback.errors import Integrity

FILE, LINK, DIRECTORY = "f", "l", "d"
KINDS = (FILE, LINK, DIRECTORY)

MAGIC = b"T1"
"""What every tree begins with."""
_HEADER = struct.Struct("<2sII")
_RECORD = struct.Struct("<cHQ32s")
_NO_NAMES = frozenset((b"", b".", b".."))
_KIND_BYTES = {kind: kind.encode() for kind in KINDS}
_KIND_TEXT = {value: key for key, value in _KIND_BYTES.items()}


class Entry(NamedTuple):
    """What stands at one path: ``id`` names a file's bytes, a link's target or a directory's tree.

    A tuple, because a large tree makes tens of thousands of them, and compares as many.
    """

    kind: str
    mode: int
    size: int
    id: bytes

    def same_content(self, other: Entry) -> bool:
        return self.kind == other.kind and self.id == other.id


Tree = Mapping[str, Entry]

Record = tuple[bytes, str, int, int, bytes]
"""Name, kind, mode, size and id of one entry."""


def name_bytes(name: str) -> bytes:
    """A name or path as the bytes that the kernel knows."""
    return name.encode("utf-8", "surrogateescape")


def name_text(raw: bytes) -> str:
    """The inverse of `name_bytes`, whatever the locale is."""
    return raw.decode("utf-8", "surrogateescape")


def encode_tree(tree: Tree) -> bytes:
    """The canonical bytes of a directory."""
    return encode_records((name_bytes(name), at.kind, at.mode, at.size, at.id) for name, at in tree.items())


def encode_records(records: Iterable[Record]) -> bytes:
    """The same of entries that never were objects: a first capture has many of them."""
    rows = sorted(records)
    joined = b"\0".join([row[0] for row in rows])
    packed = [_RECORD.pack(_KIND_BYTES[kind], mode, size, id) for _, kind, mode, size, id in rows]
    return _HEADER.pack(MAGIC, len(rows), len(joined)) + joined + b"".join(packed)


def count_tree(data: bytes) -> tuple[int, list[bytes]]:
    """How many entries of a directory are no directories, and the ids of those that are; none becomes an object."""
    count, start, _ = _decode_header(data)
    kinds = data[start :: _RECORD.size]
    ends = [start + place * _RECORD.size for place, kind in enumerate(kinds, 1) if kind == ord(DIRECTORY)]
    return count - len(ends), [data[end - 32 : end] for end in ends]


def _decode_header(data: bytes) -> tuple[int, int, int]:
    """The number of entries, where their records start, and how long the names are."""
    try:
        magic, count, length = _HEADER.unpack_from(data)
    except struct.error as error:
        raise Integrity(f"a tree is too short to be one ({len(data)} bytes)") from error
    start = _HEADER.size + length
    if magic != MAGIC or len(data) != start + count * _RECORD.size:
        raise Integrity("a tree has a wrong header")
    return count, start, length


def decode_tree(data: bytes) -> dict[str, Entry]:
    """The directory that `encode_tree` wrote; Integrity for any other bytes."""
    count, start, length = _decode_header(data)
    joined = data[_HEADER.size : start]
    raw_names = joined.split(b"\0") if count else []
    if len(raw_names) != count or (not count and length):
        raise Integrity("a tree's names do not match its count")
    if any(map(ge, raw_names, raw_names[1:])):
        raise Integrity("a tree's names are not in order")
    if b"/" in joined or not _NO_NAMES.isdisjoint(raw_names):
        wrong = next(raw for raw in raw_names if raw in _NO_NAMES or b"/" in raw)
        raise Integrity(f"a tree holds the name {wrong!r}, which no directory can")
    tree = {}
    for name, (kind, mode, size, blob) in zip(
        name_text(joined).split("\0"), _RECORD.iter_unpack(data[start:]), strict=bool(count)
    ):
        if kind not in _KIND_TEXT or mode > 0o7777:
            raise Integrity(f"a tree's entry {name!r} has kind {kind!r} and mode {mode:o}, which nothing has")
        tree[name] = Entry(_KIND_TEXT[kind], mode, size, blob)
    return tree
