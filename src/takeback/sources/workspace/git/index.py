"""Which paths git tracks, read from its index (versions 2, 3 and 4) and never written.

Only names are read. A split index (``link`` extension) is read together with its shared index; entries that only the
delete bitmap takes away still count as tracked, which at worst captures a file more. An index that is missing, damaged
or of an unknown version tracks nothing: git's ignore rules then decide alone.
"""

from __future__ import annotations

import os
from bisect import bisect_left
from collections.abc import Sequence

from blake3 import blake3

from takeback.sources.workspace.git.config import read_file

_LIMIT = 2 << 30
_FIXED = 40
"""Bytes of an entry before its object id."""
_EXTENDED = 0x40

Signature = tuple[int, ...]
"""What tells one state of the index file from another: size, times and inode; empty if there is no index."""


class Tracked:
    """Paths in the index, as bytes from the top level, sorted."""

    def __init__(self, paths: Sequence[bytes] = ()) -> None:
        self.paths = paths
        self.digest = blake3(b"\0".join(paths)).digest()

    def holds(self, path: bytes) -> bool:
        at = bisect_left(self.paths, path)
        return at < len(self.paths) and self.paths[at] == path

    def holds_below(self, directory: bytes) -> bool:
        prefix = directory + b"/"
        at = bisect_left(self.paths, prefix)
        return at < len(self.paths) and self.paths[at].startswith(prefix)


def signature(git_dir: str) -> Signature:
    """The index file's stat, so that an unchanged index need not be read again."""
    try:
        status = os.stat(os.path.join(git_dir, "index"))
    except OSError:
        return ()
    return (status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)


def read_index(git_dir: str, sha256: bool = False) -> Tracked:
    """The tracked paths of the repository with this git directory."""
    hash_size = 32 if sha256 else 20
    names, shared = _read(os.path.join(git_dir, "index"), hash_size)
    if shared is not None:
        names += _read(os.path.join(git_dir, f"sharedindex.{shared}"), hash_size)[0]
        names = sorted(filter(None, set(names)))
    return Tracked(names)


def _read(path: str, hash_size: int) -> tuple[list[bytes], str | None]:
    data = read_file(path, _LIMIT)
    if data is None or len(data) < 12 + hash_size or data[:4] != b"DIRC":
        return [], None
    version, count = int.from_bytes(data[4:8], "big"), int.from_bytes(data[8:12], "big")
    if version not in (2, 3, 4) or count > len(data) // _FIXED:
        return [], None
    try:
        names, end = (_compressed if version == 4 else _padded)(data, count, _FIXED + hash_size + 2)
    except (ValueError, IndexError):
        return [], None
    names.sort()
    return names, _shared(data, end, hash_size)


def _padded(data: bytes, count: int, header: int) -> tuple[list[bytes], int]:
    """Versions 2 and 3: names end with one to eight NULs, so that entries start at multiples of eight from the first."""
    names = []
    at, flags, find = 12, header - 2, data.index
    for _ in range(count):
        start = at + header + (2 if data[at + flags] & _EXTENDED else 0)
        end = find(0, start)
        names.append(data[start:end])
        at += (end - at + 8) & ~7
    return names, at


def _compressed(data: bytes, count: int, header: int) -> tuple[list[bytes], int]:
    """Version 4: how many bytes of the previous name to drop (git's offset varint), then the rest, NUL-terminated."""
    names = []
    name, at, flags, find = b"", 12, header - 2, data.index
    for _ in range(count):
        start = at + header + (2 if data[at + flags] & _EXTENDED else 0)
        byte = data[start]
        drop = byte & 127
        while byte & 128:
            start += 1
            byte = data[start]
            drop = ((drop + 1) << 7) | (byte & 127)
        if drop > len(name):
            raise ValueError("an index entry drops more than the name before it has")
        end = find(0, start + 1)
        name = name[: len(name) - drop] + data[start + 1 : end]
        names.append(name)
        at = end + 1
    return names, at


def _shared(data: bytes, at: int, hash_size: int) -> str | None:
    """The object id that names the shared index, if a ``link`` extension follows the entries."""
    while at + 8 <= len(data) - hash_size:
        size = int.from_bytes(data[at + 4 : at + 8], "big")
        if data[at : at + 4] == b"link" and size >= hash_size:
            return data[at + 8 : at + 8 + hash_size].hex()
        at += 8 + size
    return None
