"""Removing checkpoints: their snapshots are dropped from the timeline, and can be taken back until a maintenance.

A kept checkpoint may need others: a delta channel's value is made of the nearest stored one before it and of all writes
since. What is needed so stays. Snapshots go newest first, so that whatever is left when this is interrupted still has all
that comes before it.
"""

from __future__ import annotations

from collections.abc import Callable

from takeback.adapters.langgraph.naming import Key
from takeback.adapters.langgraph.reading import Stored, lineage, stored
from takeback.adapters.langgraph.recording import session_text
from takeback.adapters.langgraph.thread import Thread, about, key_in
from takeback.engine.dropping import drop_snapshots, root_held
from takeback.errors import InvalidInput
from takeback.model.ids import short
from takeback.store.catalogue import journals, snapshots, timelines
from takeback.store.catalogue.snapshots import SnapshotRow
from takeback.store.collection.steps import paced
from takeback.store.reader import Reader

_STEP = 50


def delete_thread(thread: Thread) -> None:
    """Drop every snapshot of a thread, those of restores as well."""
    _delete(thread, lambda row: True)


def delete_runs(thread: Thread, runs: set[str]) -> None:
    """Drop every snapshot of the checkpoints that some runs made."""
    sessions = {session_text(run) for run in runs}
    if not any(row.session in sessions for row in _rows(thread)):
        return
    with thread.line.blobs.reader() as reader:
        every = (stored(reader, thread, key, row) for key, row in thread.every().items())
        keys = {found.key for found in every if found is not None and about(found.snapshot).get("run") in runs}
    if keys:
        _delete(thread, lambda row: _key(thread, row) in keys)


def prune(thread: Thread) -> None:
    """Keep the latest checkpoint of each namespace, what it needs, and what is pinned."""
    with thread.lock, thread.line.blobs.reader() as reader:
        newest = {key: row for key, row in thread.every().items() if stored(reader, thread, key, row) is not None}
        latest = {max(key for key in newest if key.namespace == each) for each in {key.namespace for key in newest}}
        kept = latest.union(*(_needed(reader, thread, key) for key in latest))
        staying = {newest[key].id for key in kept}
        going = [row for row in _rows(thread) if not row.pinned and row.id not in staying]
        _drop(thread, [row for row in going if _key(thread, row) in newest])


def _needed(reader: Reader, thread: Thread, key: Key) -> set[Key]:
    """The checkpoints that a delta channel of one is made of."""
    at, *before = lineage(reader, thread, key)
    missing = _delta_channels(at).union(*map(_delta_channels, before))
    if missing:
        missing -= at.document(reader)["values"].keys()
    needed: set[Key] = set()
    passed: set[Key] = set()
    for found in before:
        if not missing:
            break
        passed.add(found.key)
        held = found.document(reader)["values"].keys()
        if missing & (held | {write.channel for write in found.writes(reader)}):
            needed = set(passed)  # with all on the way, or it could not be reached
        missing -= held
    return needed


def _delta_channels(found: Stored) -> set[str]:
    said = about(found.snapshot).get("delta")
    return set(said) if isinstance(said, list) else set()


def _key(thread: Thread, row: SnapshotRow) -> Key | None:
    with thread.line.blobs.reader() as reader:
        return key_in(thread.line.load(reader, row))


def _rows(thread: Thread) -> list[SnapshotRow]:
    """Every snapshot of the timeline, newest first."""
    with thread.line.blobs.database.read() as tx:
        row = timelines.find(tx, thread.line.root, thread.line.name)
        return snapshots.newest(tx, row.number) if row is not None else []


def _delete(thread: Thread, goes: Callable[[SnapshotRow], bool]) -> None:
    """Drop snapshots until none is left, whoever adds some meanwhile; nothing if one of them is pinned."""
    with thread.lock:
        while rows := [row for row in _rows(thread) if goes(row)]:
            for row in rows:
                if row.pinned:
                    raise InvalidInput(
                        f"snapshot {short(row.id)} of the thread {thread.id!r} is pinned, so nothing was deleted",
                        hints=[f"`takeback unpin {short(row.id)}` first"],
                    )
            _drop(thread, rows)


def _drop(thread: Thread, rows: list[SnapshotRow]) -> None:
    blobs = thread.line.blobs
    for some in paced([row.id for row in rows], _STEP):
        with root_held(thread.line.root), blobs.database.write() as tx:
            busy = {journal.safety for journal in journals.every(tx)}.intersection(some)
            if busy:
                raise InvalidInput(
                    f"snapshot {short(min(busy))} is needed to finish an interrupted restore",
                    hints=["the next save or restore of this root finishes it"],
                )
            drop_snapshots(tx, some, "drop")
