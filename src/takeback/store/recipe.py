"""Recipes: the chunks that make a large blob.

Format: ``b"R1"``, the kind of the whole (u8), a reserved byte, then for each chunk its id (32 bytes) and its length
(u32), little-endian. A recipe is stored under the id of the bytes that its chunks make together.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from typing import NamedTuple

from takeback.errors import Integrity, InvalidInput
from takeback.model.ids import BlobKind
from takeback.store.sealing import RAW_LIMIT

_HEADER = struct.Struct("<2sBB")
_CHUNK = struct.Struct("<32sI")
_MAGIC = b"R1"
_WHOLES = frozenset(int(kind) for kind in BlobKind if kind is not BlobKind.RECIPE)

MOST_CHUNKS = (RAW_LIMIT - _HEADER.size) // _CHUNK.size


class Chunk(NamedTuple):
    id: bytes
    length: int


class Recipe(NamedTuple):
    kind: int
    chunks: list[Chunk]

    @property
    def size(self) -> int:
        return sum(chunk.length for chunk in self.chunks)


def encode_recipe(kind: BlobKind, chunks: Iterable[Chunk]) -> bytes:
    data = _HEADER.pack(_MAGIC, kind, 0) + b"".join(_CHUNK.pack(*chunk) for chunk in chunks)
    if len(data) > RAW_LIMIT:
        raise InvalidInput(
            f"a file is too large to be stored: it has more than {MOST_CHUNKS} chunks",
            hints=["exclude it, or lower the size cap so that it is listed as not captured"],
        )
    return data


def decode_recipe(data: bytes) -> Recipe:
    """What `encode_recipe` wrote; Integrity for any other bytes."""
    if len(data) < _HEADER.size or (len(data) - _HEADER.size) % _CHUNK.size:
        raise Integrity(f"a recipe cannot be {len(data)} bytes long")
    magic, kind, reserved = _HEADER.unpack_from(data)
    if magic != _MAGIC or kind not in _WHOLES or reserved:
        raise Integrity("a recipe has a wrong header")
    return Recipe(kind, [Chunk(*fields) for fields in _CHUNK.iter_unpack(data[_HEADER.size :])])
