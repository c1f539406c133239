"""Packs as files of a local directory, synced before anything refers to them."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable, Iterator

from takeback.errors import Integrity, InvalidInput, NotFound
from takeback.store.durable import PLAIN, not_own, own_directory, read_at, storage_error, sync_directory, write_new

_TOP = "packs"


class LocalBackend:
    """Objects below ``<root>/packs``; unfinished ones are in ``<root>/tmp``."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._temporary = os.path.join(root, "tmp")
        self._synced: set[str] = set()

    def put(self, name: str, chunks: Iterable[bytes]) -> int:
        target = self._path(name)
        temporary = os.path.join(self._temporary, os.urandom(16).hex())
        try:
            self._make_directory(os.path.dirname(target))
            return write_new(temporary, target, chunks, mode=0o400)
        except OSError as error:
            raise storage_error(error, f"writing {name} to the store", self._root) from error

    def get(self, name: str) -> bytes:
        return self._read(name, 0, None)

    def range(self, name: str, offset: int, length: int) -> bytes:
        return self._read(name, offset, length)

    def size(self, name: str) -> int:
        try:
            return os.lstat(self._path(name)).st_size
        except FileNotFoundError:
            raise NotFound(f"{name} is not in the store") from None
        except OSError as error:
            raise storage_error(error, f"looking at {name} in the store") from error

    def list(self, prefix: str) -> Iterator[str]:
        for directory, _, files in os.walk(os.path.join(self._root, _TOP)):
            below = os.path.relpath(directory, self._root)
            for file in files:
                name = f"{below}/{file}"
                if name.startswith(prefix):
                    yield name

    def delete(self, name: str) -> None:
        self._path(name)
        *directories, last = name.split("/")
        try:
            with own_directory(self._root, *directories) as parent:
                os.unlink(last, dir_fd=parent)
                os.fsync(parent)  # or a power cut brings it back when nobody knows of it any more
        except FileNotFoundError:
            pass
        except OSError as error:
            raise storage_error(error, f"removing {name} from the store") from error

    def close(self) -> None:
        pass

    def _path(self, name: str) -> str:
        parts = name.split("/")
        if parts[0] != _TOP or len(parts) < 2 or any(part in ("", ".", "..") or "\0" in part for part in parts):
            raise InvalidInput(f"{name!r} is no name of a stored object; they are below {_TOP}/")
        return os.path.join(self._root, name)

    def _make_directory(self, path: str) -> None:
        if path in self._synced:
            return
        parent = os.path.dirname(path)
        if parent != self._root:
            self._make_directory(parent)
        try:
            os.mkdir(path, 0o700)
        except FileExistsError:
            if not stat.S_ISDIR(os.lstat(path).st_mode):
                raise not_own(path) from None
        sync_directory(parent)
        self._synced.add(path)

    def _read(self, name: str, offset: int, length: int | None) -> bytes:
        try:
            fd = os.open(self._path(name), PLAIN)
        except FileNotFoundError:
            raise NotFound(f"{name} is not in the store") from None
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.ENXIO):
                raise _no_file(name) from error
            raise storage_error(error, f"reading {name} from the store") from error
        try:
            status = os.fstat(fd)
            if not stat.S_ISREG(status.st_mode):
                raise _no_file(name)
            size = status.st_size
            start = max(size + offset, 0) if offset < 0 else offset
            wanted = max(size - start, 0) if length is None else min(length, max(size - start, 0))
            return read_at(fd, start, wanted)
        except OSError as error:
            raise storage_error(error, f"reading {name} from the store") from error
        finally:
            os.close(fd)


def _no_file(name: str) -> Integrity:
    return Integrity(f"{name} is no file: something else stands in its place", hints=["takeback verify"])
