"""When upkeep is due. Asked after every save, so it costs next to nothing: a few numbers of the catalogue, and the free
space of the disk."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from takeback.model.limits import Limits
from takeback.store.catalogue import figures, snapshots, timelines
from takeback.store.catalogue.database import Transaction
from takeback.store.space import space

if TYPE_CHECKING:
    from takeback.model.policy import Policy
    from takeback.store.blobstore import BlobStore

HOT_FRAMES = 2000
HOT_BYTES = 8 << 20
"""So many hot rows, or so large ones together, are worth a maintenance: about a second's work, which makes them three
to four times smaller."""
SESSION_FRAMES = 256
"""So many are at the end of a session."""
LONG_HISTORY = 20_000
"""A maintenance looks at every snapshot: with more of them than this it waits for accordingly more hot rows."""
_WEIGH_EVERY = 32
"""How often hot rows are added up, in frames."""

MINUTE, HOUR, DAY = (seconds * 10**9 for seconds in (60, 3600, 86400))
_ENDS = ("session_end", "run_end")


def due(blobs: BlobStore, limits: Limits, trigger: str, *, look_at_limits: bool = True) -> str:
    """Why a store needs upkeep now, after a save with this trigger; empty if it does not."""
    if blobs.directory is None or blobs.readonly:
        return ""
    now = time.time_ns()
    with blobs.database.read() as tx:
        seen = figures.figures(tx)
        if abs(now - seen.asked_ns) < MINUTE:
            return ""
        scale = max(1.0, seen.snapshots / LONG_HISTORY)
        if seen.hot_frames >= HOT_FRAMES * scale and figures.hot_frames(tx) >= HOT_FRAMES * scale:
            return "size"
        if seen.hot_frames % _WEIGH_EVERY == _WEIGH_EVERY - 1 and figures.hot_bytes(tx) >= HOT_BYTES * scale:
            return "size"
        if trigger in _ENDS and seen.hot_frames >= SESSION_FRAMES * scale:
            return "session"
        if now - (seen.maintained_ns or blobs.created_ns) > DAY:
            return "day"
        return beyond(blobs, tx, limits) if look_at_limits and now > seen.quiet_ns else ""


def beyond(blobs: BlobStore, tx: Transaction, limits: Limits) -> str:
    """Which limit does not hold: ``space``, ``bytes``, ``count`` or ``age``; empty if all do. What must stay whatever a
    policy says may be among what is too much."""
    room = space(blobs.directory) if blobs.directory is not None else None
    if room is not None and room.free < limits.free_wanted(room.total):
        return "space"
    policy = limits.policy
    if policy is not None and policy.size is not None and figures.packed_bytes(tx) > policy.size:
        return "bytes"
    return _too_long(tx, policy) or _too_long(tx, limits.own, limits.root)


def _too_long(tx: Transaction, policy: Policy | None, root: str | None = None) -> str:
    """Whether a timeline, of a root or of any, has snapshots beyond its first one, and its latest, that are too many or too
    old."""
    if policy is None or (policy.keep_last is None and policy.age_ns is None):
        return ""
    oldest = 0 if policy.age_ns is None else time.time_ns() - policy.age_ns
    for line in timelines.every(tx):
        if root is not None and line.root != root:
            continue
        if policy.keep_last is not None and snapshots.back(tx, line.number, policy.keep_last + 1) is not None:
            return "count"
        second = snapshots.second(tx, line.number)
        if second is not None and second.time_ns < oldest and second.id != line.head:
            return "age"
    return ""
