"""Which snapshot holds a checkpoint: the labels of a thread's timeline, remembered for as long as they are true.

The catalogue is the truth. What is remembered here is good for one state of its log of operations, and is read anew once
that has an entry about the timeline that was not made through this index. So several processes may write.
"""

from __future__ import annotations

from takeback.adapters.langgraph.naming import CHECKPOINT, WRITES, Key, key_of
from takeback.store.catalogue import operations, snapshots
from takeback.store.catalogue.database import Transaction

_KINDS = (CHECKPOINT, WRITES)


class Index:
    """Snapshot ids by checkpoint. The caller holds a lock."""

    def __init__(self) -> None:
        self._found: dict[str, dict[Key, str]] = {kind: {} for kind in _KINDS}
        self._timeline: int | None = None
        self._seen = -1
        """The last operation that what is remembered takes into account."""

    def refresh(self, tx: Transaction, timeline: int | None) -> None:
        """Be true in this transaction; ``timeline`` is its number, if there is one yet."""
        last = operations.last(tx)
        if timeline != self._timeline or self._seen < 0 or self._others(tx, last):
            self._found = _found(tx, timeline)
            self._timeline = timeline
        self._seen = last

    def of(self, kind: str) -> dict[Key, str]:
        return self._found[kind]

    def ours(self, tx: Transaction, timeline: int) -> int | None:
        """The operation of this very transaction, if it is the only one about the timeline since; for `added`."""
        last = operations.last(tx)
        alone = last == self._seen + 1 or operations.count_since(tx, self._seen, timeline) == 1
        return last if alone and self._timeline == timeline else None

    def added(self, operation: int | None, kind: str, key: Key, snapshot: str) -> None:
        """What a transaction that has been committed put here."""
        if operation is None:
            self._seen = -1
            return
        if kind == CHECKPOINT:
            self._found[WRITES].pop(key, None)
        self._found[kind][key] = snapshot
        self._seen = operation

    def _others(self, tx: Transaction, last: int) -> bool:
        if last == self._seen:
            return False
        return self._timeline is None or operations.count_since(tx, self._seen, self._timeline) > 0


def _found(tx: Transaction, timeline: int | None) -> dict[str, dict[Key, str]]:
    labels = snapshots.every_label(tx, timeline) if timeline is not None else []
    return {kind: {key_of(kind, name): id for name, id in labels if name.startswith(kind)} for kind in _KINDS}
