"""What it is to be told of changes: see `listening` for who tells."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from typing import Protocol

from takeback.model.tree import name_bytes
from takeback.sources import trees
from takeback.sources.team.covered import Covered


class Missed(Exception):
    """More happened than the kernel had room to tell: everything has to be looked at again."""


class Deaf(Exception):
    """The kernel does not tell."""


There = Callable[[], Iterable[str]]
"""Gives all paths that were found so far, and not found gone since."""


class Ear(Protocol):
    def touched(self, there: There) -> set[str]:
        """Paths that may have changed since the last time; Missed if that cannot be said."""

    def follow(self, path: str) -> None:
        """Also tell of what happens in a directory that has just come to be."""


def listed(root: str, path: str, covered: Covered) -> Iterator[tuple[str, os.DirEntry[str]]]:
    """What of one directory is captured."""
    try:
        with os.scandir(os.fsdecode(name_bytes(f"{root}/{path}"))) as listing:
            entries = list(listing)
    except OSError:
        return
    for entry in entries:
        inner = trees.join(path, os.fsencode(entry.name).decode("utf-8", "surrogateescape"))
        if covered.is_inside(inner) and not covered.leaves_out(inner, entry.is_dir(follow_symlinks=False)):
            yield inner, entry
