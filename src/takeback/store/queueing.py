"""Who waits for a lock says so, and who comes after them does not push in.

The kernel gives a free lock to whoever asks first, and that is whoever had it last: a process that saves again and again
would keep all others out for as long as they have patience. So those who wait hold a shared record lock on the same
directory beside the lock that they wait for, and a newcomer who sees one waits a moment before the first try. It is
courtesy and no part of the exclusion: where a system has no such locks, or a process dies, nothing is wrong.
"""

from __future__ import annotations

import fcntl
import struct
import sys

_LOCK = struct.Struct("hhqqi4x")
"""``struct flock`` of Linux: type, whence, start, length, process."""


def others_wait(fd: int) -> bool:
    """Whether somebody waits for the lock of an open directory."""
    answer = _ask(fd, "F_OFD_GETLK", fcntl.F_WRLCK)
    return answer is not None and _LOCK.unpack(answer)[0] != fcntl.F_UNLCK


def announce(fd: int) -> None:
    """Say that we wait, until `withdraw` or until the descriptor is closed."""
    _ask(fd, "F_OFD_SETLK", fcntl.F_RDLCK)


def withdraw(fd: int) -> None:
    _ask(fd, "F_OFD_SETLK", fcntl.F_UNLCK)


def _ask(fd: int, command: str, kind: int) -> bytes | None:
    if sys.platform != "linux":
        return None
    try:
        return bytes(fcntl.fcntl(fd, getattr(fcntl, command), _LOCK.pack(kind, 0, 0, 1, 0)))
    except (OSError, AttributeError):
        return None
