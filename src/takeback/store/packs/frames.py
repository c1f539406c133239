"""Frames: how blobs are gathered into one, how it is sealed and checked, and how it is read from a pack."""

from __future__ import annotations

import threading
from typing import NamedTuple

from blake3 import blake3

from takeback.errors import Integrity, NotFound
from takeback.model.ids import BlobKind
from takeback.store.backend import Backend
from takeback.store.packs.pack import FrameSpan, PackEntry, frame_place, object_name
from takeback.store.packs.sealing import RAW_LIMIT, Place, Sealer

FRAME_SIZE = 1 << 20
"""Raw bytes after which a frame is closed; a single blob may be longer."""


class Stored(NamedTuple):
    """A blob as it is stored: with kind RECIPE the data is the recipe's."""

    kind: int
    data: bytes


class Frame:
    """Blobs that are sealed together. ``raw`` is dropped once the sealed bytes are written, unless it is to ``keep``."""

    __slots__ = ("entries", "error", "keep", "number", "raw", "raw_length", "sealed", "sealing")

    def __init__(self, raw: bytes, entries: list[PackEntry], keep: bool = False) -> None:
        self.keep = keep
        self.raw: bytes | None = raw
        self.raw_length = len(raw)
        self.entries = entries
        self.number = 0
        self.sealed: bytes | None = None
        self.error: BaseException | None = None
        self.sealing = threading.Event()
        """Set when ``sealed`` or ``error`` is."""


class FrameBuilder:
    """Collects blobs until they are enough for a frame."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._entries: list[PackEntry] = []
        self.size = 0

    def add(self, id: bytes, kind: int, data: bytes) -> None:
        self._entries.append(PackEntry(id, kind, 0, self.size, len(data)))
        self._parts.append(data)
        self.size += len(data)

    def join(self, other: FrameBuilder) -> None:
        """Take over all that another one has collected."""
        for (id, kind, _, _, _), data in zip(other._entries, other._parts, strict=True):
            self.add(id, kind, data)
        other._parts, other._entries, other.size = [], [], 0

    def take(self, *, keep: bool = False) -> Frame | None:
        """The frame so far; the builder begins anew. To ``keep`` is for what its own writer will read again."""
        if not self._entries:
            return None
        frame = Frame(b"".join(self._parts), self._entries, keep)
        self._parts, self._entries, self.size = [], [], 0
        return frame


def seal_verified(frame: Frame, place: Place, sealer: Sealer) -> bytes:
    """Seal a frame, then open it again and hash every blob: a fault of memory or compressor is found before it counts."""
    assert frame.raw is not None
    sealed = sealer.seal(frame.raw, place)
    check_frame(sealer.open(sealed, frame.raw_length, place), frame, place)
    return sealed


def check_frame(raw: bytes, frame: Frame, place: Place) -> None:
    view = memoryview(raw)
    for id, kind, _, start, length in frame.entries:
        if kind != BlobKind.RECIPE and blake3(view[start : start + length]).digest() != id:
            raise Integrity(
                f"{place} does not read back as it was written, so it was not stored: memory or the compressor is at fault",
                hints=["try again; if it happens again, check this machine's memory"],
            )
    if raw != frame.raw:
        raise Integrity(f"{place} does not read back as it was written, so it was not stored")


def read_frame(backend: Backend, sealer: Sealer, pack: str, frame: int, span: FrameSpan) -> bytes:
    """One opened frame of a pack; Integrity if the pack is gone, torn or damaged there."""
    place = frame_place(pack, frame)
    position, length, raw_length = span
    if not 0 <= length <= 2 * RAW_LIMIT or position < 0:
        raise Integrity(f"{place} cannot be {length} bytes long", hints=["takeback verify"])
    try:
        sealed = backend.range(object_name(pack), position, length)
    except NotFound as error:
        raise Integrity(f"pack {pack} is gone from the store", hints=["takeback verify"]) from error
    if len(sealed) != length:
        raise Integrity(f"{place} is torn: {len(sealed)} of {length} bytes are there", hints=["takeback verify"])
    return sealer.open(sealed, raw_length, place)
