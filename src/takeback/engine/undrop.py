"""undrop: what drop and prune took out of a timeline comes back, for as long as the store has not swept it."""

from __future__ import annotations

import time
from collections.abc import Container
from string import hexdigits
from typing import Any

from takeback.engine.dropping import root_held
from takeback.engine.maintenance import snapshot_blobs
from takeback.engine.reach import Reach
from takeback.errors import Integrity, InvalidInput, NotFound
from takeback.model.ids import short
from takeback.store.blobstore import BlobStore
from takeback.store.catalogue import blobs as blob_rows
from takeback.store.catalogue import collecting, operations, snapshots, timelines
from takeback.store.catalogue.database import Transaction
from takeback.store.catalogue.snapshots import SnapshotRow


def undrop(blobs: BlobStore, snapshot: str) -> str:
    """Put a dropped snapshot back; its id."""
    prefix = snapshot.strip().lower()
    with blobs.database.read() as tx:
        row = _find(tx, prefix)
        line = timelines.by_number(tx, row.timeline)
    with root_held(line.root if line is not None else ""), blobs.writer() as writer:
        try:
            needed = set(snapshot_blobs(writer.reader, Reach(writer.reader), row))
        except Integrity as error:
            raise _swept(row) from error
        writer.commit(lambda tx: _put_back(tx, row, needed))
    return row.id


def dropped_rows(tx: Transaction, present: Container[str]) -> list[SnapshotRow]:
    """What was dropped, is not among those that are there, and may still come back."""
    return [
        _row(*each)
        for each in collecting.dropped(tx, "")
        if each[1]["snapshot"] not in present and not each[1].get("purged")
    ]


def _find(tx: Transaction, prefix: str) -> SnapshotRow:
    known = prefix if set(prefix) <= set(hexdigits) else ""  # what no id begins with may not even be storable
    found = collecting.dropped(tx, known) if known else []
    gone = [each for each in found if snapshots.by_id(tx, each[1]["snapshot"]) is None]
    if len(gone) > 1:
        names = ", ".join(detail["snapshot"][:12] for _, detail in gone[:4])
        raise InvalidInput(f"{prefix!r} is ambiguous: it begins {names}", hints=["give more characters"])
    if not gone:
        if known and snapshots.with_prefix(tx, known, 1):
            raise InvalidInput(f"snapshot {prefix} has not been dropped", hints=["`takeback log` lists it"])
        raise NotFound(f"no snapshot {prefix!r} was dropped", hints=["give its id, as drop or prune printed it"])
    row = _row(*gone[0])
    if gone[0][1].get("purged"):
        raise NotFound(
            f"snapshot {short(row.id)} cannot come back: it held something that was purged",
            hints=["`takeback log` lists what there is"],
        )
    return row


def _row(timeline: int, detail: dict[str, Any]) -> SnapshotRow:
    return SnapshotRow(
        seq=detail["seq"],
        id=detail["snapshot"],
        timeline=timeline,
        parent=detail["parent"],
        time_ns=detail.get("created_ns", 0),
        trigger=detail.get("trigger", "manual"),
        session=detail.get("session", ""),
        manifest=bytes.fromhex(detail["manifest"]),
        changed=detail.get("changed", 0),
        mixed=detail.get("mixed", 0),
        labels=tuple(detail["labels"]),
    )


def _put_back(tx: Transaction, row: SnapshotRow, needed: set[bytes]) -> None:
    """All that it needs must be there in this very moment; packs that were about to go stay."""
    located = blob_rows.locate_all(tx, needed)
    if len({at.id for at in located}) != len(needed):
        raise _swept(row)
    if snapshots.by_id(tx, row.id) is not None:
        raise InvalidInput(f"snapshot {short(row.id)} is back already", hints=["`takeback log` lists it"])
    for pack in {at.pack for at in located} & blob_rows.condemned(tx):
        collecting.revive(tx, pack)
    now = time.time_ns()
    snapshots.put_back(tx, row, now)
    if snapshots.beside(tx, row, +1) is None:
        timelines.set_head(tx, row.timeline, row.id)
    operations.add(tx, row.timeline, now, "undrop", snapshot=row.id)


def _swept(row: SnapshotRow) -> NotFound:
    return NotFound(
        f"snapshot {short(row.id)} cannot come back: a maintenance has removed what it held",
        hints=["`takeback log` lists what there is"],
    )
