"""Differences between two snapshots, or between a snapshot and the present."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from takeback.model.team import TeamDiff
from takeback.model.tree import DIRECTORY, Entry

HIDDEN = "w"


@dataclass(frozen=True, slots=True)
class Change:
    """One path that differs: ``added``, ``deleted``, ``modified``, ``mode`` or ``type``.

    What hides a file of a container's image (an entry of the kind ``w``) means that there is none.
    """

    part: str
    path: str
    before: Entry | None
    after: Entry | None

    @property
    def status(self) -> str:
        if any(entry is not None and entry.kind == HIDDEN for entry in (self.before, self.after)):
            return "deleted" if self.after is not None and self.after.kind == HIDDEN else "added"
        if self.before is None:
            return "added"
        if self.after is None:
            return "deleted"
        if self.before.kind != self.after.kind:
            return "type"
        return "modified" if self.before.id != self.after.id else "mode"

    @property
    def is_directory(self) -> bool:
        """Whether only directories are concerned."""
        return all(entry is None or entry.kind == DIRECTORY for entry in (self.before, self.after))


@dataclass(frozen=True, slots=True)
class Difference:
    """One place in a value that differs: ``added``, ``removed``, ``changed`` or ``moved``; both sides as short text."""

    part: str
    path: str
    status: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class Diff:
    """All paths that differ, by name; directories count only where they themselves appear, vanish or change mode."""

    a: str
    b: str | None
    """None is the present."""
    files: tuple[Change, ...]
    """Of workspaces, and of worktrees of a team's members, whose paths are those below the directory of teams."""
    state: tuple[Difference, ...] = ()
    container: tuple[Change, ...] = ()
    """Of containers; paths are those of their parts: ``settings``, ``filesystem/…``, ``volumes/NAME/…``."""
    team: tuple[Change, ...] = ()
    """Of teams; paths are those of their data directory."""
    teams: tuple[TeamDiff, ...] = ()
    """What that means: tasks, mail, costs, members."""
    missed: Mapping[str, str] = field(default_factory=dict)
    """Parts that could not be captured on one side, and why: of these nothing is known."""

    def __bool__(self) -> bool:
        return bool(self.files or self.state or self.container or self.team)
