"""A backend that lies and breaks, around one that does not: what networks and disks do to objects.

Which calls go wrong, and how, is decided by a schedule: a fault for each call, "" for none; when it has run out, all is
well. A call that a fault does not fit passes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from takeback.errors import NotFound, Unavailable
from takeback.store.backend import Backend

LOST, TORN, REPEATED, UNSURE, DELAYED, ROTTEN = "lost", "torn", "repeated", "unsure", "delayed", "rotten"
FLIPPED, SHORT, BROKEN = "flipped", "short", "broken"

WRITING = (LOST, TORN, REPEATED, UNSURE, DELAYED)
"""The put says that all is well, and nothing is there; or a part of it; the put is done twice and the second answer is
given; it is done and the answer is an error; it is seen only after some more calls."""
READING = (FLIPPED, SHORT, BROKEN)
"""One bit is another one; the end is missing; there is an error."""

_LAG = 3


class FaultyBackend:
    """Counts what it did wrong in ``done``."""

    def __init__(self, inner: Backend, schedule: Iterable[str] = ()) -> None:
        self.inner = inner
        self.done: dict[str, int] = {}
        self._schedule = iter(schedule)
        self._hidden: dict[str, int] = {}

    def put(self, name: str, chunks: Iterable[bytes]) -> int:
        fault = self._next(*WRITING, ROTTEN)
        data = b"".join(chunks)
        if fault == LOST:
            return len(data)
        if fault == TORN:
            self.inner.put(name, [data[: len(data) // 2]])
            return len(data)
        if fault == ROTTEN:
            return self.inner.put(name, [_flip(data)])
        size = self.inner.put(name, [data])
        if fault == REPEATED:
            return self.inner.put(name, [data])  # Conflict, though it is there
        if fault == UNSURE:
            raise Unavailable("the connection was closed before the answer came")
        if fault == DELAYED:
            self._hidden[name] = _LAG
        return size

    def get(self, name: str) -> bytes:
        return self._read(name, lambda: self.inner.get(name))

    def range(self, name: str, offset: int, length: int) -> bytes:
        return self._read(name, lambda: self.inner.range(name, offset, length))

    def size(self, name: str) -> int:
        self._see(name)
        if self._next(BROKEN):
            raise Unavailable("the connection was closed")
        return self.inner.size(name)

    def list(self, prefix: str) -> Iterator[str]:
        return (name for name in self.inner.list(prefix) if name not in self._hidden)

    def delete(self, name: str) -> None:
        if self._next(BROKEN):
            raise Unavailable("the connection was closed")
        self._hidden.pop(name, None)
        self.inner.delete(name)

    def close(self) -> None:
        self.inner.close()

    def heal(self) -> None:
        """From now on nothing goes wrong, and all that was delayed is there."""
        self._schedule = iter(())
        self._hidden.clear()

    def _read(self, name: str, read: Callable[[], bytes]) -> bytes:
        self._see(name)
        fault = self._next(*READING)
        if fault == BROKEN:
            raise Unavailable("the connection was closed in the middle of an object")
        data = read()
        if fault == SHORT:
            return data[: len(data) // 2]
        return _flip(data) if fault == FLIPPED else data

    def _see(self, name: str) -> None:
        if name in self._hidden:
            self._hidden[name] -= 1
            if self._hidden[name] > 0:
                raise NotFound(f"{name} is not in the store")
            del self._hidden[name]

    def _next(self, *possible: str) -> str:
        fault = next(self._schedule, "")
        if fault not in possible:
            return ""
        self.done[fault] = self.done.get(fault, 0) + 1
        return fault


def _flip(data: bytes) -> bytes:
    """One bit in the middle, where the frames are, turned over."""
    if not data:
        return data
    at = len(data) // 3
    return data[:at] + bytes([data[at] ^ 4]) + data[at + 1 :]
