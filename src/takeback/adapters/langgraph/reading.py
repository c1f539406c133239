"""Reading checkpoints back. No source is ever touched here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from langgraph.checkpoint.base import CheckpointTuple, DeltaChannelHistory, PendingWrite, writes_sort_key

from takeback import documents
from takeback.adapters.langgraph.naming import Key
from takeback.adapters.langgraph.recording import CHECKPOINT_PART, Write, read_writes
from takeback.adapters.langgraph.thread import Thread, about
from takeback.adapters.langgraph.values import Values
from takeback.errors import Integrity
from takeback.model.snapshot import Snapshot
from takeback.store.catalogue.snapshots import SnapshotRow
from takeback.store.reader import Reader


class Stored(NamedTuple):
    """A checkpoint as it is stored: nothing has gone through the serializer yet."""

    key: Key
    snapshot: Snapshot
    near: documents.Recall | None = None
    """What another checkpoint of the thread was cut into: what both have in common need not be read."""

    @property
    def parent(self) -> Key | None:
        found = about(self.snapshot).get("parent")
        return Key(self.key.namespace, found) if isinstance(found, str) else None

    def document(self, reader: Reader) -> dict[str, Any]:
        """``about``, the checkpoint without its values and its metadata, and ``values`` by channel, each packed."""
        part = self.snapshot.parts.get(CHECKPOINT_PART)
        standing = documents.Standing(self.near)
        found = documents.get(reader, part.content, standing=standing) if part is not None else None
        if not isinstance(found, dict) or "about" not in found or not isinstance(found.get("values"), dict):
            raise Integrity(
                f"snapshot {self.snapshot.id[:8]} holds no checkpoint of LangGraph's", hints=["takeback verify"]
            )
        return found

    def writes(self, reader: Reader) -> list[Write]:
        """Pending writes in the order in which a run applies them."""
        found = read_writes(reader, self.snapshot).values()
        return sorted(found, key=lambda write: writes_sort_key(write.path, write.task, write.place))


def stored(reader: Reader, thread: Thread, key: Key, row: SnapshotRow) -> Stored | None:
    """None if a person gave the snapshot a checkpoint's label."""
    snapshot = thread.holding(reader, row, key)
    return Stored(key, snapshot, thread.near(key.namespace)) if snapshot is not None else None


def as_tuple(
    reader: Reader, thread_id: Any, found: Stored, values: Values, wanted: Mapping[str, Any] | None = None
) -> CheckpointTuple | None:
    """A checkpoint as LangGraph has it; None if its metadata is not as ``wanted``."""
    document = found.document(reader)
    said = values.unpack(document["about"])
    if not isinstance(said, dict) or not all(isinstance(said.get(name), dict) for name in ("checkpoint", "metadata")):
        raise Integrity(f"the checkpoint {found.key.id!r} cannot be read", hints=["takeback verify"])
    checkpoint, metadata = said["checkpoint"], said["metadata"]
    if wanted and not all(metadata.get(name) == value for name, value in wanted.items()):
        return None
    checkpoint["channel_values"] = {name: values.unpack(each) for name, each in document["values"].items()}
    return CheckpointTuple(
        config=config_of(thread_id, found.key),
        checkpoint=checkpoint,
        metadata=metadata,
        parent_config=config_of(thread_id, found.parent) if found.parent is not None else None,
        pending_writes=[_pending(write, values) for write in found.writes(reader)],
    )


def config_of(thread_id: Any, key: Key) -> Any:
    return {"configurable": {"thread_id": thread_id, "checkpoint_ns": key.namespace, "checkpoint_id": key.id}}


def lineage(reader: Reader, thread: Thread, key: Key) -> Iterator[Stored]:
    """A checkpoint and those before it, nearest first, as far as they are there."""
    rows = thread.every()
    passed: set[Key] = set()
    at: Key | None = key
    while at is not None and at in rows and at not in passed:  # one that was put again may lead back to itself
        passed.add(at)
        found = stored(reader, thread, at, rows[at])
        if found is None:
            return
        yield found
        at = found.parent


def delta_history(
    reader: Reader, thread: Thread, key: Key, channels: Sequence[str], values: Values
) -> dict[str, DeltaChannelHistory]:
    """What each channel's value is made of: the nearest stored one before a checkpoint, and the writes since."""
    newest_first: dict[str, list[PendingWrite]] = {channel: [] for channel in channels}
    seeds: dict[str, Any] = {}
    for found in islice(lineage(reader, thread, key), 1, None):  # its own writes belong to the next one
        for write in reversed(found.writes(reader)):
            if write.channel in newest_first and write.channel not in seeds:
                newest_first[write.channel].append(_pending(write, values))
        held = found.document(reader)["values"]
        for channel in newest_first.keys() - seeds.keys():
            if channel in held:
                seeds[channel] = values.unpack(held[channel])
        if len(seeds) == len(newest_first):
            break
    history: dict[str, DeltaChannelHistory] = {}
    for channel, writes in newest_first.items():
        history[channel] = {"writes": writes[::-1]}
        if channel in seeds:
            history[channel]["seed"] = seeds[channel]
    return history


def _pending(write: Write, values: Values) -> PendingWrite:
    return (write.task, write.channel, values.unpack(write.value))
