"""Reading one file as it was at one moment: a file that changes under the read is read again, or given up."""

from __future__ import annotations

import os
import stat
import sys
import time
from collections.abc import Callable
from operator import attrgetter
from typing import Protocol

from blake3 import blake3

from takeback.model.ids import BlobKind
from takeback.model.tree import name_bytes
from takeback.sources.workspace.statcache import RACY, Stat

SMALL = 1 << 20
"""Files up to this size are read in one go; larger ones stream through the chunker."""

ATTEMPTS = 3

LATELY_NS = 35_000_000_000
"""For so long after a file was written through a mapping, the kernel may take further writes to the same page without noting
that they happened: the page is written to the disk within 30 seconds, and 5 until somebody comes to do it."""

_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_TICK = 50_000_000
_COARSE_TICK = 2_000_000_000
_CLOCK = getattr(time, "CLOCK_REALTIME_COARSE", time.CLOCK_REALTIME) if sys.platform == "linux" else time.CLOCK_REALTIME


class Puts(Protocol):
    """Where bytes go: a store's writer, or what only wants to know their names."""

    def put(self, data: bytes, kind: BlobKind) -> bytes: ...

    def put_stream(self, read: Callable[[int], bytes]) -> tuple[bytes, int]: ...


class Changing(Exception):
    """The file did not hold still, or is no regular file any more."""


class TooLarge(Exception):
    """The file has ``size`` bytes, more than the limit."""

    def __init__(self, size: int) -> None:
        super().__init__(size)
        self.size = size


stat_of: Callable[[os.stat_result], Stat] = attrgetter("st_mode", "st_size", "st_mtime_ns", "st_ctime_ns", "st_ino")


def store_file(
    writer: Puts,
    name: str,
    directory: int,
    limit: int | None = None,
    tick: Callable[[int], object] = lambda size: None,
) -> tuple[bytes, Stat]:
    """Put a file's bytes into the store: their id, and the stat that they belong to; TooLarge beyond ``limit``.

    ``tick`` is told now and then how much of a large file has been read; what it raises ends the reading.
    """
    handle = os.open(name_bytes(name), _FLAGS, dir_fd=directory)
    try:
        for _ in range(ATTEMPTS):
            now = time.clock_gettime_ns(_CLOCK)
            before = os.fstat(handle)
            if not stat.S_ISREG(before.st_mode):
                raise Changing
            seen = stat_of(before)
            length = seen[1]
            if limit is not None and length > limit:
                raise TooLarge(length)
            if length <= SMALL:
                data = os.read(handle, length + 1)
                if len(data) == length and seen == stat_of(os.fstat(handle)):
                    return writer.put(data, BlobKind.DATA), racy(seen, now)
            else:
                blob, size = writer.put_stream(_up_to(handle, length + 1, tick))
                if size == length and seen == stat_of(os.fstat(handle)):
                    return blob, racy(seen, now)
            os.lseek(handle, 0, os.SEEK_SET)
    finally:
        os.close(handle)
    raise Changing


def has_bytes(name: str, directory: int, id: bytes, size: int) -> bool:
    """Whether a file has exactly these bytes. Nothing is kept of it."""
    try:
        handle = os.open(name_bytes(name), _FLAGS, dir_fd=directory)
    except OSError:
        return False
    try:
        hasher = blake3()
        while size >= 0 and (data := os.read(handle, min(size + 1, SMALL))):
            hasher.update(data)
            size -= len(data)
        return size == 0 and hasher.digest() == id
    except OSError:
        return False
    finally:
        os.close(handle)


def _up_to(handle: int, limit: int, tick: Callable[[int], object]) -> Callable[[int], bytes]:
    """Reads no further than ``limit``: a file that grows as fast as it is read would never end."""
    done = 0

    def read(length: int) -> bytes:
        nonlocal done
        data = os.read(handle, min(length, limit - done))
        done += len(data)
        tick(done)
        return data

    return read


def store_link(writer: Puts, name: str, directory: int, seen: Stat) -> tuple[bytes, Stat]:
    """Put a link's target into the store: its id, and the stat that it belongs to."""
    now = time.clock_gettime_ns(_CLOCK)
    target = os.readlink(name_bytes(name), dir_fd=directory)
    return writer.put(target, BlobKind.DATA), racy((seen[0], len(target), *seen[2:]), now)


def racy(seen: Stat, now: int) -> Stat:
    """The stat to remember: one that will never match, if a later write could leave the same one behind."""
    changed = seen[3]
    tick = _TICK if changed % 1_000_000_000 else _COARSE_TICK
    return seen if changed < now - tick else (seen[0], seen[1], RACY, changed, seen[4])
