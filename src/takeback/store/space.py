"""How much room there is on a disk."""

from __future__ import annotations

import os
from typing import NamedTuple


class Space(NamedTuple):
    free: int
    """What somebody without special rights can use."""
    total: int
    files: int | None = None
    """How many files can still be made; None where there is no such limit."""


def space(path: str) -> Space | None:
    """The room on the disk that holds a path; None if that cannot be told."""
    try:
        found = os.statvfs(path)
    except OSError:
        return None
    files = found.f_favail if found.f_files else None
    return Space(found.f_bavail * found.f_frsize, found.f_blocks * found.f_frsize, files)
