"""Both names of what a step renamed: as long as the old one cannot be given back, the new one is not taken away."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from takeback.model.ids import BlobKind
from takeback.model.tree import DIRECTORY, FILE, Entry
from takeback.sources.workspace.disk import Disk
from takeback.sources.workspace.merge import MERGE_LIMIT
from takeback.sources.workspace.strays import Change
from takeback.store.reader import Reader

TELLING = 32
"""Fewer bytes may be equal by chance: nothing is told because of them."""

_MOST = 64
"""So many pairs of files are compared; more count as alike."""


class Renames:
    """The names that one step took away or wrote over, and those that it made or wrote over."""

    def __init__(
        self,
        reader: Reader,
        changes: Sequence[Change],
        leave: frozenset[str],
        disk: Disk,
        looked_ns: int,
        changed_since: Callable[[], Iterable[Change]] = tuple,
    ) -> None:
        self._changed_since = changed_since
        """All that differs between what stood there before the first of all steps and the present."""
        self._since: dict[bytes, str] | None = None
        self._reader, self._disk, self._looked_ns = reader, disk, looked_ns
        self._old = {path: theirs for path, theirs, base in changes if theirs is not None and _is_other(theirs, base)}
        self._new = {path: base for path, theirs, base in changes if base is not None and _is_other(base, theirs)}
        self._stands = {path for path, theirs, base in changes if theirs is not None and base is not None}
        self._replaced = {path: theirs for path, theirs, base in changes if theirs is not None and path in self._new}
        for some in (self._old, self._new):
            for path in [path for path, entry in some.items() if entry.kind == DIRECTORY]:
                del some[path]
        for path in leave & self._new.keys():
            del self._new[path]
        self._shares: dict[tuple[bytes, bytes], int | None] = {}

    def stuck(
        self,
        now: Callable[[str], Entry | None],
        wanted: Mapping[str, tuple[Entry | None, bytes | None]],
        followed: Mapping[str, str],
    ) -> dict[str, str]:
        """New names that would go, or get back what they held, although what had another name before does not get that back;
        with that other name. ``now`` says what stands at a path then, ``followed`` where a new name's file is by now."""
        places = {path: followed.get(path, path) for path in self._new}
        going = [
            path
            for path, place in places.items()
            if place in wanted and (path in self._replaced or _goes(self._new[path], wanted[place][0]))
        ]
        if not going:
            return {}
        lost = {path: old for path, old in self._old.items() if not _is_back(now(path), old, path in wanted)}
        known = {old.id for path, old in self._old.items() if path not in lost}
        found: dict[str, str] = {}
        for path in going:
            if self._new[path].id not in known:
                others = (name for name, old in lost.items() if self._is_one(path, self._new[path], name, old))
                if name := next(others, "") or self._copied_from(self._new[path], now):
                    found[places[path]] = name
        return found

    def _copied_from(self, new: Entry, now: Callable[[str], Entry | None]) -> str:
        """The path at which the bytes of something new stood before all steps, and stand no more; empty if there is none."""
        if self._since is None:
            self._since = {
                was.id: path for path, was, _ in self._changed_since() if was is not None and was.kind == FILE
            }
        path = self._since.get(new.id, "") if new.size >= TELLING else ""
        there = now(path) if path else None
        return "" if there is not None and there.id == new.id else path

    def _is_one(self, path: str, new: Entry, name: str, old: Entry) -> bool:
        """Whether a new name may be the other one of what had an old one."""
        if new.kind != old.kind or not (new.size and old.size):
            return False
        if new.id == old.id or new.kind != FILE:
            return new.id == old.id
        if was := self._replaced.get(path):  # it was there before the step, and may have been written to
            return self.is_mostly(new, old) and not (was.kind == FILE and self.is_mostly(new, was))
        if name in self._stands:  # so may this one
            return self._is_older(path) and self.is_mostly(new, old)
        return self._is_older(path) or self._is_like(new, old)

    def _is_older(self, path: str) -> bool:
        """Whether what stands there was there before the step, under another name."""
        born = self._disk.born_ns(path) if self._looked_ns else None
        return born is not None and born <= self._looked_ns

    def _is_like(self, new: Entry, old: Entry) -> bool:
        """Whether half of the smaller file is in the other one, line by line; in doubt it is."""
        share = self._share(new, old)
        return share is None or 2 * share >= min(new.size, old.size)

    def is_mostly(self, new: Entry, old: Entry) -> bool:
        """Whether half of the larger file is in the other one, line by line; in doubt it is not."""
        share = self._share(new, old) if min(new.size, old.size) >= TELLING else None
        return share is not None and 2 * share >= max(new.size, old.size)

    def _share(self, new: Entry, old: Entry) -> int | None:
        """How many bytes in whole lines two files have in common; None if it takes too long to find out."""
        key = new.id, old.id
        if key not in self._shares:
            is_long = max(new.size, old.size) > MERGE_LIMIT or len(self._shares) >= _MOST
            self._shares[key] = None if is_long else _share(self._read(new), self._read(old))
        return self._shares[key]

    def _read(self, entry: Entry) -> bytes:
        return self._reader.get(entry.id, BlobKind.DATA)


def _is_other(entry: Entry, there: Entry | None) -> bool:
    """Whether something stands at a path at one end of a step that does not stand there at the other end."""
    return there is None or there.id != entry.id


def _goes(new: Entry, wanted: Entry | None) -> bool:
    """Whether what a step put at a path does not stay there."""
    return wanted is None or not wanted.same_content(new)


def _is_back(now: Entry | None, theirs: Entry, is_wanted: bool) -> bool:
    """Whether an old name has its file again: as it was, or with what others made of it."""
    return now is not None and (is_wanted or now.same_content(theirs))


def _share(a: bytes, b: bytes) -> int:
    lines = Counter(a.splitlines(keepends=True)) & Counter(b.splitlines(keepends=True))
    return sum(len(line) * times for line, times in lines.items())
