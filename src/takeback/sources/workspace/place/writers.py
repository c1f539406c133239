"""Other programs that have a file open to write to it."""

from __future__ import annotations

import fcntl
import os
import signal
import sys
import time

from takeback.sources.workspace.place.standing import look

_LATELY = 1_000_000_000
"""A file that nobody has written to for so many nanoseconds is not asked about."""


def is_written_to(directory: int, name: bytes) -> bool:
    """Whether a program has a file open for writing, and has written lately. False where the system cannot tell."""
    if sys.platform != "linux":
        return False
    try:
        status = look(directory, name)
        if status is None or status.st_mtime_ns < time.time_ns() - _LATELY:
            return False
        handle = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=directory)
    except OSError:
        return False
    try:
        return not _can_be_leased(handle)
    finally:
        os.close(handle)


def _can_be_leased(handle: int) -> bool:
    """Whether Linux gives a read lease on a file, which it does only while nobody has it open for writing."""
    if sys.platform == "linux":
        try:
            fcntl.fcntl(handle, fcntl.F_SETSIG, signal.SIGURG)  # which programs ignore, unlike SIGIO
            fcntl.fcntl(handle, fcntl.F_SETLEASE, fcntl.F_RDLCK)
            fcntl.fcntl(handle, fcntl.F_SETLEASE, fcntl.F_UNLCK)
        except BlockingIOError:
            return False
        except OSError:
            return True  # it is not ours, or no file of a kind that can be leased
    return True
