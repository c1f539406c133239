"""Blobs whose place nobody tells: found again in opened frames by their hashes.

A frame is blobs put one after the other, and where each begins stands in a trailer or in the catalogue. Where that is
lost, the bytes are still there. What snapshots need is known by name, often with its length, so every place where such a
blob could begin is tried; trees, manifests and histories are known by their form as well.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from blake3 import blake3

from takeback.errors import Integrity
from takeback.model.ids import BlobKind
from takeback.model.tree import decode_tree
from takeback.store.packs.pack import PackEntry
from takeback.store.packs.recipe import decode_recipe

_TREE = struct.Struct("<2sII")
_TREE_ENTRY = 43
_FORMS = (b"T1", b'{"context":', b'{"format":')
_RECIPE = b"R1"
_RECIPE_HEAD, _RECIPE_CHUNK = 36, 36
_TRIED = 32 << 10
"""Up to so many bytes every length is tried, where none is known."""
_EMPTY = blake3(b"").digest()

Wanted = Mapping[bytes, int | None]
"""Blobs that something needs, with their lengths where these are known."""


@dataclass(slots=True)
class Region:
    """An opened frame, and which bytes of it are accounted for."""

    pack: int
    frame: int
    raw: bytes
    taken: list[tuple[int, int]] = field(default_factory=list)
    """Beginnings and ends."""

    def gaps(self) -> Iterator[tuple[int, int]]:
        at = 0
        for start, end in sorted(self.taken):
            if start > at:
                yield at, start
            at = max(at, end)
        if at < len(self.raw):
            yield at, len(self.raw)


def carve(region: Region, wanted: Wanted) -> list[PackEntry]:
    """Blobs in what is not accounted for; the region knows of them afterwards."""
    found: list[PackEntry] = []
    for start, end in list(region.gaps()):
        at = start
        while at < end:
            hit = _wanted_at(region.raw, at, end, wanted) or _formed_at(region.raw, at, end)
            if hit is None:
                following = [place for form in _FORMS if (place := region.raw.find(form, at + 1, end)) >= 0]
                at = min(following, default=end)
                continue
            id, kind, length = hit
            found.append(PackEntry(id, kind, region.frame, at, length))
            region.taken.append((at, at + length))
            at += length
    if _EMPTY in wanted and region.raw:
        found.append(PackEntry(_EMPTY, BlobKind.DATA, region.frame, 0, 0))
    return found


def _wanted_at(raw: bytes, at: int, end: int, wanted: Wanted) -> tuple[bytes, int, int] | None:
    """A wanted blob that begins here."""
    if raw[at : at + 2] == _RECIPE and (recipe := _recipe_at(raw, at, end, wanted)) is not None:
        return recipe
    lengths = {length for length in wanted.values() if length is not None and 0 < length <= end - at}
    if any(length is None for length in wanted.values()):
        lengths.update(range(1, min(_TRIED, end - at) + 1))
    lengths.add(end - at)
    hasher, done = blake3(), 0
    for length in sorted(lengths):
        hasher.update(raw[at + done : at + length])
        done = length
        if (id := hasher.digest()) in wanted:
            return id, _kind(raw[at : at + length]), length
    return None


def _recipe_at(raw: bytes, at: int, end: int, wanted: Wanted) -> tuple[bytes, int, int] | None:
    """A recipe is stored under the name of what it makes, which its checksum holds."""
    checksum, kind = raw[at + 4 : at + _RECIPE_HEAD], raw[at + 2 : at + 3]
    for id in wanted:
        hasher = blake3(id + kind)
        for stop in range(at + _RECIPE_HEAD + _RECIPE_CHUNK, end + 1, _RECIPE_CHUNK):
            hasher.update(raw[stop - _RECIPE_CHUNK : stop])
            if hasher.digest() == checksum:
                try:
                    decode_recipe(id, raw[at:stop])
                except Integrity:
                    break
                return id, BlobKind.RECIPE, stop - at
    return None


def _formed_at(raw: bytes, at: int, end: int) -> tuple[bytes, int, int] | None:
    """A tree, a manifest or a history, known by its form alone."""
    length = 0
    if raw[at : at + 2] == b"T1" and end - at >= _TREE.size:
        _, count, names = _TREE.unpack_from(raw, at)
        length = _TREE.size + names + count * _TREE_ENTRY
    elif raw.startswith(_FORMS[1:], at):
        length = _json_length(raw[at:end])
    if not 0 < length <= end - at:
        return None
    data = raw[at : at + length]
    kind = _kind(data)
    return None if kind == BlobKind.DATA else (blake3(data).digest(), kind, length)


def _json_length(data: bytes) -> int:
    text = data.decode("latin-1")  # canonical JSON is ASCII, so that characters are bytes
    try:
        return json.JSONDecoder().raw_decode(text)[1]
    except (ValueError, RecursionError):
        return 0


def _kind(data: bytes) -> BlobKind:
    """What a blob looks like. A guess is enough: the kind is a hint."""
    if data.startswith(b"T1"):
        try:
            decode_tree(data)
            return BlobKind.TREE
        except (Integrity, ValueError):
            return BlobKind.DATA
    if data.startswith(_FORMS[1:]):
        try:
            value = json.loads(data)
        except (ValueError, RecursionError):
            return BlobKind.DATA
        if {"id", "parts", "trigger"} <= value.keys():
            return BlobKind.MANIFEST
        if {"timelines", "snapshots"} <= value.keys():
            return BlobKind.HISTORY
    return BlobKind.DATA
