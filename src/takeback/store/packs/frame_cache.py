"""Opened frames that are kept for the blobs beside the one that was asked for."""

from __future__ import annotations

import threading
from collections import OrderedDict


class FrameCache:
    """The frames read last, within a number of bytes."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._size = 0
        self._frames: OrderedDict[tuple[int, int], bytes] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: tuple[int, int]) -> bytes | None:
        with self._lock:
            raw = self._frames.get(key)
            if raw is not None:
                self._frames.move_to_end(key)
            return raw

    def put(self, key: tuple[int, int], raw: bytes) -> None:
        with self._lock:
            if key in self._frames or len(raw) > self._limit:
                return
            self._frames[key] = raw
            self._size += len(raw)
            while self._size > self._limit:
                _, dropped = self._frames.popitem(last=False)
                self._size -= len(dropped)

    def clear(self) -> None:
        with self._lock:
            self._frames.clear()
            self._size = 0
