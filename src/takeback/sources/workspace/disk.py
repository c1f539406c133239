"""What stands below a root at this moment: who plans to remove something asks whether it is what it is taken for."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable

from takeback.model.tree import name_bytes
from takeback.sources.workspace.statcache import RACY
from takeback.sources.workspace.uncaptured import Identity


class Disk:
    """The files below ``root``; links are not followed. Without a root nothing is known of any file."""

    def __init__(self, root: str | None) -> None:
        self._root = root

    def stat(self, path: str) -> os.stat_result | None:
        """What stands at a path; None if nothing does, or nobody may look."""
        try:
            return None if self._root is None else os.lstat(name_bytes(f"{self._root}/{path}"))
        except OSError:
            return None

    def born_ns(self, path: str) -> int | None:
        """When the file at a path was made, whatever it was called then; None if the system does not tell."""
        return None if self._root is None else born_ns(name_bytes(f"{self._root}/{path}"))

    def is_same(self, path: str, seen: Identity) -> bool:
        """Whether what stands at a path is what was seen, there or elsewhere, maybe changed since.

        The inode of a file that is gone is soon another's. That one is younger than the last change of the old one.
        """
        status = self.stat(path)
        if status is None or (status.st_ino, stat.S_ISDIR(status.st_mode)) != (seen.inode, seen.is_directory):
            return False
        born = self.born_ns(path) if seen.ctime_ns > 0 else None
        return born is None or born <= seen.ctime_ns

    def is_untouched(self, path: str, seen: Identity) -> bool:
        """Whether it is, beyond doubt, and was not written since. A time that cannot be is that of a file which the stat cache
        does not trust: then the file's birth has to tell."""
        status = self.stat(path)
        if status is None or not self.is_same(path, seen):
            return False
        return status.st_mtime_ns == seen.mtime_ns if seen.mtime_ns != RACY else self.born_ns(path) is not None

    def is_unwritten(self, path: str, seen: Identity) -> bool:
        """Whether it is, and has the size and the time of its last write, too, as far as these were noted."""
        status = self.stat(path)
        if status is None or not self.is_same(path, seen):
            return False
        return (
            seen.is_directory or not seen.ctime_ns or (status.st_size, status.st_mtime_ns) == (seen.size, seen.mtime_ns)
        )


NOWHERE = Disk(None)


def born_ns(place: bytes, directory: int | None = None) -> int | None:
    """When the file or directory at a place, which may be seen from an open directory, was made; None if the system does not
    tell."""
    try:
        return _born()(place, directory)
    except OSError:
        return None


def _born() -> Callable[[bytes, int | None], int | None]:
    """What tells when a file was made."""
    global _known
    if _known is None:
        _known = _by_statx() if sys.platform == "linux" else _by_stat
    return _known


_known: Callable[[bytes, int | None], int | None] | None = None


def _by_stat(place: bytes, directory: int | None) -> int | None:
    seconds = getattr(os.stat(place, dir_fd=directory, follow_symlinks=False), "st_birthtime", None)
    return None if seconds is None else int(seconds * 1e9) - 1_000  # it has no more digits than that


_AT_FDCWD, _AT_SYMLINK_NOFOLLOW, _STATX_BTIME = -100, 0x100, 0x800
_SIZE, _MASK, _SECONDS = 256, 0, 80
"""Where a ``struct statx`` has its mask, and the time of birth: seconds (64 bits) and nanoseconds (32)."""


def _by_statx() -> Callable[[bytes, int | None], int | None]:
    import ctypes
    import struct

    try:
        statx = ctypes.CDLL(None, use_errno=True).statx
    except (OSError, AttributeError):
        return lambda place, directory: None

    def born(place: bytes, directory: int | None) -> int | None:
        found = ctypes.create_string_buffer(_SIZE)
        if statx(_AT_FDCWD if directory is None else directory, place, _AT_SYMLINK_NOFOLLOW, _STATX_BTIME, found):
            return None
        (mask,) = struct.unpack_from("=I", found, _MASK)
        seconds, nanoseconds = struct.unpack_from("=qI", found, _SECONDS)
        return seconds * 1_000_000_000 + nanoseconds if mask & _STATX_BTIME else None

    return born
