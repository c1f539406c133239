"""Recipes: the chunks that make a large blob.

Format: ``b"R1"``, the kind of the whole (u8), a reserved byte, a checksum (32 bytes), then for each chunk its id (32
bytes) and its length (u32), little-endian. A recipe is stored under the id of the bytes that its chunks make together;
as its own bytes do not hash to that, the checksum is the BLAKE3 of that id, the kind and the list of chunks.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from typing import NamedTuple

from blake3 import blake3

from takeback.errors import Integrity, InvalidInput
from takeback.model.ids import BlobKind
from takeback.store.packs.chunking import LARGEST
from takeback.store.packs.sealing import RAW_LIMIT

_HEADER = struct.Struct("<2sBB32s")
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


def encode_recipe(whole: bytes, kind: BlobKind, chunks: Iterable[Chunk]) -> bytes:
    listed = b"".join(_CHUNK.pack(*chunk) for chunk in chunks)
    data = _HEADER.pack(_MAGIC, kind, 0, _checksum(whole, kind, listed)) + listed
    if len(data) > RAW_LIMIT:
        raise InvalidInput(
            f"a file is too large to be stored: it has more than {MOST_CHUNKS} chunks",
            hints=["exclude it, or lower the size cap so that it is listed as not captured"],
        )
    return data


def decode_recipe(whole: bytes, data: bytes) -> Recipe:
    """What `encode_recipe` wrote for the blob ``whole``; Integrity for any other bytes."""
    name = f"the recipe of blob {whole.hex()[:12]}"
    if len(data) < _HEADER.size or (len(data) - _HEADER.size) % _CHUNK.size:
        raise Integrity(f"{name} cannot be {len(data)} bytes long")
    magic, kind, reserved, checksum = _HEADER.unpack_from(data)
    if magic != _MAGIC or kind not in _WHOLES or reserved:
        raise Integrity(f"{name} has a wrong header")
    listed = data[_HEADER.size :]
    if _checksum(whole, kind, listed) != checksum:
        raise Integrity(f"{name} is damaged: it does not match its checksum", hints=["takeback verify --read-data"])
    chunks = [Chunk(*fields) for fields in _CHUNK.iter_unpack(listed)]
    if any(chunk.length > LARGEST for chunk in chunks):
        raise Integrity(f"{name} names a chunk that is longer than any")
    return Recipe(kind, chunks)


def _checksum(whole: bytes, kind: int, listed: bytes) -> bytes:
    hasher = blake3(whole + bytes([kind]))
    hasher.update(listed)
    return hasher.digest()
