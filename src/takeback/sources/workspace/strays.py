"""Files that a move did not make, but moved to where they are captured: what stands there now may be the only copy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

from takeback.model.snapshot import Part
from takeback.model.tree import DIRECTORY, FILE, Entry
from takeback.sources import trees
from takeback.sources.evidence import load
from takeback.sources.workspace.disk import Disk
from takeback.sources.workspace.guard import Guard
from takeback.sources.workspace.uncaptured import Identity
from takeback.store.reader import Reader

Change = tuple[str, Entry | None, Entry | None]
"""A path that a step changed, as it was before and after it."""

_TELLING = 32
"""Fewer bytes may be as many by chance."""
_FEW = 8
"""So may those of one among more files."""
_ELSEWHERE = "no snapshot holds it there"


def looked_ns(reader: Reader, part: Part, guard: Guard) -> int:
    """A time of the file system's own at which all was there already that a part's capture could see; 0 if none is known."""
    evidence = load(reader, part)
    began = evidence.began_ns if evidence is not None and not evidence.lacks else 0
    return max((began, *(seen.ctime_ns for seen in guard.seen().values())))


class Strays:
    """What became of the uncaptured paths of ``before`` that ``after`` does not list any more."""

    def __init__(
        self,
        before: Guard,
        after: Guard,
        disk: Disk,
        changes: Sequence[Change] = (),
        looked_ns: int = 0,
        is_alike: Callable[[Entry, Entry], bool] = lambda a, b: False,
        former: frozenset[int] | None = None,
    ) -> None:
        self._is_alike, self._former = is_alike, former
        self._disk, self._changes, self._looked_ns = disk, changes, looked_ns
        still = after.seen()
        gone = {path: seen for path, seen in before.seen().items() if path not in still}
        self._gone = {seen.inode: (path, seen) for path, seen in gone.items()}
        self._standing = {seen.inode for seen in still.values()}
        files = {seen.size: path for path, seen in gone.items() if not seen.is_directory and seen.size >= _TELLING}
        self._copied = files if len(files) <= _FEW else {}
        self._known: dict[str, str] = {}

    def made(self, path: str, entry: Entry) -> str:
        """Why what is new at a path is not the move's to remove; empty if it is."""
        if reason := self.changed(path, entry):
            return reason
        is_older = entry.kind == FILE and entry.size and not self._is_renamed(path, entry) and self._is_older(path)
        return f"it was moved here from elsewhere, and {_ELSEWHERE}" if is_older else ""

    def changed(self, path: str, entry: Entry, was: Entry | None = None) -> str:
        """Why what stands in the place of something else is not the move's to replace; empty if it is. ``was`` is what stood
        there before."""
        if reason := self.origin(path):
            return reason
        if entry.kind == FILE and entry.size in self._copied and self._changes:
            return f"it may be the only copy of {self._copied[entry.size]}, which the move removed"
        if was is not None and was.id != entry.id and entry.kind == FILE and entry.size:
            if self._is_unwritten(path) and not self._is_renamed(path, entry) and self._is_older(path):
                return f"it was moved here from elsewhere, and {_ELSEWHERE}"
        return ""

    def origin(self, path: str) -> str:
        """Why what stands at, or above, a path is nowhere else; empty if nothing of the kind is known."""
        if not self._gone:
            return ""
        for each in (path, *trees.parents(path)):
            if each not in self._known:
                self._known[each] = self._listed(each)
            if self._known[each]:
                return f"it was moved here from {self._known[each]}, and {_ELSEWHERE}"
        return ""

    def found(self, path: str, seen: Identity) -> str | None:
        """Where what is not listed any more has become captured."""
        if self._disk.is_same(path, seen):
            return path if self._disk.is_unwritten(path, seen) else None
        place = self._places.get(seen.inode, "")
        return place if place and self._disk.is_same(place, seen) else None

    @cached_property
    def _places(self) -> dict[int, str]:
        """The inodes of what the step made or changed."""
        found = {}
        for path, _, base in self._changes:
            status = self._disk.stat(path) if base is not None else None
            if status is not None:
                found[status.st_ino] = path
        return found

    def _listed(self, path: str) -> str:
        """Where that was listed which stands at a path now; empty if it was not, or right there."""
        status = self._disk.stat(path)
        place, seen = self._gone.get(status.st_ino, ("", None)) if status is not None else ("", None)
        return place if seen is not None and place != path and self._disk.is_same(path, seen) else ""

    def _is_unwritten(self, path: str) -> bool:
        """Whether a file was written last before the step began: then it was not the step that wrote it."""
        status = self._disk.stat(path) if self._looked_ns else None
        return status is not None and status.st_mtime_ns < self._looked_ns <= status.st_ctime_ns

    def _is_older(self, path: str) -> bool:
        """Whether a file was there before the step began, under a name that it has not any more."""
        status = self._disk.stat(path) if self._looked_ns else None
        if status is None or status.st_ino in self._standing:
            return False
        born = self._disk.born_ns(path)
        return born is not None and born < self._looked_ns

    def _is_renamed(self, path: str, entry: Entry) -> bool:
        """Whether what stands at a path by now is a captured file that the step removed from another one: told by its inode;
        where that is not known, by its bytes, or because it may have changed since."""
        if self._former is not None:
            status = self._disk.stat(path)
            return status is not None and status.st_ino in self._former
        taken, any_changed = self._taken
        return any_changed or entry.id in taken or any(self._is_alike(entry, was) for was in self._replaced)

    @cached_property
    def _taken(self) -> tuple[set[bytes], bool]:
        """The bytes of captured files that the step took away, and whether some of them are at none of its new paths."""
        made = {
            base.id
            for _, theirs, base in self._changes
            if base is not None and (theirs is None or theirs.id != base.id)
        }
        taken = {theirs.id for _, theirs, base in self._changes if theirs is not None and base is None and theirs.kind != DIRECTORY}  # fmt: skip
        return taken | {was.id for was in self._replaced}, not taken <= made

    @cached_property
    def _replaced(self) -> list[Entry]:
        """Files in whose place the step put others."""
        return [was for _, was, base in self._changes if was and base and was.kind == FILE and was.id != base.id]
