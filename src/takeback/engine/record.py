"""Writing down a snapshot: its manifest as a blob, its row and the timeline's head in one transaction."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, TypeVar

from takeback.engine.line import Line, Present
from takeback.engine.manifest import encode_manifest
from takeback.errors import Conflict
from takeback.model.ids import BlobKind, new_id
from takeback.model.kinds import DOCUMENTS, FOLLOWING
from takeback.model.snapshot import Part, Snapshot
from takeback.sources.evidence import EVIDENCE, Dated, encode
from takeback.store.catalogue import operations, snapshots, timelines
from takeback.store.catalogue.database import Transaction
from takeback.store.catalogue.snapshots import SnapshotRow
from takeback.store.writer import Writer

T = TypeVar("T")


class MovedOn(Conflict):
    """Somebody else has committed since the timeline was looked at: nothing was recorded."""


def compose(
    line: Line,
    writer: Writer,
    parent: SnapshotRow | None,
    parts: Mapping[str, Part],
    *,
    trigger: str,
    context: Mapping[str, Any],
    before: Mapping[str, Part],
    missed: Mapping[str, str] = MappingProxyType({}),
) -> Snapshot:
    """A new snapshot, with its manifest's blob on the way; nothing is committed yet."""
    contexts: dict[str, Any] = {}
    for part in parts.values():
        contexts |= part.detail.get("context", {})
    return Snapshot(
        id=new_id(),
        timeline=line.name,
        root=line.root,
        parent=parent.id if parent is not None else None,
        time_ns=time.time_ns(),
        trigger=trigger,
        context={**contexts, **context},
        parts=dict(parts),
        changed=count_changes(line, writer, before, parts),
        missed=dict(missed),
    )


def count_changes(line: Line, writer: Writer, before: Mapping[str, Part], after: Mapping[str, Part]) -> int:
    """How many files differ. Directories and values are none."""
    total = 0
    for name, part in after.items():
        old = before.get(name)
        if part.kind in FOLLOWING | DOCUMENTS or (old is not None and old.content == part.content):
            continue
        source = line.sources.get(name)
        if source is None:
            continue
        if old is None:
            total += source.count(writer.reader, part)
        else:
            total += sum(1 for change in source.diff(writer.reader, old, part) if not change.is_directory)
    return total


def commit(
    line: Line,
    writer: Writer,
    snapshot: Snapshot | None,
    head: SnapshotRow | None,
    then: Callable[[Transaction, int, SnapshotRow], T],
    *,
    session: str = "",
    fork_of: str | None = None,
) -> T:
    """Commit a snapshot (or none, if nothing changed) and what ``then`` writes beside it.

    MovedOn if the timeline's head is not what the capture was compared with: a stale capture never commits second.
    """
    manifest = writer.put(encode_manifest(snapshot), BlobKind.MANIFEST) if snapshot is not None else b""

    def write(tx: Transaction) -> T:
        row = line.row_or_new(tx, fork_of)
        if row.head != (head.id if head is not None else None):
            raise MovedOn(
                f"the timeline {line.name!r} moved on while this was being saved", hints=["run the command again"]
            )
        if snapshot is None:
            assert head is not None
            return then(tx, row.number, head)
        at = append(tx, row.number, snapshot, manifest, session)
        return then(tx, row.number, at)

    return writer.commit(write)


def append(tx: Transaction, timeline: int, snapshot: Snapshot, manifest: bytes, session: str = "") -> SnapshotRow:
    """A snapshot as the timeline's new head, and in the log of operations."""
    at = snapshots.add(
        tx,
        id=snapshot.id,
        timeline=timeline,
        parent=snapshot.parent,
        time_ns=snapshot.time_ns,
        trigger=snapshot.trigger,
        session=session,
        manifest=manifest,
        changed=snapshot.changed,
    )
    timelines.set_head(tx, timeline, snapshot.id)
    operations.add(tx, timeline, snapshot.time_ns, snapshot.trigger, snapshot=snapshot.id)
    return at


def latest_or_new(
    line: Line, writer: Writer, present: Present, *, trigger: str, context: Mapping[str, Any], always: bool = False
) -> Snapshot | None:
    """A new snapshot of the present; None if the latest one already is that, unless there is ``always`` to be one."""
    if not (present.changed or always):
        return None
    before = present.latest.parts if present.latest is not None else {}
    return compose(
        line,
        writer,
        present.head,
        _with_evidence(line, writer, before, present.parts),
        trigger=trigger,
        context=context,
        before=before,
        missed=present.reasons,
    )


def _with_evidence(
    line: Line, writer: Writer, before: Mapping[str, Part], parts: Mapping[str, Part]
) -> Mapping[str, Part]:
    """The parts, with what their sources know of when they looked, and when each path was changed that is not as it was
    ``before``."""
    return {name: _dated(line, writer, before.get(name), part) for name, part in parts.items()}


def _dated(line: Line, writer: Writer, old: Part | None, part: Part) -> Part:
    source = line.sources.get(part.name)
    if not isinstance(source, Dated):
        return part
    found = source.evidence(writer.reader, old, part)
    if found is None:
        return part
    return part._replace(refs={**part.refs, EVIDENCE: writer.put(encode(found), BlobKind.DOCUMENT)})
