"""The frames of a pack that does not tell where they lie: each is one zstd frame after the other, and each knows its end."""

from __future__ import annotations

from collections.abc import Callable

from takeback.store.packs.pack import HEADER_SIZE, FrameSpan
from takeback.store.packs.sealing import RAW_LIMIT

_MAGIC = b"\x28\xb5\x2f\xfd"


def walk_frames(size: int, read: Callable[[int, int], bytes]) -> list[FrameSpan]:
    """Every frame that can be opened, as ``read(offset, length)`` gives the bytes; what lies between is passed over."""
    import zstandard

    found: list[FrameSpan] = []
    data = read(0, size)
    at = data.find(_MAGIC, HEADER_SIZE)
    while at >= 0:
        length = 0
        try:
            raw_length = zstandard.frame_content_size(data[at : at + 32])
            if 0 <= raw_length <= RAW_LIMIT:
                opener = zstandard.ZstdDecompressor().decompressobj()
                raw = opener.decompress(data[at : at + 2 * raw_length + 4096])
                if opener.eof and len(raw) == raw_length:
                    length = len(data[at : at + 2 * raw_length + 4096]) - len(opener.unused_data)
                    found.append(FrameSpan(at, length, raw_length))
        except zstandard.ZstdError:
            pass
        at = data.find(_MAGIC, at + max(length, 1))
    return found
