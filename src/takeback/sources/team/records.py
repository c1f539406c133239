"""Small JSON files that a team's programs write, read as what they are: other people's input.

No link is followed on the way, nothing that is no file is opened for long, nothing large is read, and what cannot be read
is None instead of an error.
"""

from __future__ import annotations

import os
import stat
from typing import Any, NamedTuple

from takeback.errors import TakebackError
from takeback.model.jsontext import parse_object
from takeback.sources.workspace.place.directories import Directories, names_in

LARGEST = 4 << 20
"""No registry is larger; what is, is not read."""

_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


class Record(NamedTuple):
    """What a file says, and when it was written."""

    data: dict[str, Any]
    written_ns: int


def read(root: str, path: str) -> Record | None:
    """The JSON object in a file below ``root``; None if there is none that can be read."""
    try:
        within = Directories(root)
    except TakebackError:
        return None
    try:
        directory, name = within.parent(path)
        return None if directory is None else _read(directory, name, path)
    except (OSError, TakebackError):
        return None
    finally:
        within.close()


def names(root: str, path: str, ending: str, at_most: int) -> list[str]:
    """Names in a directory below ``root`` that end so, in order, without that ending; what is no text is left out."""
    try:
        within = Directories(root)
    except TakebackError:
        return []
    try:
        directory = within.open(path)
        found = names_in(directory) if directory is not None else []
    except (OSError, TakebackError):
        return []
    finally:
        within.close()
    texts = (name.decode("utf-8", "replace") for name in found)
    return sorted(text.removesuffix(ending) for text in texts if text.endswith(ending))[:at_most]


def _read(directory: int, name: bytes, path: str) -> Record | None:
    handle = os.open(name, _FLAGS, dir_fd=directory)
    try:
        now = os.fstat(handle)
        if not stat.S_ISREG(now.st_mode) or now.st_size > LARGEST:
            return None
        with open(handle, "rb", closefd=False) as file:
            return Record(parse_object(file.read(LARGEST), path), now.st_mtime_ns)
    finally:
        os.close(handle)


def shown(text: str) -> str:
    """A text that somebody else wrote, for a line of ours."""
    return "".join(letter if letter.isprintable() else "?" for letter in text[:100])
