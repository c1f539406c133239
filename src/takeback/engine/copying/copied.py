"""What a copy did."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Landed:
    """One timeline that was copied, and where it is in the target."""

    root: str
    timeline: str
    from_root: str
    from_timeline: str
    snapshots: tuple[str, ...] = ()
    """Ids of those that were added, oldest first."""
    moves: int = 0
    """How many were added."""
    present: int = 0
    """Snapshots that the target had already."""
    left_out: tuple[str, ...] = ()
    """Ids of those that the target lacks, but that are older than some it has: nothing is put into the middle of a
    timeline, and what was pruned there stays so."""
    diverged: bool = False
    """The target's timeline went on by itself, so these stand on one of their own."""


@dataclass(frozen=True, slots=True)
class Copied:
    """What an export, import, push or pull did."""

    timelines: tuple[Landed, ...] = ()
    blobs: int = 0
    """Blobs that were missing in the target and are there now."""
    bytes: int = 0
    """Their raw bytes."""
    added: int = 0
    """Bytes that the target has grown by."""

    @property
    def snapshots(self) -> int:
        """How many were added."""
        return sum(len(each.snapshots) for each in self.timelines)

    @property
    def moves(self) -> int:
        return sum(each.moves for each in self.timelines)

    @property
    def present(self) -> int:
        """How many snapshots were there already."""
        return sum(each.present for each in self.timelines)

    @property
    def diverged(self) -> bool:
        return any(each.diverged for each in self.timelines)
