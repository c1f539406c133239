"""Frames: how blobs are gathered into one, how it is sealed and checked, and how it is read from a pack."""

from __future__ import annotations

import threading
from itertools import accumulate, repeat
from typing import NamedTuple

from blake3 import blake3

from takeback.errors import Integrity, NotFound
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
    """Blobs that are sealed together. ``raw`` is let go once the sealed bytes are written, unless it is to ``keep``."""

    __slots__ = (
        "_digest",
        "_kinds",
        "_lengths",
        "error",
        "ids",
        "keep",
        "number",
        "raw",
        "raw_length",
        "sealed",
        "sealing",
    )

    def __init__(self, blobs: dict[bytes, Stored], keep: bool = False) -> None:
        self.keep = keep
        self.ids = list(blobs)
        self._kinds = [blob.kind for blob in blobs.values()]
        self._lengths = [len(blob.data) for blob in blobs.values()]
        self.raw: bytes | None = b"".join([blob.data for blob in blobs.values()])
        self.raw_length = len(self.raw)
        self._digest = blake3(self.raw).digest()
        self.number = 0
        self.sealed: bytes | None = None
        self.error: BaseException | None = None
        self.sealing = threading.Event()
        """Set when ``sealed`` or ``error`` is."""

    def entries(self, number: int) -> list[PackEntry]:
        """Where each blob lies, once the frame has its number."""
        starts = accumulate(self._lengths, initial=0)
        return list(map(PackEntry, self.ids, self._kinds, repeat(number), starts, self._lengths))

    def entry(self, id: bytes) -> PackEntry:
        """Where one of the blobs lies."""
        place = self.ids.index(id)
        return PackEntry(id, self._kinds[place], self.number, sum(self._lengths[:place]), self._lengths[place])

    def seal(self, place: Place, sealer: Sealer) -> bytes:
        """The sealed bytes, opened again and hashed before they count: a fault of memory or compressor is found.

        One hash of the whole, taken when the frame was closed: to hash each blob again would take the interpreter,
        thousands of times, from whoever reads files. Not found is what changes in memory between the two moments, some
        milliseconds apart, in which a blob is hashed for its id and its frame is closed.
        """
        assert self.raw is not None
        sealed = sealer.seal(self.raw, place)
        if blake3(sealer.open(sealed, self.raw_length, place)).digest() != self._digest:
            raise Integrity(
                f"{place} does not read back as it was written, so it was not stored: memory or the compressor is at fault",
                hints=["try again; if it happens again, check this machine's memory"],
            )
        return sealed


class FrameBuilder:
    """Collects blobs until they are enough for a frame."""

    def __init__(self) -> None:
        self.blobs: dict[bytes, Stored] = {}
        self.size = 0

    def add(self, id: bytes, blob: Stored) -> None:
        """Take a blob that is not among them yet."""
        self.blobs[id] = blob
        self.size += len(blob.data)

    def join(self, other: FrameBuilder) -> None:
        """Take over all that another one has collected."""
        self.blobs |= other.blobs
        self.size += other.size
        other.blobs, other.size = {}, 0

    def take(self, *, keep: bool = False) -> Frame | None:
        """The frame so far; the builder begins anew. To ``keep`` is for what its own writer will read again."""
        if not self.blobs:
            return None
        frame = Frame(self.blobs, keep)
        self.blobs, self.size = {}, 0
        return frame


def read_frame(
    backend: Backend, sealer: Sealer, pack: str, frame: int, span: FrameSpan, upto: int | None = None
) -> bytes:
    """One opened frame of a pack, or at least its first ``upto`` bytes; Integrity if the pack is gone, torn or damaged
    there."""
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
    return sealer.open(sealed, raw_length, place, upto)
