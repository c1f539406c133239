"""Changes of a team as looking at everything twice tells of them."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator

from takeback.model.tree import name_bytes
from takeback.sources.team.covered import Covered
from takeback.sources.team.ear import There, listed

_TICK = 20_000_000
"""Two changes within so many nanoseconds may have the same time."""


class Eyes:
    """What looking at everything twice tells."""

    def __init__(self, root: str, covered: Covered) -> None:
        self._root, self._covered = root, covered
        self._seen = self._look()

    def touched(self, there: There) -> set[str]:
        """What looks different, what was found between two looks of which neither saw it, and what was changed so lately
        that a change since would look the same."""
        fresh = time.time_ns() - _TICK
        before, self._seen = self._seen, self._look()
        both = before.keys() | self._seen.keys()
        changed = {path for path in both if before.get(path) != self._seen.get(path)}
        late = {path for path, looks in self._seen.items() if looks[-1] > fresh}
        return changed | late | {path for path in there() if path not in self._seen}

    def follow(self, path: str) -> None:
        """All is looked at anyway."""

    def _look(self) -> dict[str, tuple[int, ...]]:
        found: dict[str, tuple[int, ...]] = {}
        for top in self._covered.tops():
            self._note(top, found)
            for path, entry in _below(self._root, top, self._covered):
                try:
                    status = entry.stat(follow_symlinks=False)
                except OSError:
                    continue
                found[path] = _looks(status)
        return found

    def _note(self, path: str, found: dict[str, tuple[int, ...]]) -> None:
        try:
            found[path] = _looks(os.lstat(name_bytes(f"{self._root}/{path}")))
        except OSError:
            pass


def _looks(status: os.stat_result) -> tuple[int, ...]:
    """What tells one state of a file from another, when it was changed last; of a directory only that it is one, for what is
    in it tells the rest."""
    if stat.S_ISDIR(status.st_mode):
        return (status.st_mode, status.st_ino, 0)
    return (status.st_mode, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


def _below(root: str, path: str, covered: Covered) -> Iterator[tuple[str, os.DirEntry[str]]]:
    """Everything below a directory that is captured."""
    for inner, entry in listed(root, path, covered):
        yield inner, entry
        if entry.is_dir(follow_symlinks=False):
            yield from _below(root, inner, covered)
