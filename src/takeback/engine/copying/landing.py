"""Where a copied timeline stands in the target.

Nothing that is there is changed, and nothing is put between what is there. The newest snapshot that both have decides:
if it is the last one of its timeline in the target, the rest is appended there; if that timeline went on by itself, the
rest begins a timeline of its own, named after the store that it came from, and says that it is a fork. If they have none
in common, the timeline keeps its name, or gets such a name if its own is taken.
"""

from __future__ import annotations

from dataclasses import dataclass

from takeback.engine.copying.lines import CopyLine
from takeback.store.catalogue import snapshots, timelines
from takeback.store.catalogue.database import Transaction
from takeback.store.catalogue.snapshots import SnapshotRow
from takeback.store.catalogue.timelines import TimelineRow

_NAMED = 8
"""Digits of a store's id that a timeline is named after."""


@dataclass(frozen=True, slots=True)
class Site:
    """A place in the target for one timeline."""

    line: CopyLine
    root: str
    name: str
    new: tuple[SnapshotRow, ...]
    """Oldest first; all come after what is there."""
    existing: TimelineRow | None = None
    """The timeline that they are appended to, or on which the last of them stands; None if a new one is made."""
    left_out: tuple[str, ...] = ()
    diverged: bool = False
    fork_of: str | None = None

    @property
    def present(self) -> int:
        return len(self.line.snapshots) - len(self.new) - len(self.left_out)

    @property
    def in_step(self) -> bool:
        """Whether the timeline ends, once it is written, where the copied one does: otherwise it has gone on by itself
        and knows better which of its moves are undone."""
        if self.diverged:
            return False
        return bool(self.new) or (self.existing is not None and self.existing.head == self.line.snapshots[-1].id)


def find_site(tx: Transaction, line: CopyLine, root: str | None, store: str) -> Site:
    """The place for a timeline of the store ``store``; ``root`` is where it shall belong, if not where it did."""
    there = snapshots.among(tx, (row.id for row in line.snapshots))
    common = next((place for place in range(len(line.snapshots), 0, -1) if line.snapshots[place - 1].id in there), 0)
    new = line.snapshots[common:]
    if common:
        latest = there[line.snapshots[common - 1].id]
        home = timelines.by_number(tx, latest.timeline)
        left_out = tuple(row.id for row in line.snapshots[:common] if row.id not in there)
        if home is not None and (home.head == latest.id or not new):
            return Site(line, home.root, home.name, new, home, left_out)
        where = home.root if home is not None else line.root
        return Site(line, where, _free(tx, where, line.name, store), new, None, left_out, True, latest.id)
    where = line.root if root is None else root
    taken = timelines.find(tx, where, line.name)
    if taken is None:
        return Site(line, where, line.name, new, None, fork_of=line.fork_of)
    if taken.head is None or not new:
        return Site(line, where, line.name, new, taken)
    return Site(line, where, _free(tx, where, line.name, store), new, None, diverged=True, fork_of=line.fork_of)


def _free(tx: Transaction, root: str, name: str, store: str) -> str:
    """A name of its own: ``main@4f2a91c3``."""
    named = f"{name}@{store[:_NAMED]}"
    number = 1
    while timelines.find(tx, root, named if number == 1 else f"{named}-{number}") is not None:
        number += 1
    return named if number == 1 else f"{named}-{number}"
