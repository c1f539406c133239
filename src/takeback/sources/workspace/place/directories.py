"""Directories below one root, opened component by component and never through a link.

Every system call that changes something goes through a descriptor from here, so that no link, wherever and whenever it
is put in the way, leads a write, a chmod or a delete out of the root. The way to the last directory stays open, because
most calls come in the order of paths.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from typing import NamedTuple

from takeback.errors import Conflict, Unavailable
from takeback.model.tree import name_bytes

OPEN_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def names_in(directory: int) -> list[bytes]:
    """The names in an open directory as they are now: on btrfs a descriptor lists only what was there when it was opened."""
    handle = os.open(b".", OPEN_DIRECTORY, dir_fd=directory)
    try:
        return [os.fsencode(name) for name in os.listdir(handle)]
    finally:
        os.close(handle)


Permit = Callable[[int, bytes, str], bool]
"""Asked when the directory of this name, in the directory of this descriptor, cannot be entered; given its path too.
True if that was changed, so that it is worth another try."""


class Blocked(Conflict):
    """A link, or no directory, stands where a directory is needed."""

    def __init__(self, path: str) -> None:
        super().__init__(
            f"{path} is a link, or no directory any more, where a directory is needed. It was not followed, and "
            "nothing behind it was touched.",
            hints=["move it away and try again"],
        )
        self.path = path


class _Open(NamedTuple):
    name: str
    handle: int
    device: int


class Directories:
    """The directories of one root (a path, or a descriptor that stays the caller's), until `close`."""

    def __init__(self, root: str | int, permit: Permit | None = None) -> None:
        self._permit = permit
        self._current: str | None = None
        """The directory at the end of the open way, if the last one that was asked for is there."""
        try:
            flags = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
            handle = os.dup(root) if isinstance(root, int) else os.open(name_bytes(root), flags)
        except OSError as error:
            raise unavailable(str(root), error) from error
        self._way = [_Open("", handle, os.fstat(handle).st_dev)]

    def close(self) -> None:
        """Close everything; quiet the second time."""
        self._shorten(0)

    def forget(self) -> None:
        """Close all but the root, so that the next way is walked anew."""
        self._shorten(1)

    @property
    def root_handle(self) -> int:
        return self._way[0].handle

    def open(self, path: str) -> int | None:
        """The descriptor of a directory, good until the next call; None if it is missing."""
        found, missing = self.nearest(path)
        return None if missing else found

    def parent(self, path: str) -> tuple[int | None, bytes]:
        """The descriptor of the directory that a path stands in (None if that is missing), and its name there."""
        directory, _, name = path.rpartition("/")
        return self.open(directory), name_bytes(name)

    def nearest(self, path: str) -> tuple[int, list[str]]:
        """The descriptor of the deepest directory on the way that exists, and the names that are missing below it."""
        if path == self._current:
            return self._way[-1].handle, []
        names = path.split("/") if path else []
        same = 0
        while same < len(names) and same + 1 < len(self._way) and self._way[same + 1].name == names[same]:
            same += 1
        self._shorten(same + 1)
        for at in range(same, len(names)):
            handle = self._enter(names[at], "/".join(names[: at + 1]))
            if handle is None:
                return self._way[-1].handle, names[at:]
            self._way.append(_Open(names[at], handle, os.fstat(handle).st_dev))
        self._current = path
        return self._way[-1].handle, []

    def mount(self, path: str) -> str:
        """The first directory on the way to the nearest existing one that is on the same filesystem as that one."""
        self.nearest(path)
        device = self._way[-1].device
        depth = len(self._way)
        while depth > 1 and self._way[depth - 2].device == device:
            depth -= 1
        return "/".join(each.name for each in self._way[1:depth])

    def _enter(self, name: str, path: str) -> int | None:
        above, raw = self._way[-1].handle, name_bytes(name)
        if name in ("", ".", ".."):
            raise Blocked(path)
        while True:
            try:
                handle = os.open(raw, OPEN_DIRECTORY, dir_fd=above)
            except FileNotFoundError:
                return None
            except OSError as error:
                if error.errno in (errno.ENOTDIR, errno.ELOOP):
                    raise Blocked(path) from error
                if isinstance(error, PermissionError) and self._permit and self._permit(above, raw, path):
                    continue
                raise unavailable(path, error) from error
            if self._permit and not os.access(".", os.X_OK, dir_fd=handle) and self._permit(above, raw, path):
                os.close(handle)
                continue
            return handle

    def _shorten(self, length: int) -> None:
        self._current = None
        while len(self._way) > length:
            os.close(self._way.pop().handle)


def unavailable(path: str, error: OSError) -> Unavailable:
    """What a system call's failure means to a person."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return Unavailable(
            f"cannot write {path}: the disk is full.", hints=["make room on that filesystem and try again"]
        )
    hint = "check the disk" if error.errno == errno.EIO else "make it accessible and try again"
    return Unavailable(f"cannot write {path}: {error.strerror or error}.", hints=[hint])
