"""upkeep: what a store needs from time to time, so that nobody has to think of it. When: `takeback.engine.due`.

The store is maintained; snapshots go only where a policy says so. Where the limits cannot be kept all the same, they are
left alone for an hour. What somebody dropped within a day can still be brought back afterwards, unless space is short.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from takeback.engine import maintenance, retention
from takeback.engine.due import DAY, HOUR, beyond
from takeback.engine.retention import Pruned
from takeback.model.limits import Limits
from takeback.model.progress import Watch
from takeback.model.sizes import format_size
from takeback.store.blobstore import BlobStore
from takeback.store.catalogue import collecting, figures
from takeback.store.collection.condemning import DEAD_SHARE
from takeback.store.collection.maintenance import Maintained, alone
from takeback.store.space import space

_TIGHT = 0.05
"""The share of a pack that may be dead where space is short."""


@dataclass(frozen=True, slots=True)
class Upkept:
    """What upkeep did."""

    busy: bool = False
    """Another upkeep was running, so nothing was done."""
    maintained: Maintained | None = None
    pruned: Pruned | None = None
    problem: str = ""
    """Which limit does not hold all the same, in words."""
    hints: tuple[str, ...] = ()


def keep_up(blobs: BlobStore, limits: Limits, watch: Watch) -> Upkept:
    """Maintain a store and keep it within limits; nothing if another upkeep of it is running."""
    with alone(blobs, "tmp") as first:
        return _keep_up(blobs, limits, watch) if first else Upkept(busy=True)


def _keep_up(blobs: BlobStore, limits: Limits, watch: Watch) -> Upkept:
    now = time.time_ns()
    with blobs.database.read() as tx:
        tight = beyond(blobs, tx, limits) in ("space", "bytes")
        spared = () if tight else collecting.dropped_after(tx, now - DAY)
    dead_share = _TIGHT if tight else DEAD_SHARE
    # Packed first: what still lies in hot rows takes several times its space, and would make a prune let too much go.
    maintained = maintenance.maintain(blobs, watch, spared=spared, dead_share=dead_share)
    pruned: Pruned | None = None
    with blobs.database.read() as tx:
        reason = beyond(blobs, tx, limits)
    if reason:
        if limits.policy is not None:
            pruned = retention.prune(blobs, limits.policy, None, False, watch)
        if limits.own is not None:
            more = retention.prune(blobs, limits.own, None, False, watch, root=limits.root)
            pruned = more if pruned is None else pruned.and_then(more)
        if pruned is not None and pruned.snapshots:
            spared = tuple(each for each in spared if each[0] not in pruned.snapshots)
            maintained = maintenance.maintain(blobs, watch, spared=spared, dead_share=dead_share)
    with blobs.database.write() as tx:
        left = beyond(blobs, tx, limits)
        figures.note_quiet(tx, now + HOUR if left or pruned is not None else 0)
    return Upkept(False, maintained, pruned, *_words(blobs, limits, left))


def _words(blobs: BlobStore, limits: Limits, left: str) -> tuple[str, tuple[str, ...]]:
    if left == "space" and (room := space(blobs.directory or "/")) is not None:
        wanted = format_size(limits.free_wanted(room.total))
        return (
            f"the disk that holds the store at {blobs.directory} has only {format_size(room.free)} free; {wanted} should be",
            (
                "free some space there: a save that does not fit is refused",
                "`takeback prune --keep-last 50 --all` and `takeback maintain` make the store smaller",
            ),
        )
    if left == "bytes" and limits.policy is not None and limits.policy.size is not None:
        return (
            f"the store at {blobs.directory} takes more than max_bytes, {format_size(limits.policy.size)}, and nothing "
            "more may go by itself",
            ("pinned snapshots, the first and the latest of each timeline stay: `takeback stats` shows what they use",),
        )
    return "", ()
