"""A file replaced whole: whoever is killed at any moment leaves the old one or the new one.

The new one is written beside it, synced, and renamed over it; then the directory is synced. What a killed process left
half-written goes with the next write to the same path: it is not locked any more.
"""

from __future__ import annotations

import fcntl
import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from glob import escape, glob

from takeback.adapters.persist.errors import unusable
from takeback.store import durable


def replace(path: str, chunks: Iterable[bytes]) -> None:
    """Give ``path`` a new content. A link is followed; directories that are missing are made; permissions are kept."""
    target = os.path.realpath(path)
    directory, name = os.path.split(target)
    try:
        _make(directory)
        start = os.path.join(directory, f".{name}.takeback-")
        _sweep(start)
        mode = stat.S_IMODE(os.stat(target).st_mode) if os.path.exists(target) else None
        temporary, fd = _beside(start, 0o666 if mode is None else 0o600)
        try:
            try:
                for chunk in chunks:
                    durable.write_all(fd, chunk)
                if mode is not None:
                    os.fchmod(fd, mode)
                os.fsync(fd)
                os.replace(temporary, target)
            finally:
                os.close(fd)
        except BaseException:
            durable.remove(temporary)
            raise
        durable.sync_directory(directory)
    except OSError as error:
        raise unusable(path, "write", error) from error


def _make(directory: str) -> None:
    """Make a directory that survives a power cut."""
    if not os.path.isdir(directory):
        above = os.path.dirname(directory)
        _make(above)
        with suppress(FileExistsError):
            os.mkdir(directory)
        durable.sync_directory(above)


def _beside(start: str, mode: int) -> tuple[str, int]:
    """A new file that is locked, and therefore nobody else's to remove."""
    while True:
        temporary = f"{start}{os.urandom(6).hex()}"
        fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, mode)
        fcntl.flock(fd, fcntl.LOCK_EX)
        if os.fstat(fd).st_nlink:
            return temporary, fd
        os.close(fd)  # somebody swept it in the moment before it was locked


def _sweep(start: str) -> None:
    for left in glob(f"{escape(start)}????????????"):
        with suppress(OSError):
            fd = os.open(left, durable.PLAIN)
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                os.unlink(left)
            finally:
                os.close(fd)
