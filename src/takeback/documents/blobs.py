"""How one blob of a document is laid out, and what it leads to.

``b"D1"``, the number of documents (u32), the number of contents (u32), the ids (32 bytes each) of the other document
blobs that this one leads to, those of the contents (the bytes of long strings), each in the order in which the body
comes by them; then the body, in msgpack (`takeback.documents.tags`). All integers are little-endian. Whoever only walks
documents, to copy or to collect, needs no more than the head.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import NamedTuple, Protocol

from takeback.errors import Integrity
from takeback.model.ids import BlobKind

_MAGIC = b"D1"
_HEADER = struct.Struct("<2sII")
HEAD = _HEADER.size
"""What a blob has before its ids."""
_ID = 32


class Reads(Protocol):
    def get(self, id: bytes, kind: BlobKind | None = None) -> bytes: ...


class Writes(Protocol):
    def put(self, data: bytes, kind: BlobKind) -> bytes: ...


class Links(NamedTuple):
    """The blobs that a document blob leads to, in the order of its body."""

    documents: tuple[bytes, ...] = ()
    contents: tuple[bytes, ...] = ()


_NOTHING = Links()


def join(documents: Sequence[bytes], contents: Sequence[bytes], body: bytes) -> bytes:
    """A document blob."""
    return b"".join((_HEADER.pack(_MAGIC, len(documents), len(contents)), *documents, *contents, body))


def links(data: bytes) -> Links:
    """What a document blob leads to; Integrity if it is none."""
    return _split(data)[0]


def split(data: bytes) -> tuple[Links, bytes]:
    """What a document blob leads to, and its body; Integrity if it is none."""
    found, start = _split(data)
    return found, data[start:]


def _split(data: bytes) -> tuple[Links, int]:
    try:
        magic, documents, contents = _HEADER.unpack_from(data)
    except struct.error as error:
        raise Integrity(f"a document is too short to be one ({len(data)} bytes)") from error
    first = _HEADER.size
    if documents == contents == 0 and magic == _MAGIC:
        return _NOTHING, first
    middle, last = first + documents * _ID, first + (documents + contents) * _ID
    if magic != _MAGIC or last > len(data):
        raise Integrity("a document has a wrong header")
    return Links(_ids(data, first, middle), _ids(data, middle, last)), last


def _ids(data: bytes, start: int, end: int) -> tuple[bytes, ...]:
    return tuple(data[at : at + _ID] for at in range(start, end, _ID))
