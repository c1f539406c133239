"""Writing down checkpoints and pending writes: each is a snapshot of the thread's timeline, in one commit.

The snapshot of a checkpoint has the part ``checkpoint`` and the parts of the sources as they are at that moment. Writes
that come later make another snapshot of the same checkpoint, with the same parts and a longer part ``writes``; so the
newest snapshot of a checkpoint, which has its label, is all there is to know of it. Writes may come before their
checkpoint; they wait under a label of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from takeback import documents
from takeback.adapters.langgraph.naming import CHECKPOINT, WRITES, Key, label
from takeback.adapters.langgraph.thread import CONTEXT, Standing, Thread, about
from takeback.adapters.langgraph.values import Packed
from takeback.engine import pending, record
from takeback.engine.alone import until_alone
from takeback.engine.dropping import root_held
from takeback.errors import Conflict, Integrity
from takeback.model.kinds import DOCUMENTS
from takeback.model.progress import Watch
from takeback.model.snapshot import Part, Snapshot
from takeback.store.catalogue import snapshots
from takeback.store.catalogue.database import Transaction
from takeback.store.catalogue.snapshots import SnapshotRow
from takeback.store.reader import Reader
from takeback.store.writer import Writer

CHECKPOINT_PART = "checkpoint"
WRITES_PART = "writes"
_TRIGGER = "after_action"
TRIES = 1000
"""So often others may come first; each time one of them has got on."""


class Write(NamedTuple):
    """One pending write; ``value`` is as `Values` packs it."""

    task: str
    path: str
    place: int
    """Its number among the writes of its task; below 0 for special ones, which are replaced by later ones."""
    channel: str
    value: Packed


Writes = dict[tuple[str, int], Write]


class Draft(NamedTuple):
    """What a snapshot is to hold, and to say of its checkpoint."""

    kind: str
    parts: Mapping[str, Part]
    said: Mapping[str, Any]
    before: Mapping[str, Part] | None = None
    """The parts that changed files are counted against; None if no file can have changed."""


def put_checkpoint(thread: Thread, key: Key, document: Mapping[str, Any], said: Mapping[str, Any]) -> None:
    """Record a checkpoint with the present state of the sources; writes that it has already stay with it."""
    until_alone(thread.line, lambda: _put_checkpoint(thread, key, document, said))


def _put_checkpoint(thread: Thread, key: Key, document: Mapping[str, Any], said: Mapping[str, Any]) -> None:
    line = thread.line
    with thread.lock, line.locked(), line.writer() as writer:
        captured: dict[str, Part] = {}
        latest: Mapping[str, Part] = {}
        if line.sources:
            pending.settle(line, writer, Watch())
            present = line.capture(writer, Watch())
            captured = {name: part for name, part in present.parts.items() if name in line.sources}
            latest = present.latest.parts if present.latest is not None else {}
        before = thread.recall(key.namespace)
        put = documents.put(writer, document, before=before, there=before is not None)
        content = _part(CHECKPOINT_PART, put.id, "builtins:dict")

        def draft(standing: Standing) -> Draft:
            _check_nothing_pending(thread, writer, standing)
            old = _newest(thread, writer, key, standing)
            writes = {name: part for name, part in old.parts.items() if name == WRITES_PART} if old is not None else {}
            return Draft(CHECKPOINT, {CHECKPOINT_PART: content, **writes, **captured}, said, latest)

        place = _record(thread, writer, key, draft)
        if place is not None:
            thread.keep(key.namespace, place, put.recall)


def put_writes(thread: Thread, key: Key, writes: Iterable[Write]) -> None:
    """Add pending writes to a checkpoint, whether or not it has been put; nothing if it has them all."""
    given = list(writes)
    until_alone(thread.line, lambda: _put_writes(thread, key, given))


def _put_writes(thread: Thread, key: Key, given: Iterable[Write]) -> None:
    line = thread.line
    with thread.lock, root_held(line.root), line.writer() as writer:
        if any(source.kind in DOCUMENTS for source in line.sources.values()):
            pending.settle(line, writer, Watch())

        def draft(standing: Standing) -> Draft | None:
            _check_nothing_pending(thread, writer, standing)
            old = _newest(thread, writer, key, standing)
            known = read_writes(writer.reader, old) if old is not None else {}
            merged = _merged(known, given)
            if merged == known:
                return None
            put = documents.put(writer, [list(write) for write in merged.values()])
            longer = {WRITES_PART: _part(WRITES_PART, put.id, "builtins:list")}
            if old is not None:
                kind = CHECKPOINT if CHECKPOINT_PART in old.parts else WRITES
                return Draft(kind, {**old.parts, **longer}, about(old))
            said = {"thread": thread.id, "namespace": key.namespace, "checkpoint": key.id}
            return Draft(WRITES, {**longer, **_carried(thread, writer, standing)}, said)

        _record(thread, writer, key, draft)


def read_writes(reader: Reader, snapshot: Snapshot) -> Writes:
    """The pending writes of a checkpoint, by task and place."""
    part = snapshot.parts.get(WRITES_PART)
    if part is None:
        return {}
    try:
        found = [Write(*each) for each in documents.get(reader, part.content)]
        return {(write.task, write.place): write for write in found}
    except TypeError as error:
        raise Integrity(
            f"the writes of snapshot {snapshot.id[:8]} cannot be read", hints=["takeback verify"]
        ) from error


def _check_nothing_pending(thread: Thread, writer: Writer, standing: Standing) -> None:
    """MovedOn if somebody has asked for an object among the sources to be restored: that is done first, or the snapshot that
    is to be recorded would make it forgotten."""
    names = [name for name, source in thread.line.sources.items() if source.kind in DOCUMENTS]
    latest = thread.load(writer.reader, standing.head).parts if names and standing.head is not None else {}
    if any(latest[name].pending for name in names if name in latest):
        raise record.MovedOn(f"an object of the thread {thread.id!r} is to be restored first", hints=["try again"])


def _newest(thread: Thread, writer: Writer, key: Key, standing: Standing) -> Snapshot | None:
    """The newest snapshot of a checkpoint, or of writes that wait for it."""
    found = thread.holding(writer.reader, standing.checkpoint, key)
    return found or thread.holding(writer.reader, standing.writes, key)


def _part(name: str, content: bytes, kind: str) -> Part:
    return Part(name, "state", {"content": content}, {"type": kind, "home": "snapshot"})


def _merged(known: Writes, given: Iterable[Write]) -> Writes:
    """A write that is there stays, unless it is a special one."""
    merged = dict(known)
    for write in given:
        place = write.task, write.place
        if write.place < 0 or place not in merged:
            merged[place] = write
    return merged


def _carried(thread: Thread, writer: Writer, standing: Standing) -> dict[str, Part]:
    """The sources as the latest snapshot has them."""
    if standing.head is None or not thread.line.sources:
        return {}
    latest = thread.load(writer.reader, standing.head).parts
    return {name: part for name, part in latest.items() if name in thread.line.sources}


def session_of(snapshot: Snapshot) -> str:
    """The run that a checkpoint is of is its snapshots' session."""
    return session_text(about(snapshot).get("run") or "")


