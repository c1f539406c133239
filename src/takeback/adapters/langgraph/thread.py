"""One thread: its timeline, what is known of its checkpoints, and a lock for callers of this process."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from typing import Any, NamedTuple

from takeback.adapters.langgraph.index import Index
from takeback.adapters.langgraph.naming import CHECKPOINT, WRITES, Key, timeline_name
from takeback.documents import Recall
from takeback.engine.line import Line
from takeback.engine.store import Store
from takeback.model.snapshot import Snapshot
from takeback.sources.protocol import Source
from takeback.store.catalogue import snapshots, timelines
from takeback.store.catalogue.database import Transaction
from takeback.store.catalogue.snapshots import SnapshotRow
from takeback.store.reader import Reader

CONTEXT = "langgraph"
"""Where a snapshot's context says which checkpoint it holds."""
_REMEMBERED = 64
_CUT = 8
"""Of so many namespaces it is remembered what the last checkpoint was cut into."""


class Standing(NamedTuple):
    """A timeline as it is in one moment, as far as it concerns one checkpoint."""

    head: SnapshotRow | None
    checkpoint: SnapshotRow | None
    writes: SnapshotRow | None
    """Writes that came before their checkpoint."""


class Thread:
    """A thread of LangGraph's by its id. Looking at it writes nothing."""

    def __init__(self, store: Store, id: str, sources: Iterable[Source]) -> None:
        self.id = id
        self.timeline = store.timeline(timeline_name(id), sources=sources)
        self.line: Line = self.timeline._line
        self.lock = threading.RLock()
        self.index = Index()
        self._cut: dict[str, tuple[tuple[str, bytes], Recall]] = {}
        self._loaded: dict[tuple[str, bytes], Snapshot] = {}

    def standing(self, key: Key) -> Standing:
        with self.lock, self.line.blobs.database.read() as tx:
            row = self._refreshed(tx)
            ids = (
                row.head if row is not None else None,
                *(self.index.of(kind).get(key) for kind in (CHECKPOINT, WRITES)),
            )
            rows = snapshots.among(tx, {id for id in ids if id is not None})
            return Standing(*(rows.get(id or "") for id in ids))

    def find(self, reader: Reader, namespace: str, id: str | None) -> tuple[Key, Snapshot] | None:
        """A checkpoint, or the latest of a namespace: the one whose id is the greatest."""
        with self.lock, self.line.blobs.database.read() as tx:
            self._refreshed(tx)
            known = self.index.of(CHECKPOINT)
            keys = (
                {Key(namespace, id)} & known.keys() if id is not None else {key for key in known if key[0] == namespace}
            )
            while keys:
                key = max(keys)
                row = snapshots.among(tx, [known[key]]).get(known[key])
                snapshot = self.holding(reader, row, key)
                if snapshot is not None:
                    return key, snapshot
                keys.remove(key)
        return None

    def every(self, kind: str = CHECKPOINT) -> dict[Key, SnapshotRow]:
        """All checkpoints, in the order in which their snapshots were made."""
        with self.lock, self.line.blobs.database.read() as tx:
            self._refreshed(tx)
            found = self.index.of(kind)
            rows = snapshots.among(tx, found.values())
            known = [(key, rows[id]) for key, id in found.items() if id in rows]
        return dict(sorted(known, key=lambda each: each[1].seq))

    def _refreshed(self, tx: Transaction) -> timelines.TimelineRow | None:
        row = timelines.find(tx, self.line.root, self.line.name)
        self.index.refresh(tx, row.number if row is not None else None)
        return row

    def load(self, reader: Reader, row: SnapshotRow) -> Snapshot:
        """A snapshot. The last ones are remembered, by what their rows say now: writes follow a checkpoint closely."""
        place = row.id, row.manifest
        snapshot = self._loaded.get(place) or self.line.load(reader, row)
        self.remember(place, snapshot)
        return snapshot

    def holding(self, reader: Reader, row: SnapshotRow | None, key: Key) -> Snapshot | None:
        """The same; None if it is not of the checkpoint that its label names, because a person gave it that."""
        snapshot = self.load(reader, row) if row is not None else None
        return snapshot if snapshot is not None and key_in(snapshot) == key else None

    def recall(self, namespace: str) -> Recall | None:
        """What the last checkpoint of a namespace was cut into, if it is still there. The caller has a lease."""
        known = self._cut.get(namespace)
        if known is None:
            return None
        (id, manifest), recall = known
        with self.line.blobs.database.read() as tx:
            still = snapshots.manifest_of(tx, id) == manifest
        return recall if still else None

    def near(self, namespace: str) -> Recall | None:
        """The same for who only reads: its leaves are named by what they hold, so they are right wherever they occur."""
        known = self._cut.get(namespace)
        return known[1] if known is not None else None

    def keep(self, namespace: str, place: tuple[str, bytes], recall: Recall) -> None:
        """Have a checkpoint's document at hand for the next one."""
        self._cut.pop(namespace, None)
        self._cut[namespace] = place, recall
        if len(self._cut) > _CUT:
            del self._cut[next(iter(self._cut))]

    def remember(self, place: tuple[str, bytes], snapshot: Snapshot) -> None:
        with self.lock:
            self._loaded[place] = snapshot
            if len(self._loaded) > _REMEMBERED:
                del self._loaded[next(iter(self._loaded))]


def about(snapshot: Snapshot) -> dict[str, Any]:
    """What a snapshot says of its checkpoint; nothing if it is none of LangGraph's."""
    said = snapshot.context.get(CONTEXT)
    return said if isinstance(said, dict) else {}


def key_in(snapshot: Snapshot) -> Key | None:
    """The checkpoint that a snapshot holds, or holds writes of."""
    said = about(snapshot)
    namespace, id = said.get("namespace"), said.get("checkpoint")
    return Key(namespace, id) if isinstance(namespace, str) and isinstance(id, str) else None
