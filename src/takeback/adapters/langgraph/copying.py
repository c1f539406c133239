"""Copying a thread: each checkpoint as a snapshot of another timeline, with the same blobs, all in one transaction."""

from __future__ import annotations

from takeback.adapters.langgraph.naming import CHECKPOINT, WRITES, Key, label
from takeback.adapters.langgraph.recording import TRIES, Draft, composed, session_of
from takeback.adapters.langgraph.thread import Thread, about
from takeback.engine import record
from takeback.engine.dropping import root_held
from takeback.engine.manifest import encode_manifest
from takeback.errors import Conflict
from takeback.model.ids import BlobKind
from takeback.model.snapshot import Snapshot
from takeback.store.catalogue import snapshots
from takeback.store.catalogue.database import Transaction
from takeback.store.writer import Writer

Chosen = list[tuple[str, Key, Snapshot]]


def copy(source: Thread, target: Thread) -> None:
    """Record all checkpoints of a thread, and the writes that wait for theirs, on another one."""
    with target.lock, root_held(target.line.root), target.line.writer() as writer:
        chosen: Chosen = [
            (kind, key, snapshot)
            for kind in (CHECKPOINT, WRITES)
            for key, row in source.every(kind).items()
            if (snapshot := source.holding(writer.reader, row, key)) is not None
        ]
        if not chosen:
            return
        for _ in range(TRIES):
            try:
                _commit(target, writer, chosen)
                return
            except Conflict:
                continue
        raise Conflict(f"the thread {target.id!r} is never left alone long enough to be copied to", hints=["try again"])


def _commit(thread: Thread, writer: Writer, chosen: Chosen) -> None:
    head = thread.line.head()
    known = {kind: thread.every(kind) for kind in (CHECKPOINT, WRITES)}
    parent = head.id if head is not None else None
    made = []
    for kind, key, old in chosen:
        draft = Draft(kind, old.parts, {**about(old), "thread": thread.id})
        snapshot = composed(thread, writer, None, draft)._replace(parent=parent)
        made.append((kind, key, snapshot, writer.put(encode_manifest(snapshot), BlobKind.MANIFEST)))
        parent = snapshot.id

    def write(tx: Transaction) -> None:
        row = thread.line.row_or_new(tx)
        if row.head != (head.id if head is not None else None):
            raise Conflict(f"the thread {thread.id!r} moved on while it was being copied to")
        for kind, key, snapshot, manifest in made:
            for other, rows in known.items():
                if key in rows:
                    snapshots.unlabel(tx, rows[key].id, label(other, key))
            record.append(tx, row.number, snapshot, manifest, session_of(snapshot))
            snapshots.label(tx, snapshot.id, label(kind, key), snapshot.time_ns)

    writer.commit(write)
