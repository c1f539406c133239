"""Packs in memory, for ``":memory:"`` and for tests."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator

from takeback.errors import Conflict, NotFound


class MemoryBackend:
    def __init__(self) -> None:
        self._objects: dict[str, bytes] = {}
        self._lock = threading.Lock()

    def put(self, name: str, chunks: Iterable[bytes]) -> int:
        data = b"".join(chunks)
        with self._lock:
            if name in self._objects:
                raise Conflict(f"{name} exists already, and stored objects are never changed")
            self._objects[name] = data
        return len(data)

    def get(self, name: str) -> bytes:
        try:
            return self._objects[name]
        except KeyError:
            raise NotFound(f"{name} is not in the store") from None

    def range(self, name: str, offset: int, length: int) -> bytes:
        data = self.get(name)
        start = max(len(data) + offset, 0) if offset < 0 else offset
        return data[start : start + length]

    def size(self, name: str) -> int:
        return len(self.get(name))

    def list(self, prefix: str) -> Iterator[str]:
        with self._lock:
            names = [name for name in self._objects if name.startswith(prefix)]
        return iter(names)

    def delete(self, name: str) -> None:
        with self._lock:
            self._objects.pop(name, None)

    def close(self) -> None:
        self._objects.clear()
