"""Opened frames that are kept for the blobs beside the one that was asked for."""

from __future__ import annotations

import threading
from collections import OrderedDict


class FrameCache:
    """The frames read last, within a number of bytes; and the last one that is longer than that, lest a store that puts
    many blobs into a giant frame has it opened again for each."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._size = 0
        self._giant: tuple[tuple[int, int], bytes] | None = None
        self._frames: OrderedDict[tuple[int, int], bytes] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: tuple[int, int]) -> bytes | None:
        with self._lock:
            raw = self._frames.get(key)
            if raw is not None:
                self._frames.move_to_end(key)
            elif self._giant is not None and self._giant[0] == key:
                return self._giant[1]
            return raw

    def put(self, key: tuple[int, int], raw: bytes) -> None:
        with self._lock:
            if len(raw) > self._limit:
                self._giant = (key, raw)
                return
            self._size += len(raw) - len(self._frames.pop(key, b""))
            self._frames[key] = raw
            while self._size > self._limit:
                _, dropped = self._frames.popitem(last=False)
                self._size -= len(dropped)

    def clear(self) -> None:
        with self._lock:
            self._frames.clear()
            self._giant = None
            self._size = 0
