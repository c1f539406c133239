"""The list of what stands in a workspace and no snapshot holds, as one snapshot saw it.

Each entry has what tells it from another one that comes in its place: its inode, its times, its size. An inode alone does
not: it is given to the next file once its own is gone.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import NamedTuple

from takeback.errors import Integrity
from takeback.model.jsontext import parse_json

Listed = tuple[str, int, int, int, int]
"""Path, inode, ctime and mtime in nanoseconds, size. The path of a directory has a slash at its end; as the ctime, that of git has the
oldest of what is directly in it, because its own changes with every command."""

BORN = -1
"""In the place of a directory's size: its mtime is the time at which it was made."""

_WHAT = "a list of uncaptured paths"


class Identity(NamedTuple):
    """What tells something from another that comes in its place, as it was when it was listed."""

    inode: int
    is_directory: bool
    ctime_ns: int = 0
    """0 if that is not known: only the inode is, in the lists of older snapshots."""
    mtime_ns: int = 0
    size: int = 0

    @property
    def born_ns(self) -> int:
        """When a directory was made; 0 if that is not known."""
        return self.mtime_ns if self.is_directory and self.size == BORN else 0


def encode(listed: Iterable[Listed]) -> bytes:
    """The list as a document."""
    return json.dumps(sorted(listed), separators=(",", ":")).encode("ascii")


def decode(data: bytes) -> dict[str, Identity]:
    """What stood at which path, without the slashes; Integrity for other bytes."""
    found = {}
    try:
        for path, *numbers in parse_json(data, _WHAT):
            inode, ctime_ns, mtime_ns, size = numbers
            if not isinstance(path, str) or any(type(number) is not int for number in numbers):
                raise ValueError(path)
            found[path.rstrip("/")] = Identity(inode, path.endswith("/"), ctime_ns, mtime_ns, size)
    except (ValueError, TypeError) as error:
        raise Integrity(f"{_WHAT} in the store is not one") from error
    return found
