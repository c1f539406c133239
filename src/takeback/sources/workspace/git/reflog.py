"""Where git's HEAD has been: the end of its own log, one line for each commit, checkout, reset, merge or step of a rebase.

Every working tree has a log of its own. Only the end of a long one is read. A commit that no branch holds any more is still
in there, until git forgets it after some months; a repository may also have no log at all.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Sequence
from typing import NamedTuple

from takeback.model.tree import name_bytes

END = 256 << 10
"""So much of a log is read, which is more than a thousand entries."""

_ENTRY = re.compile(
    rb"^([0-9a-f]{40}(?:[0-9a-f]{24})?) ([0-9a-f]{40}(?:[0-9a-f]{24})?) [^\n]*?> (\d{1,12}) [+-]\d{4}(?:\t([^\n]*))?$",
    re.MULTILINE,
)


class Entry(NamedTuple):
    """HEAD went from one commit to another."""

    old: str
    """All zeros before the first commit."""
    new: str
    time_s: int
    """By the clock of whoever committed: an environment variable can set it."""
    message: str


def read(git_dir: str) -> list[Entry]:
    """The last entries of a working tree's log, oldest first."""
    return [
        Entry(old.decode(), new.decode(), int(time), message.decode("utf-8", "replace"))
        for old, new, time, message in _ENTRY.findall(_end(os.path.join(git_dir, "logs", "HEAD")))
    ]


def between(log: Sequence[Entry], before: str | None, after: str | None, since_s: int, until_s: int) -> range:
    """Which entries were made between two moments at which HEAD was at ``before`` and ``after``; None is unknown.

    Seconds are too coarse for what happened just before or after: there the two commits decide. If the clock was set so
    that nothing falls between, they alone do.
    """
    found = _by_time(log, before, after, since_s, until_s)
    return found or _by_commits(log, before, after)


def _by_time(log: Sequence[Entry], before: str | None, after: str | None, since_s: int, until_s: int) -> range:
    inside = [at for at, entry in enumerate(log) if since_s <= entry.time_s <= until_s]
    if not inside:
        return range(0)
    first, end = inside[0], inside[-1] + 1

    def state(at: int) -> str:
        return log[at].old if at < end else log[at - 1].new

    for at in range(first, end + 1):
        if state(at) == before:
            first = at
            break
        if at == end or log[at].time_s != since_s:
            break
    last = end
    for at in range(end, first - 1, -1):
        if state(at) == after:
            last = at
            break
        if at == first or log[at - 1].time_s != until_s:
            break
    return range(first, last)


def _by_commits(log: Sequence[Entry], before: str | None, after: str | None) -> range:
    if not before or not after or before == after:
        return range(0)
    last = next((at for at in range(len(log) - 1, -1, -1) if log[at].new == after), -1)
    first = next((at for at in range(last, -1, -1) if log[at].old == before), -1)
    return range(first, last + 1) if first >= 0 else range(0)


def _end(path: str) -> bytes:
    """The last whole lines of a file; nothing if it cannot be read. Never waits."""
    try:
        fd = os.open(name_bytes(path), os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY)
    except (OSError, ValueError):
        return b""
    try:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode):
            return b""
        start = max(0, status.st_size - END)
        data = os.pread(fd, END, start)
        return data if start == 0 else data.partition(b"\n")[2]
    except OSError:
        return b""
    finally:
        os.close(fd)
