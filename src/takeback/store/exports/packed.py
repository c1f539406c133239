"""A backend whose packs lie one after the other in one file."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Iterator

from takeback.errors import Conflict, NotFound
from takeback.store.durable import read_at, storage_error, write_all
from takeback.store.exports.container import HEADER_SIZE, PackSpan
from takeback.store.packs.pack import object_name


class PackedFile:
    """The packs of one open file. One is written at a time; what fails meanwhile is written over by the next."""

    def __init__(self, fd: int, packs: Iterable[PackSpan] = ()) -> None:
        self._fd = fd
        self._packs = {object_name(pack.name): pack for pack in packs}
        self.end = max((pack.position + pack.length for pack in self._packs.values()), default=HEADER_SIZE)
        """Where the next pack begins."""
        self._writing = threading.Lock()

    @property
    def packs(self) -> list[PackSpan]:
        return sorted(self._packs.values(), key=lambda pack: pack.position)

    def put(self, name: str, chunks: Iterable[bytes]) -> int:
        if name in self._packs:
            raise Conflict(f"{name} exists already, and stored objects are never changed")
        with self._writing:
            try:
                os.lseek(self._fd, self.end, os.SEEK_SET)
                size = sum(write_all(self._fd, chunk) for chunk in chunks)
            except OSError as error:
                raise storage_error(error, "writing the export") from error
            self._packs[name] = PackSpan(name.rpartition("/")[2], self.end, size)
            self.end += size
            return size

    def get(self, name: str) -> bytes:
        return self.range(name, 0, self._find(name).length)

    def range(self, name: str, offset: int, length: int) -> bytes:
        pack = self._find(name)
        start = max(pack.length + offset, 0) if offset < 0 else offset
        try:
            return read_at(self._fd, pack.position + start, min(length, max(pack.length - start, 0)))
        except OSError as error:
            raise storage_error(error, "reading the export") from error

    def size(self, name: str) -> int:
        return self._find(name).length

    def list(self, prefix: str) -> Iterator[str]:
        return (name for name in self._packs if name.startswith(prefix))

    def delete(self, name: str) -> None:
        pack = self._packs.pop(name, None)
        if pack is not None and pack.position + pack.length == self.end:
            self.end = pack.position

    def close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
        self._fd = -1

    def _find(self, name: str) -> PackSpan:
        try:
            return self._packs[name]
        except KeyError:
            raise NotFound(f"{name} is not in the export") from None
