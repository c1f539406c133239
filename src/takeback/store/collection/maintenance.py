"""One maintenance from its beginning to its end. It can be killed anywhere: nothing is lost, and the next one goes on.

What is needed is the engine's to say: ``mark`` gives the ids of all blobs that snapshots and journals lead to, as of the
moment it is called, and those of some snapshots that were dropped.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache

from takeback.errors import Locked, Unavailable
from takeback.model.progress import Watch
from takeback.store import stats
from takeback.store.blobstore import BlobStore
from takeback.store.catalogue import collecting, figures
from takeback.store.collection import folding, sweeping
from takeback.store.collection.condemning import DEAD_SHARE, any_dead, condemn, newest_numbers
from takeback.store.collection.history import history_blobs, write_history
from takeback.store.locks import root_lock

Dropped = tuple[tuple[str, bytes], ...]
"""Snapshots by id and manifest."""

Mark = Callable[[Dropped], AbstractSet[bytes]]

_IN_MEMORY = {"packs": threading.Lock(), "tmp": threading.Lock()}


@dataclass(frozen=True, slots=True)
class Maintained:
    """What a maintenance did."""

    busy: bool = False
    """Another one was running, so nothing was done."""
    folded: int = 0
    """Hot frames that were moved into packs."""
    condemned: int = 0
    """Packs that were replaced or given up."""
    removed: int = 0
    """Packs that were removed."""
    revived: int = 0
    """Packs that were needed again."""
    leftovers: int = 0
    """What killed processes left behind."""
    waiting: int = 0
    """Condemned packs that somebody may still use; a later maintenance removes them."""
    purging: bool = False
    """What was purged may still be on the disk; a later maintenance goes on."""
    bytes_before: int = 0
    bytes_after: int = 0


def maintain(
    store: BlobStore, mark: Mark, watch: Watch, *, patience: float = 0.0, dead_share: float = DEAD_SHARE
) -> Maintained:
    """Fold, condemn, sweep and tidy up; if another maintenance of the store runs for ``patience`` seconds, nothing."""
    if store.readonly:
        raise Unavailable(
            "the store cannot be maintained: it is read-only.", hints=["make its directory writable, or let its owner"]
        )
    with alone(store, "packs", patience) as first:
        return _maintain(store, mark, watch, dead_share) if first else Maintained(busy=True)


def _maintain(store: BlobStore, mark: Mark, watch: Watch, dead_share: float) -> Maintained:
    @cache
    def needed(dropped: Dropped) -> set[bytes]:
        return {*mark(dropped), *history_blobs(store)}

    def still_needed(generation: int) -> set[bytes]:
        now = needed(())  # first, so that what is dropped between the two looks is seen by one of them
        with store.database.read() as tx:
            dropped = collecting.dropped_since(tx, generation)
        return now | needed(dropped) if dropped else now

    before = stats.stats(store).bytes_on_disk
    with store.database.read() as tx:
        purge = collecting.unfinished_purge(tx)
    files = sweeping.unfinished_files(store)
    write_history(store)
    folded = folding.fold(store, watch)
    newest = newest_numbers(store)
    marked = needed(())
    condemned = condemn(store, marked, watch, 0.0 if purge else dead_share)
    needed.cache_clear()  # from here on what was committed meanwhile counts, too
    with store.database.read() as tx:
        pending = collecting.any_pending(tx)
    if (files or pending) and not condemned:
        with store.database.write() as tx:
            collecting.advance(tx)  # so that those who hold a lease of the time before can be told from the later ones
    swept = sweeping.sweep(store, still_needed)
    leftovers = sweeping.remove_leftovers(store, files) - swept.removed
    with store.database.write() as tx:
        figures.note_maintained(tx, time.time_ns())
    if purge:
        store.derived.clear()
        if not (any_dead(store, newest, marked) or sweeping.any_leftovers(store, files)):
            _end_purge(store, purge)
    store.database.tidy()
    after = stats.stats(store)
    with store.database.read() as tx:
        purging = bool(collecting.unfinished_purge(tx))
    return Maintained(
        folded=folded,
        condemned=condemned,
        removed=swept.removed,
        revived=swept.revived,
        leftovers=max(0, leftovers),
        waiting=after.condemned_packs,
        purging=purging,
        bytes_before=before,
        bytes_after=after.bytes_on_disk,
    )


def _end_purge(store: BlobStore, number: int) -> None:
    """No pack and no file holds what nothing needs; if no page of the catalogue does, either, the purge has ended."""
    if store.database.scrub():
        with store.database.write() as tx:
            collecting.end_purge(tx, number)


@contextmanager
def alone(store: BlobStore, directory: str, patience: float = 0.0) -> Iterator[bool]:
    """Whether this is the only one of its kind at work in the store: the kernel's lock on one of its directories."""
    if store.path is None:
        with _IN_MEMORY[directory]:
            yield True
        return
    lock = root_lock(str(store.path / directory), patience)
    try:
        lock.__enter__()
    except Locked:
        yield False
        return
    try:
        yield True
    finally:
        lock.__exit__(None, None, None)
