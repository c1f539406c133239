"""What install added where, so that uninstall gives back the very same bytes.

A file of takeback's own, and only a help to memory: for each configuration the hash of what install left there, where our
bytes are in it, which containers and directories were made for them. While the hash holds, taking our bytes out is exact.
Once somebody edited the file, or where the record is missing, our entries are found by their command instead.
"""

from __future__ import annotations

import hashlib
import json
import os
from typing import Any, NamedTuple

from takeback.adapters.install import files
from takeback.adapters.install.agent import Key
from takeback.adapters.install.formats.text import Span, without_bytes

NAME = "installed.json"


class Added(NamedTuple):
    """What was added to one file."""

    agent: str
    scope: str
    digest: str
    spans: tuple[Span, ...] = ()
    made: tuple[Key, ...] = ()
    created: bool = False
    """Whether there was no file before."""
    directories: tuple[str, ...] = ()


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def original(added: Added | None, data: bytes) -> bytes | None:
    """The bytes before our own were added, if they can be told."""
    if added is None or digest(data) != added.digest:
        return None
    return without_bytes(data, added.spans)


def read(directory: str) -> dict[str, Added]:
    """Everything that was noted, by the real path of the file; what cannot be read counts as forgotten."""
    try:
        return {path: _parsed(each) for path, each in _load(directory)["files"].items()}
    except (ValueError, KeyError, TypeError, AttributeError):
        return {}


def write(directory: str, noted: dict[str, Added]) -> None:
    """Replace the record. It goes, with the directories that were made for it, when nothing is left to note."""
    file = files.read(os.path.join(directory, NAME))
    made = _load(directory).get("directories", []) if file.data is not None else files.missing_directories(file.target)
    if not noted:
        if file.data is not None:
            files.remove(file)
            files.remove_directories(tuple(str(each) for each in made))
        return
    shape = {"directories": list(made), "files": {path: each._asdict() for path, each in sorted(noted.items())}}
    files.write(file, json.dumps(shape, indent=1).encode() + b"\n")


def _load(directory: str) -> dict[str, Any]:
    try:
        with open(os.path.join(directory, NAME), "rb") as file:
            loaded = json.load(file)
    except (OSError, ValueError, RecursionError):
        return {}
    return loaded if isinstance(loaded, dict) else {}


def _parsed(noted: Any) -> Added:
    return Added(
        agent=str(noted["agent"]),
        scope=str(noted["scope"]),
        digest=str(noted["digest"]),
        spans=tuple(Span(int(start), int(end)) for start, end in noted["spans"]),
        made=tuple(tuple(str(key) for key in path) for path in noted["made"]),
        created=bool(noted["created"]),
        directories=tuple(str(each) for each in noted["directories"]),
    )
