"""Frames on their way into a pack or into the hot rows, and how one is sealed and read back."""

from __future__ import annotations

import threading

from blake3 import blake3

from takeback.errors import Integrity
from takeback.model.ids import BlobKind
from takeback.store.pack import PackEntry
from takeback.store.sealing import Place, Sealer

FRAME_SIZE = 1 << 20
"""Raw bytes after which a frame is closed; a single blob may be longer."""


class Frame:
    """Blobs that are sealed together. ``raw`` is dropped once the sealed bytes are written."""

    __slots__ = ("entries", "error", "number", "raw", "raw_length", "sealed", "sealing")

    def __init__(self, raw: bytes, entries: list[PackEntry]) -> None:
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

    def take(self) -> Frame | None:
        """The frame so far; the builder begins anew."""
        if not self._entries:
            return None
        frame = Frame(b"".join(self._parts), self._entries)
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
