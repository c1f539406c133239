"""The one step between raw bytes and the bytes of a pack or a hot row: compress, and later encrypt.

Everything that is read back is treated as hostile: how much memory an `open` may take is decided by the caller's
``raw_length`` and by `RAW_LIMIT`, never by what the sealed bytes say about themselves.
"""

from __future__ import annotations

import threading
from enum import IntEnum
from typing import TYPE_CHECKING, NamedTuple

from takeback.errors import Integrity

if TYPE_CHECKING:
    import zstandard

LEVEL = 3
_WORTH_STREAMING = 0.6
"""A stream takes a third more time a byte than the whole at once."""
_LARGEST_WINDOW = 8 << 20
"""What a stream may take memory for; nothing that is written here needs more."""
RAW_LIMIT = 64 << 20
"""The most raw bytes that one sealed section may hold."""


class Section(IntEnum):
    """What a sealed section is. Part of the pack format: numbers are never reused."""

    FRAME = 1
    TRAILER = 2


class Place(NamedTuple):
    """Where sealed bytes stand: what a cipher authenticates besides the bytes, so that none can be moved elsewhere."""

    pack: str
    frame: int
    section: Section

    def __str__(self) -> str:
        if self == HOT:
            return "a hot frame of the catalogue"
        return f"{'the trailer' if self.section is Section.TRAILER else f'frame {self.frame}'} of pack {self.pack}"


HOT = Place("hot", 0, Section.FRAME)
"""Hot frames get their number only inside the commit, so they share one place; blob ids tell them apart."""


class Sealer:
    """Seals and opens sections; safe to use from several threads."""

    def __init__(self) -> None:
        self._local = threading.local()

    def seal(self, raw: bytes, place: Place) -> bytes:
        return self._compressor().compress(raw)

    def open(self, sealed: bytes, raw_length: int, place: Place, upto: int | None = None) -> bytes:
        """The raw bytes, exactly ``raw_length`` of them; Integrity for anything else.

        Who needs no more than the first ``upto`` may get only these, if that is cheaper.
        """
        import zstandard

        if not 0 <= raw_length <= RAW_LIMIT:
            raise Integrity(f"{place} claims to hold {raw_length} bytes; no section holds more than {RAW_LIMIT}")
        try:
            # The frame's own header decides how much decompress() allocates, so it is checked first.
            if zstandard.frame_content_size(sealed) != raw_length:
                raise Integrity(f"{place} does not hold the {raw_length} bytes that it should")
            if upto is not None and upto < raw_length * _WORTH_STREAMING:
                window = zstandard.get_frame_parameters(sealed).window_size
                if window <= _LARGEST_WINDOW:
                    with self._decompressor().stream_reader(sealed) as stream:
                        return stream.read(upto)
            raw = self._decompressor().decompress(sealed, max_output_size=raw_length, allow_extra_data=False)
        except zstandard.ZstdError as error:
            raise Integrity(f"{place} cannot be decompressed: {error}") from error
        if len(raw) != raw_length:
            raise Integrity(f"{place} holds {len(raw)} bytes instead of {raw_length}")
        return raw

    def _compressor(self) -> zstandard.ZstdCompressor:
        try:
            compressor: zstandard.ZstdCompressor = self._local.compressor
        except AttributeError:
            import zstandard

            compressor = self._local.compressor = zstandard.ZstdCompressor(level=LEVEL)
        return compressor

    def _decompressor(self) -> zstandard.ZstdDecompressor:
        try:
            decompressor: zstandard.ZstdDecompressor = self._local.decompressor
        except AttributeError:
            import zstandard

            decompressor = self._local.decompressor = zstandard.ZstdDecompressor()
        return decompressor
