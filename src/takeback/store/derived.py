"""Derived files: what can be computed again from the store and the world, kept only to be fast.

Nothing here is synced. A file is a magic, the BLAKE3 of all that follows, the key's length (u32), the key and the
data; an empty, torn or foreign one counts as absent, and so does every failure to read or write one.
"""

from __future__ import annotations

import os
import struct
from typing import Protocol

from blake3 import blake3

from takeback.store.durable import NotPlain, read_plain_file, storage_error

_HEAD = struct.Struct("<4s32sI")
_MAGIC = b"TBD1"
UNFINISHED = "."
"""What the names of files begin with that are being written, or were when their process was killed."""
_LIMIT = 1 << 30


class Derived(Protocol):
    """A place for derived bytes, each under a key of any text."""

    def get(self, key: str) -> bytes | None:
        """What was last put under the key, or None."""

    def put(self, key: str, data: bytes) -> None:
        """Replace what is under the key. Nothing happens where nothing can be written."""

    def clear(self) -> None:
        """Remove everything, and what was left half written."""


class DerivedFiles:
    """Derived bytes as files of one directory."""

    def __init__(self, directory: str, *, readonly: bool) -> None:
        self._directory = directory
        self._readonly = readonly

    def get(self, key: str) -> bytes | None:
        try:
            framed = read_plain_file(self._path(key), _LIMIT)
        except (OSError, NotPlain):
            return None
        return _unframe(_key_bytes(key), framed)

    def put(self, key: str, data: bytes) -> None:
        if self._readonly:
            return
        temporary = os.path.join(self._directory, f"{UNFINISHED}{os.urandom(8).hex()}")
        try:
            with open(temporary, "xb", buffering=0, opener=_private) as file:
                view = memoryview(_frame(_key_bytes(key), data))
                while view:
                    view = view[file.write(view) :]
            os.replace(temporary, self._path(key))
        except OSError:
            try:
                os.unlink(temporary)
            except OSError:
                pass

    def clear(self) -> None:
        for name in os.listdir(self._directory):
            try:
                os.unlink(os.path.join(self._directory, name))
            except FileNotFoundError:
                pass
            except OSError as error:
                raise storage_error(error, "removing a derived file of the store") from error

    def _path(self, key: str) -> str:
        return os.path.join(self._directory, blake3(_key_bytes(key)).hexdigest()[:32])


class DerivedMemory:
    """Derived bytes of a store in memory."""

    def __init__(self) -> None:
        self._values: dict[str, bytes] = {}

    def get(self, key: str) -> bytes | None:
        return self._values.get(key)

    def put(self, key: str, data: bytes) -> None:
        self._values[key] = data

    def clear(self) -> None:
        self._values.clear()


def _key_bytes(key: str) -> bytes:
    return key.encode("utf-8", "surrogatepass")  # a key may be a path, and that any bytes


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _frame(key: bytes, data: bytes) -> bytes:
    return _HEAD.pack(_MAGIC, _checksum(key, data), len(key)) + key + data


def _unframe(key: bytes, framed: bytes) -> bytes | None:
    if len(framed) < _HEAD.size:
        return None
    magic, checksum, length = _HEAD.unpack_from(framed)
    start = _HEAD.size + length
    if magic != _MAGIC or framed[_HEAD.size : start] != key:
        return None
    data = framed[start:]
    return data if _checksum(key, data) == checksum else None


def _checksum(key: bytes, data: bytes) -> bytes:
    hasher = blake3(struct.pack("<I", len(key)) + key)
    hasher.update(data)
    return hasher.digest()


class DerivedDraft:
    """Derived bytes that belong to something not yet committed: seen by `get` at once, kept by `keep`."""

    def __init__(self, base: Derived) -> None:
        self._base = base
        self._draft: dict[str, bytes] = {}

    def get(self, key: str) -> bytes | None:
        return self._draft[key] if key in self._draft else self._base.get(key)

    def put(self, key: str, data: bytes) -> None:
        self._draft[key] = data

    def clear(self) -> None:
        self._draft.clear()
        self._base.clear()

    def keep(self) -> None:
        """What was drafted holds from now on."""
        while self._draft:
            self._base.put(*self._draft.popitem())
