"""Small pictures, made of nothing but numbers, so that they are the same wherever they are made."""

from __future__ import annotations

import functools
import itertools
import struct
import zlib

Colour = tuple[int, int, int]


def png(rows: list[list[Colour]]) -> bytes:
    """The bytes of a picture, by its rows of pixels."""
    height, width = len(rows), len(rows[0])
    raw = b"".join(b"\0" + bytes(itertools.chain.from_iterable(row)) for row in rows)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(raw, 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data)) for name, data in chunks
    )


def banner(
    sky: Colour, sea: Colour, sun: Colour, *, width: int = 320, height: int = 120, sun_at: float = 0.75
) -> bytes:
    """A sun over the sea."""
    horizon, middle, radius = height * 2 // 3, width * sun_at, height * 0.28

    def pixel(x: int, y: int) -> Colour:
        if (x - middle) ** 2 + (y - horizon * 0.7) ** 2 < radius**2 and y < horizon:
            return sun
        if y >= horizon:
            wave = 14 if (x // 16 + y // 5) % 2 else 0
            return _mixed(sea, (255, 255, 255), wave / 255)
        return _mixed(sky, (255, 255, 255), y / horizon * 0.6)

    return png([[pixel(x, y) for x in range(width)] for y in range(height)])


def logo(colour: Colour, *, size: int = 64) -> bytes:
    """A shopping bag."""

    def pixel(x: int, y: int) -> Colour:
        inside = size * 0.2 < x < size * 0.8 and size * 0.36 < y < size * 0.88
        away = ((x - size / 2) ** 2 + (y - size * 0.36) ** 2) ** 0.5
        return colour if inside or (size * 0.13 < away < size * 0.19 and y < size * 0.4) else (250, 250, 248)

    return png([[pixel(x, y) for x in range(size)] for y in range(size)])


@functools.cache  # pictures have few colours and many pixels
def _mixed(one: Colour, other: Colour, share: float) -> Colour:
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(one, other, strict=True))
    return red, green, blue