def session_text(run: object) -> str:
    """A run's name as text that a catalogue can hold."""
    return str(run).replace("\0", "").encode("utf-8", "backslashreplace").decode()


def _record(
    thread: Thread, writer: Writer, key: Key, draft: Callable[[Standing], Draft | None]
) -> tuple[str, bytes] | None:
    """Commit what ``draft`` makes of the timeline as it stands; again if somebody else came first. The snapshot's id and
    manifest, if there was something to record."""
    for _ in range(TRIES):
        standing = thread.standing(key)
        made = draft(standing)
        if made is None:
            return None
        try:
            return _commit(thread, writer, key, standing, made)
        except Conflict:
            continue
    raise Conflict(f"the thread {thread.id!r} is never left alone long enough to be saved", hints=["try again"])


def _commit(thread: Thread, writer: Writer, key: Key, standing: Standing, draft: Draft) -> tuple[str, bytes]:
    snapshot = composed(thread, writer, standing.head, draft)

    def note(tx: Transaction, timeline: int, at: SnapshotRow) -> tuple[bytes, int | None]:
        for kind, old in ((CHECKPOINT, standing.checkpoint), (WRITES, standing.writes)):
            if old is not None:
                snapshots.unlabel(tx, old.id, label(kind, key))
        snapshots.label(tx, at.id, label(draft.kind, key), at.time_ns)
        return at.manifest, thread.index.ours(tx, timeline)

    manifest, operation = record.commit(
        thread.line, writer, snapshot, standing.head, note, session=session_of(snapshot)
    )
    thread.index.added(operation, draft.kind, key, snapshot.id)
    place = snapshot.id, manifest
    thread.remember(place, snapshot)
    return place


def composed(thread: Thread, writer: Writer, head: SnapshotRow | None, draft: Draft) -> Snapshot:
    """A new snapshot, of which nothing is committed yet."""
    return record.compose(
        thread.line,
        writer,
        head,
        draft.parts,
        trigger=_TRIGGER,
        context={CONTEXT: dict(draft.said)},
        before=draft.before if draft.before is not None else draft.parts,
    )
