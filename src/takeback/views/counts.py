"""How much a step changed: files and lines, and how much of each other part. For what is on the screen only: each is a diff."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from takeback.engine.patch import sides

if TYPE_CHECKING:
    from takeback.engine.timeline import Timeline
    from takeback.model.diff import Diff
    from takeback.model.progress import Listener
    from takeback.views.desk import Desk

_MOST_FILES = 300
_MOST_BYTES = 4 << 20


@dataclass(frozen=True, slots=True)
class Counts:
    """What differs between two snapshots, in numbers."""

    files: int = 0
    added: int | None = 0
    """Lines; None if there is too much to count."""
    removed: int | None = 0
    parts: Mapping[str, int] = field(default_factory=dict)
    """How much differs in each part: paths, or places in a value."""
    missed: Mapping[str, str] = field(default_factory=dict)

    @property
    def nothing(self) -> bool:
        return not self.parts


def counts(desk: Desk, lane: int, before: str | None, after: str | None, listener: Listener | None = None) -> Counts:
    """What changed from one snapshot to another, or to the present; of the first one, nothing is known. Two snapshots are
    compared once."""
    if before is None:
        return Counts(0, None, None)
    if after is not None:
        return desk.remembered("counts", before, after, make=lambda: _between(desk, lane, before, after))
    with desk.act(lane, listener) as line:
        return _counted(line, line.diff(before))


def _between(desk: Desk, lane: int, before: str, after: str) -> Counts:
    line = desk.look(lane)
    return _counted(line, line.diff(before, after))


def _counted(line: Timeline, diff: Diff) -> Counts:
    parts: dict[str, int] = {}
    for change in (*diff.files, *diff.container, *diff.team):
        if not change.is_directory:
            parts[change.part] = parts.get(change.part, 0) + 1
    for place in diff.state:
        parts[place.part] = parts.get(place.part, 0) + 1
    files = [change for change in diff.files if not change.is_directory]
    size = sum(entry.size for change in files for entry in (change.before, change.after) if entry is not None)
    if len(files) > _MOST_FILES or size > _MOST_BYTES:
        return Counts(len(files), None, None, parts, diff.missed)
    both = [sides(line, diff, change).counts() for change in files]
    added, removed = (sum(column) for column in zip(*both, strict=True)) if both else (0, 0)
    return Counts(len(files), added, removed, parts, diff.missed)
