"""A writer that keeps nothing: what only has to be compared with what is stored."""

from __future__ import annotations

from collections.abc import Callable

from blake3 import blake3

from takeback.model.ids import BlobKind

_PIECE = 1 << 20


class Hashing:
    """Names bytes as a store would."""

    def put(self, data: bytes, kind: BlobKind) -> bytes:
        return blake3(data).digest()

    def put_stream(self, read: Callable[[int], bytes]) -> tuple[bytes, int]:
        whole, size = blake3(), 0
        while piece := read(_PIECE):
            whole.update(piece)
            size += len(piece)
        return whole.digest(), size
