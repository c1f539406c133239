"""What became of what no snapshot holds: the lists at both ends of a step, compared.

By inode, time of last change and size together. A directory is compared by its inode and the time at which it was made, because
what is in it is not listed and changes all the time. Where the system does not tell that time, that of git is compared by
the oldest time in it, too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from takeback.sources import trees
from takeback.sources.workspace.disk import NOWHERE, Disk
from takeback.sources.workspace.guard import Guard
from takeback.sources.workspace.names import is_git_name
from takeback.sources.workspace.uncaptured import Identity

if TYPE_CHECKING:
    from takeback.model.plan import Lost
    from takeback.model.snapshot import Part
    from takeback.store.reader import Reader

_REF = "uncaptured"

Found = Callable[[str, Identity], str | None]
"""Where something that is not listed any more is now; None if that is not known."""


def lost(
    part: str, before: Guard, after: Guard, disk: Disk = NOWHERE, found: Found = lambda path, seen: None
) -> list[Lost]:
    """What was removed, replaced, moved or written to between two looks. ``found`` says what became captured where."""
    from takeback.model.plan import Lost

    then, now = before.seen(), after.seen()
    moved = _Moved(then, now, disk)
    told: dict[str, Lost] = {}
    for path, seen in sorted(then.items()):
        at = now.get(path)
        to = ""
        if any(above in told for above in trees.parents(path)):
            continue
        if at is not None:
            how = _changed(path, seen, at)
        elif after.closed(path) or any(above in now and above not in then for above in trees.parents(path)):
            continue  # nobody could look, or it is in what is listed as a whole by now
        else:
            to = moved.to(seen) or found(path, seen) or ""
            how = "" if to == path else "moved" if to else "replaced" if after.holds(path) else "removed"
        if how and (at is None or at.inode != seen.inode) and disk.is_unwritten(path, seen):
            how = ""  # somebody has put it back
        if how and not _inside_git(path, how):
            told[path] = Lost(part, path + "/" * seen.is_directory, how, to)
    return list(told.values())


def is_relisted(before: Part, after: Part) -> bool:
    """Whether other things are listed than before, or others under the same names; what became of them does not matter."""
    return before.refs.get("ignored") != after.refs.get("ignored")


def has_lost(reader: Reader, before: Part, after: Part) -> bool:
    """Whether anything was removed, replaced or moved between two looks that no snapshot can bring back."""
    if _REF not in before.refs or before.refs[_REF] == after.refs.get(_REF):
        return False
    return any(each.counts for each in lost(before.name, Guard(reader, before), Guard(reader, after)))


def _changed(path: str, then: Identity, now: Identity) -> str:
    """What happened to a path that is listed at both ends; empty if nothing did that matters."""
    if (then.inode, then.is_directory) != (now.inode, now.is_directory):
        return "replaced"
    if then.is_directory and then.born_ns and now.born_ns:
        return "replaced" if then.born_ns != now.born_ns else ""
    if not then.ctime_ns or not now.ctime_ns or then.ctime_ns == now.ctime_ns:
        return ""
    if then.is_directory:
        return "replaced" if is_git_name(path.rpartition("/")[2]) else ""
    if (now.mtime_ns, now.size) == (then.mtime_ns, then.size):
        return ""  # its name or mode was changed, or how many names it has
    return "replaced" if now.size < then.size else "written"


def _inside_git(path: str, how: str) -> bool:
    """Whether it is one of git's own files that git itself replaces all the time."""
    return how != "removed" and is_git_name(path.rpartition("/")[0].rpartition("/")[2])


class _Moved:
    """Finds what has another name by now, and still no snapshot holds."""

    def __init__(self, then: Mapping[str, Identity], now: Mapping[str, Identity], disk: Disk) -> None:
        self._new = {at.inode: (path, at) for path, at in now.items() if path not in then}
        self._disk = disk

    def to(self, seen: Identity) -> str | None:
        path, at = self._new.get(seen.inode, ("", None))
        if at is None or at.is_directory != seen.is_directory or at.ctime_ns < seen.ctime_ns:
            return None
        if not seen.is_directory and at.size != seen.size:
            return None
        status = self._disk.stat(path)
        is_there = status is not None and status.st_ino == seen.inode
        return path if not is_there or self._disk.is_same(path, seen) else None
