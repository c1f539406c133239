"""Snapshots and their parts."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from takeback.model.kinds import DOCUMENTS, FOLLOWING

if TYPE_CHECKING:
    from datetime import datetime

TRIGGERS = (
    "manual",
    "run_start",
    "run_end",
    "turn_start",
    "turn_end",
    "before_action",
    "after_action",
    "session_end",
    "interval",
    "on_error",
    "safety",
    "restore",
    "undo",
    "redo",
    "fork",
)


PURGED = "purged"
"""Why a path is not in a snapshot any more that had captured it."""

RUNNING = "process memory"
"""Why what runs in a container is in no snapshot: that is so of every one."""


class NotCaptured(NamedTuple):
    """Something that exists but is not, or not wholly, in the snapshot: listed, and never deleted by a restore."""

    path: str
    reason: str
    """One of ``too large``, ``unreadable``, ``socket``, ``fifo``, ``device``, ``changing``, ``too deep``, ``hidden`` (by an ignore rule
    to which nobody agreed, and beyond what is captured all the same); of a container
    ``bind mount``, ``volume`` (unless asked for), ``tmpfs``, ``process memory``;
    ``setuid`` and ``xattrs`` (all but those is captured), ``unsettled`` (captured as it was seen, but it never held still),
    ``link`` (of a team: it stands where a directory leads to what is captured), ``linked`` (captured as the link that it is),
    ``purged`` (it was captured, and removed for good; ``detail`` differs if what
    was captured did)."""
    detail: str = ""

    @property
    def whole(self) -> bool:
        """Whether nothing at all of it was captured."""
        return self.reason not in ("setuid", "xattrs", "unsettled", "linked")


INFORMATIVE = frozenset({"ignored", "uncaptured", "evidence"})
"""Refs of a part that may change without making a new snapshot."""


class Part(NamedTuple):
    """What one source gave to one snapshot.

    ``refs`` names the blobs it is made of (``content`` first of all); ``detail`` is for people. Two parts are the
    same state when all refs but those in `INFORMATIVE` agree, or when they only follow (`takeback.model.kinds`).
    """

    name: str
    kind: str
    refs: Mapping[str, bytes]
    detail: Mapping[str, Any] = MappingProxyType({})
    not_captured: tuple[NotCaptured, ...] = ()

    @property
    def content(self) -> bytes:
        return self.refs["content"]

    @property
    def pending(self) -> bool:
        """Whether its owner, in another process, has yet to put it in place."""
        return self.kind in DOCUMENTS and self.detail.get("pending") is True

    @property
    def remembered(self) -> bool:
        """Whether it is a value without an object: the timeline is its home, and what is recorded is in place by that."""
        return self.kind in DOCUMENTS and self.detail.get("home") == "timeline"

    @property
    def filed(self) -> bool:
        """Whether it is a value without an object that is read from its own snapshot, and is nothing that a restore or
        undo could change: a checkpoint of LangGraph's."""
        return self.kind in DOCUMENTS and self.detail.get("home") == "snapshot"

    @property
    def purged(self) -> bool:
        """Whether it is a value that is not in the snapshot any more: it held something that was purged."""
        return self.kind in DOCUMENTS and any(item.reason == PURGED for item in self.not_captured)

    def same_state(self, other: Part | None) -> bool:
        """Whether nothing that matters changed between the two; of what only follows, nothing ever matters."""
        if self.kind in FOLLOWING:
            return True
        return other is not None and self.kind == other.kind and self._identity() == other._identity()

    def _identity(self) -> dict[str, bytes]:
        return {key: blob for key, blob in self.refs.items() if key not in INFORMATIVE}


class Snapshot(NamedTuple):
    """One immutable moment of a timeline. ``labels`` and ``pinned`` are as they were when it was read."""

    id: str
    timeline: str
    root: str
    parent: str | None
    time_ns: int
    trigger: str
    context: Mapping[str, Any]
    parts: Mapping[str, Part]
    labels: tuple[str, ...] = ()
    pinned: bool = False
    changed: int = 0
    """How many files differ from the parent."""
    missed: Mapping[str, str] = MappingProxyType({})
    """Parts that could not be captured, and why. One that is in ``parts`` all the same is as it was captured last: what
    changed since is compared with it, but it is never put back from here."""

    @property
    def partial(self) -> bool:
        """Whether a part is missed that should be there."""
        return bool(self.missed)

    @property
    def time(self) -> datetime:
        from datetime import UTC, datetime

        return datetime.fromtimestamp(self.time_ns / 1e9, UTC)

    @property
    def not_captured(self) -> tuple[NotCaptured, ...]:
        return tuple(item for part in self.parts.values() for item in part.not_captured)
