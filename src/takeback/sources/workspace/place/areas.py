"""One staging directory: made, locked, and removed with all that it holds.

It is locked by its process for as long as that lives, so that a sweep knows what a dead one left behind. Its journal
says what cannot be seen. The first line names the format and the directory's inode, so that a copy, or one that came
with a cloned repository, is never taken for ours. Records of three fields follow, each ended by NUL: ``area``, name,
directory (where another staging directory is); ``mode``, octal mode, directory (what to give back to a directory that
was made writable for a moment); or ``settled`` and two empty fields (all modes that were noted before have been given back). Each is on the disk before what it tells
of: after a power cut a directory without its first line could not be told from somebody else's, and one that was made
writable would stay so.
"""

from __future__ import annotations

import fcntl
import os
import re
import stat
from collections.abc import Iterator
from typing import NamedTuple

from takeback.model.tree import name_bytes, name_text
from takeback.sources.workspace.names import STAGE_PREFIX
from takeback.sources.workspace.place.directories import OPEN_DIRECTORY, names_in
from takeback.sources.workspace.place.permissions import change_mode

CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
OWNER = 0o700

_JOURNAL = b"journal"
_JOURNAL_LIMIT = 1 << 24
_NAME = re.compile(re.escape(STAGE_PREFIX) + r"[0-9a-f]{16}")


def new_area_name() -> bytes:
    return name_bytes(STAGE_PREFIX) + os.urandom(8).hex().encode()


def is_area_name(name: bytes) -> bool:
    return _NAME.fullmatch(name_text(name)) is not None


class Area:
    """A staging directory of this process."""

    def __init__(self, parent: int, name: bytes) -> None:
        self.name = name
        self.handle = self._journal = -1
        self._count = 0
        os.mkdir(name, OWNER, dir_fd=parent)
        try:
            self.handle = os.open(name, OPEN_DIRECTORY, dir_fd=parent)
            fcntl.flock(self.handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.fchmod(self.handle, OWNER)  # without a set-group-ID bit that it may have inherited
            self._journal = os.open(_JOURNAL, CREATE, 0o600, dir_fd=self.handle)
            self._write(_first_line(self.handle))
        except OSError:
            self.remove(parent)
            raise

    def next_name(self) -> bytes:
        self._count += 1
        return b"%d" % self._count

    def note(self, kind: bytes, value: bytes, path: str) -> None:
        self._write(b"".join(field + b"\0" for field in (kind, value, name_bytes(path))))

    def _write(self, line: bytes) -> None:
        os.write(self._journal, line)
        os.fsync(self._journal)

    def remove(self, parent: int | None) -> None:
        """Remove the directory and let go of it; what cannot be removed is left for a sweep."""
        try:
            if self.handle >= 0:
                empty(self.handle)
        finally:
            for handle in (self._journal, self.handle):
                if handle >= 0:
                    os.close(handle)
        if parent is not None:
            remove_directory(parent, self.name)


class Item(NamedTuple):
    """A file, link or directory that waits in a staging directory."""

    area: Area
    name: bytes


def abandoned(area: int) -> bool:
    """Whether an open directory is a staging directory whose process is dead; it is locked from now on."""
    try:
        fcntl.flock(area, fcntl.LOCK_EX | fcntl.LOCK_NB)
        data, first = _read_journal(area), _first_line(area)
        if data is None or os.fstat(area).st_uid != os.geteuid():
            return not os.listdir(area)  # its process died when it had only just made it
        return data.startswith(first) or (first.startswith(data) and len(os.listdir(area)) == 1)
    except OSError:
        return False


def records(area: int) -> Iterator[tuple[bytes, bytes, str]]:
    """What an abandoned directory's journal says, the latest first."""
    fields = (_read_journal(area) or b"").removeprefix(_first_line(area)).split(b"\0")[:-1]
    for at in range(len(fields) // 3 - 1, -1, -1):
        kind, value, path = fields[at * 3 : at * 3 + 3]
        yield kind, value, name_text(path)


def empty(directory: int) -> None:
    """Remove all that a staging directory holds, as far as possible; the journal last, if nothing else is left."""
    left = False
    for name in names_in(directory):
        if name != _JOURNAL:
            left = not remove_anything(directory, name) or left
    if not left:
        remove_anything(directory, _JOURNAL)


def remove_directory(parent: int, name: bytes) -> bool:
    try:
        os.rmdir(name, dir_fd=parent)
    except OSError:
        return False
    return True


def remove_anything(parent: int, name: bytes) -> bool:
    """Remove a file, or a directory with all that it holds; False if that is not possible."""
    try:
        if not stat.S_ISDIR(os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode):
            os.unlink(name, dir_fd=parent)
            return True
        change_mode(parent, name, OWNER)
        handle = os.open(name, OPEN_DIRECTORY, dir_fd=parent)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    try:
        for each in os.listdir(handle):
            remove_anything(handle, os.fsencode(each))
    finally:
        os.close(handle)
    return remove_directory(parent, name)


def _first_line(area: int) -> bytes:
    return b"takeback stage 1 %d\n" % os.fstat(area).st_ino


def _read_journal(area: int) -> bytes | None:
    try:
        handle = os.open(_JOURNAL, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=area)
    except OSError:
        return None
    try:
        return os.read(handle, _JOURNAL_LIMIT)
    finally:
        os.close(handle)
