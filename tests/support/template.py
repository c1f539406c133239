"""Directories that are made once and put back, at the same paths, before each run of a campaign."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from support.trees import remove
from takeback.sources.workspace.names import STAGE_PREFIX


class Template:
    """A copy of directories as they are now, kept in another directory."""

    def __init__(self, kept: Path, *places: Path) -> None:
        kept.mkdir()
        self._copies = {place: kept / str(number) for number, place in enumerate(places)}
        for place, copy in self._copies.items():
            _copy(place, copy)

    def reset(self) -> None:
        """Put every directory back as it was."""
        for place, copy in self._copies.items():
            if os.path.lexists(place):
                remove(place)
            _copy(copy, place)
            for journal in place.glob(f"*/{STAGE_PREFIX}*/journal"):
                _adopt(journal)

    def copy(self, to: Path) -> None:
        """Make the first directory anew elsewhere, over what is there."""
        if os.path.lexists(to):
            remove(to)
        _copy(next(iter(self._copies.values())), to)


def _copy(old: Path, new: Path) -> None:
    shutil.copytree(old, new, symlinks=True, ignore=_pipes)


def _pipes(directory: str, names: list[str]) -> list[str]:
    """Nobody writes into a copied pipe, so copying it would never end."""
    return [
        entry.name for entry in os.scandir(directory) if not (entry.is_dir() or entry.is_file() or entry.is_symlink())
    ]


def _adopt(journal: Path) -> None:
    """A staging directory names its own inode, so that a copy of it counts for nothing; here the copy is the world."""
    first, end, rest = journal.read_bytes().partition(b"\n")
    words = first.split(b" ")
    words[-1] = b"%d" % journal.parent.stat().st_ino
    journal.write_bytes(b" ".join(words) + end + rest)
