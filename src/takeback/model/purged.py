"""What a purge removed, or would."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Trace:
    """One path of one root, and in how many snapshots it was found."""

    root: str
    path: str
    snapshots: int
    part: str = ""
    """The part that it was in, if that is not a workspace: a container has paths of its own."""


@dataclass(frozen=True, slots=True)
class Purged:
    """What `purge` removed, or would."""

    path: str
    snapshots: tuple[str, ...] = ()
    """Those that were written anew, oldest first."""
    removed: tuple[Trace, ...] = ()
    """Where it was: the path, and copies of it."""
    left: tuple[Trace, ...] = ()
    """Other places that have the same bytes, or some of them, and were left alone."""
    dropped: tuple[str, ...] = ()
    """Dropped snapshots that held it and cannot come back any more."""
    gone: bool = False
    """Whether none of the bytes that were removed is left in the store."""
    waiting: int = 0
    """Packs with them that somebody may still use."""
    aside: str | None = None
    """Where repairs have put what they replaced, if there is such a place: it may hold the bytes, too."""
    dry_run: bool = False
