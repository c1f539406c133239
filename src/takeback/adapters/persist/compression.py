"""The two ways a snapshot file is compressed, as streams in both directions.

Which one is written follows from the file's name, which one is read from its first bytes. A gzip file has one member,
because Persist reads only the first. Decompression hands out bounded pieces, whatever a file claims.
"""

from __future__ import annotations

import codecs
import zlib
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, BinaryIO

from takeback.adapters.persist.errors import PersistCompressionError, PersistIntegrityError

if TYPE_CHECKING:
    import zstandard

GZIP, ZSTD = "gzip", "zstd"

_MAGIC = {b"\x1f\x8b": GZIP, b"\x28\xb5\x2f\xfd": ZSTD}
_GZIP_LEVEL = 6
_ZSTD_LEVEL = 3
_PIECE = 1 << 18
_READ = 1 << 16
_SIP = 512
"""A few bytes of zstd can stand for 128 KiB each, so little is read at a time: 16 MiB at most."""
_WINDOW = 8 << 20


def algorithm_for(path: str) -> str:
    """``.zst`` is zstd; everything else is gzip, as in Persist."""
    return ZSTD if path.endswith(".zst") else GZIP


def algorithm_of(start: bytes) -> str | None:
    """What a file's first bytes say."""
    return next((name for magic, name in _MAGIC.items() if start.startswith(magic)), None)


def compressed(pieces: Iterable[bytes], algorithm: str) -> Iterator[bytes]:
    stream = _zstd() if algorithm == ZSTD else zlib.compressobj(_GZIP_LEVEL, zlib.DEFLATED, 31)
    for piece in pieces:
        if data := stream.compress(piece):
            yield data
    yield stream.flush()


def _zstd() -> zstandard.ZstdCompressionObj:
    import zstandard

    return zstandard.ZstdCompressor(level=_ZSTD_LEVEL, write_checksum=True).compressobj()


def text_of(file: BinaryIO, algorithm: str, path: str) -> Iterator[str]:
    """The text of a file that stands at its beginning."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for data in _gunzipped(file, path) if algorithm == GZIP else _unzstd(file, path):
            yield decoder.decode(data)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError as error:
        raise PersistIntegrityError(f"{path} is damaged: it is not UTF-8") from error


def _gunzipped(file: BinaryIO, path: str) -> Iterator[bytes]:
    stream = zlib.decompressobj(31)
    waiting = b""
    while not stream.eof:
        waiting = waiting or file.read(_READ)
        if not waiting:
            raise _damaged(path, "it is cut off")
        try:
            data = stream.decompress(waiting, _PIECE)
        except zlib.error as error:
            raise _damaged(path, f"it cannot be decompressed ({error})") from error
        waiting = stream.unconsumed_tail
        if data:
            yield data
    if stream.unused_data or file.read(1):
        raise _damaged(path, "something follows after its end")


def _unzstd(file: BinaryIO, path: str) -> Iterator[bytes]:
    import zstandard

    stream = zstandard.ZstdDecompressor(max_window_size=_WINDOW).decompressobj()
    while not stream.eof:
        waiting = file.read(_SIP)
        if not waiting:
            raise _damaged(path, "it is cut off")
        try:
            data = stream.decompress(waiting)
        except zstandard.ZstdError as error:
            raise _damaged(path, f"it cannot be decompressed ({error})") from error
        for start in range(0, len(data), _PIECE):
            yield data[start : start + _PIECE]
    if stream.unused_data or file.read(1):
        raise _damaged(path, "something follows after its end")


def _damaged(path: str, how: str) -> PersistCompressionError:
    return PersistCompressionError(
        f"{path} is damaged: {how}", hints=["restore from another snapshot, or from a copy of this one"]
    )
