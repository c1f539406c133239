"""A file as it is now, for a picture in a diff with the present.

Only a path that differs from the latest snapshot can be asked for, so nothing is read that takeback would not capture. It is
opened one directory after the other and never through a link: between the look and this, somebody may have put one there.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

from takeback.errors import NotFound
from takeback.model.tree import FILE, name_bytes

if TYPE_CHECKING:
    from takeback.views.desk import Desk

_PIECE = 1 << 18
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def stream(desk: Desk, lane: int, part: str, path: str) -> Iterator[bytes]:
    """Its bytes; NotFound if it is not there, or is as the latest snapshot has it."""
    with desk.act(lane) as line:
        found = line.diff("@", paths=[path])
        source = line.sources.get(part)
        differs = any(
            (change.part, change.path) == (part, path) and change.after is not None and change.after.kind == FILE
            for change in found.files
        )
        if source is None or not source.root or not differs:
            raise NotFound(f"{path!r} does not differ from the latest snapshot, or is no file")
        root = source.root
    handle = _opened(root, path)
    with open(handle, "rb") as file:
        while piece := file.read(_PIECE):
            yield piece


def _opened(root: str, path: str) -> int:
    above = -1
    try:
        above = os.open(name_bytes(root), _DIRECTORY)
        *directories, name = name_bytes(path).split(b"/")
        for each in directories:
            inner = os.open(each, _DIRECTORY, dir_fd=above)
            os.close(above)
            above = inner
        return os.open(name, _FILE, dir_fd=above)
    except OSError:
        raise NotFound(f"{path!r} is not there any more") from None
    finally:
        if above >= 0:
            os.close(above)
