"""Which timelines belong together: a fork, what it was forked from, and what else was.

``NAME@…`` names a snapshot on a relative, and `takeback promote NAME` a relative. Nearest wins: what was forked from this
timeline, then what was forked from the same one, then whoever else has the same beginning. ``origin`` is what this one was
forked from, unless a relative has that name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from takeback.engine.line import Line
from takeback.errors import InvalidInput, NotFound
from takeback.store.blobstore import BlobStore
from takeback.store.catalogue import operations, snapshots, timelines
from takeback.store.catalogue.database import Transaction
from takeback.store.catalogue.timelines import TimelineRow

ORIGIN = "origin"


class Kin(NamedTuple):
    """A relative, and the snapshot that it and this timeline both began with."""

    row: TimelineRow
    began: str
    """The snapshot on the relative, or on what it was forked from, from which on its changes are its own."""


class Family:
    """The timelines around one, by what they were forked from."""

    def __init__(self, tx: Transaction, line: Line) -> None:
        self._rows = {row.number: row for row in timelines.every(tx)}
        self._parents = dict(_parents(tx, self._rows))
        self._own = line.row(tx).number

    def find(self, name: str) -> Kin | None:
        """The nearest relative of that name; InvalidInput if there are several as near."""
        for near in self._circles():
            found = [self._rows[number] for number in near if self._rows[number].name == name]
            if len(found) > 1:
                raise InvalidInput(
                    f"{name!r} is ambiguous: there are timelines of that name in {', '.join(row.root for row in found)}",
                    hints=[f"name the other side by its directory: takeback -C {found[0].root} log"],
                )
            if found:
                return self._kin(found[0])
        parent = self._parents.get(self._own) if name == ORIGIN else None
        return self._kin(self._rows[parent]) if parent is not None else None

    def get(self, root: str, name: str) -> Kin | None:
        """The relative with a root and a name."""
        for near in self._circles():
            for number in near:
                if (self._rows[number].root, self._rows[number].name) == (root, name):
                    return self._kin(self._rows[number])
        return None

    def names(self) -> list[str]:
        """What relatives can be called from here, nearest first."""
        known = [self._rows[number].name for near in self._circles() for number in near]
        return list(dict.fromkeys([*known, *([ORIGIN] if self._own in self._parents else [])]))

    def _circles(self) -> Iterator[list[int]]:
        """Relatives, nearest first."""
        parent = self._parents.get(self._own)
        forks = [number for number, above in self._parents.items() if above == self._own]
        beside = [number for number, above in self._parents.items() if above == parent and number != self._own]
        head = self._head(self._own)
        near = {self._own, *forks, *beside}
        yield forks
        yield beside if parent is not None else []
        yield [number for number in self._rows if number not in near and self._head(number) == head]

    def _head(self, number: int) -> int:
        """Where a timeline's family begins."""
        return next(reversed([number, *self._above(number)]))

    def _above(self, number: int) -> Iterator[int]:
        seen = {number}
        while (number := self._parents.get(number, 0)) and number not in seen:
            seen.add(number)
            yield number

    def _kin(self, row: TimelineRow) -> Kin:
        """A relative; if this one descends from it, they parted where the way down to here begins."""
        way = [self._own, *self._above(self._own)]
        if row.number in way:
            return Kin(row, self._rows[way[way.index(row.number) - 1]].fork_of or "")
        return Kin(row, row.fork_of or "")


def relative(tx: Transaction, line: Line, text: str) -> tuple[Kin, str] | None:
    """What ``NAME@…`` names: a relative, and what follows its name; None if no relative has such a name. A name may hold
    an ``@`` itself, as those of timelines that came from another store do."""
    if "@" not in text[1:]:
        return None
    family = Family(tx, line)
    for at in reversed([at for at, letter in enumerate(text) if letter == "@" and at]):
        kin = family.find(text[:at])
        if kin is not None:
            return kin, text[at:]
    return None


def named(tx: Transaction, line: Line, name: str) -> Kin:
    """The relative of a name; NotFound, with those that there are."""
    family = Family(tx, line)
    found = family.find(name)
    if found is None:
        known = [each for each in family.names() if each.isprintable()]
        raise NotFound(
            f"there is no fork {name!r} of the timeline {line.name!r}",
            hints=[f"forks are: {', '.join(known[:8])}" if known else "`takeback fork REF NAME --to DIR` makes one"],
        )
    return found


def _parents(tx: Transaction, rows: Mapping[int, TimelineRow]) -> Iterator[tuple[int, int]]:
    """Each fork and what it was forked from, if that is known: the snapshot may be gone, but not the note of it."""
    for row in rows.values():
        if row.fork_of is None:
            continue
        begun = snapshots.by_id(tx, row.fork_of)
        number = begun.timeline if begun is not None else operations.timeline_of(tx, row.fork_of)
        if number is not None and number in rows and number != row.number:
            yield row.number, number


def parents(blobs: BlobStore) -> dict[int, int]:
    """What each timeline of a store was forked from, by their numbers."""
    with blobs.database.read() as tx:
        return dict(_parents(tx, {row.number: row for row in timelines.every(tx)}))
