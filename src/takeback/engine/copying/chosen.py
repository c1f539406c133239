"""Which snapshots are copied: some of a timeline, whole timelines, or all there is.

If only some are wanted, the others are dropped from what goes along as `drop` would do it: the moves that met there
join, and children get the nearest parent that is left.
"""

from __future__ import annotations

from collections.abc import Collection

from takeback.engine.copying import recording
from takeback.engine.copying.landing import Site
from takeback.engine.copying.lines import CopyLine, read_line, read_lines
from takeback.engine.dropping import drop_snapshots
from takeback.store.blobstore import BlobStore
from takeback.store.catalogue import timelines
from takeback.store.catalogue.database import Transaction
from takeback.store.catalogue.sqlite import SqliteDatabase


def everything(blobs: BlobStore) -> list[CopyLine]:
    """All timelines of a store that have snapshots."""
    with blobs.database.read() as tx:
        return [line for line in read_lines(tx) if line.snapshots]


def only(tx: Transaction, number: int, wanted: Collection[str] | None = None) -> CopyLine:
    """One timeline, or some of its snapshots."""
    row = timelines.by_number(tx, number)
    assert row is not None
    line = read_line(tx, row)
    others = [] if wanted is None else [each.id for each in line.snapshots if each.id not in wanted]
    return _without(line, others) if others else line


def _without(line: CopyLine, others: Collection[str]) -> CopyLine:
    aside = SqliteDatabase(None)
    try:
        aside.create()
        with aside.write() as tx:
            recording.record(tx, Site(line, line.root, line.name, line.snapshots, None, fork_of=line.fork_of), "")
            drop_snapshots(tx, others, "drop")
            (row,) = timelines.every(tx)
            return read_line(tx, row)
    finally:
        aside.close()
