"""The history of a candidate store is made whole: from the catalogue's own rows, from what the last fold wrote down, and
from the manifests themselves.

A snapshot stays as long as its manifest can be read. What no timeline names goes to a timeline `recovered` of its root,
but only where the catalogue cannot be trusted: in a sound one, what is not named was dropped.
"""

from __future__ import annotations

import json
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any

from takeback.engine.dropping import drop_snapshots
from takeback.engine.plandoc import decode_plan
from takeback.errors import TakebackError
from takeback.model.ids import BlobKind, short
from takeback.model.tree import name_bytes
from takeback.store.blobstore import BlobStore
from takeback.store.catalogue import blobs as blob_rows
from takeback.store.catalogue import collecting, journals, moves, operations, snapshots, timelines
from takeback.store.catalogue.consistency import mend_rows, mend_texts
from takeback.store.catalogue.database import Transaction
from takeback.store.catalogue.journals import Journal
from takeback.store.catalogue.tables import columns, decode
from takeback.store.reader import Reader
from takeback.store.repair.found import Finding
from takeback.store.repair.rows import add_rows

RECOVERED = "recovered"
"""The name of timelines of snapshots that no other names."""


@dataclass(frozen=True, slots=True)
class Mended:
    findings: tuple[Finding, ...] = ()
    gone: tuple[str, ...] = ()
    """Snapshots whose manifests are lost."""
    recovered: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Manifest:
    """What repair needs of a manifest."""

    blob: bytes
    id: str
    root: str
    timeline: str
    parent: str | None
    time_ns: int
    trigger: str


def mend(store: BlobStore, *, trusted: bool, strange: AbstractSet[bytes]) -> Mended:
    """Make a candidate's history whole. ``trusted`` says that its rows come from a sound catalogue; ``strange`` blobs lie
    in packs that it did not know, so even then their manifests were not dropped but lost."""
    with store.reader() as reader, store.database.write() as tx:
        mend_texts(tx)
        read = list(_manifests(reader, tx))
        manifests, blobs = {each.id: each for each in read}, {each.blob: each.id for each in read}
        if not trusted:
            _add_history(reader, tx)
        gone = tuple(_without_manifest(tx, manifests, blobs))
        findings = [Finding("lost snapshot", f"snapshot {short(id)}", "its manifest is lost") for id in gone]
        _add_timelines(tx, manifests)
        mend_rows(tx)
        _end_moves(tx, gone)
        drop_snapshots(tx, gone, "lost")
        lost = [each for each in manifests.values() if not trusted or each.blob in strange]
        recovered = tuple(_recover(tx, lost))
        for row in timelines.every(tx):
            newest = snapshots.back(tx, row.number, 0)
            timelines.set_head(tx, row.number, newest.id if newest is not None else None)
        findings += (
            Finding("unfinished restore", journal.root, "what it was to do is lost; its root may be in between")
            for journal in _end_journals(reader, tx, trusted)
        )
        if gone or recovered or not trusted:
            operations.add(tx, None, time.time_ns(), "repair", gone=list(gone), recovered=list(recovered))
    return Mended(tuple(findings), gone, recovered)


def _manifests(reader: Reader, tx: Transaction) -> Iterator[_Manifest]:
    """Every manifest that can be read, whether or not something names it."""
    for blob in blob_rows.of_kind(tx, BlobKind.MANIFEST):
        try:
            raw = json.loads(reader.get(blob, BlobKind.MANIFEST))
            if not 0 <= int(raw["time_ns"]) < 1 << 63 or name_bytes(f"{raw['root']}{raw['timeline']}") is None:
                continue  # no row could hold it
            yield _Manifest(
                blob,
                str(raw["id"]),
                str(raw["root"]),
                str(raw["timeline"]),
                None if raw["parent"] is None else str(raw["parent"]),
                int(raw["time_ns"]),
                str(raw["trigger"]),
            )
        except (TakebackError, ValueError, KeyError, TypeError, RecursionError, OverflowError):
            continue


def _add_history(reader: Reader, tx: Transaction) -> None:
    """Add what the newest fold wrote down and the catalogue's own rows lack, except what was dropped since."""
    newest: Mapping[str, list[tuple[Any, ...]]] | None = None
    for blob in [*blob_rows.of_kind(tx, BlobKind.HISTORY), *_large_histories(reader, tx)]:
        try:
            tables = decode(reader.get(blob, BlobKind.HISTORY))
        except TakebackError:
            continue
        if newest is None or _last(tables) >= _last(newest):
            newest = tables
    if newest is None:
        return
    dropped = {detail["snapshot"] for _, detail in collecting.dropped(tx, "")}
    for table, rows in newest.items():
        column = {"snapshots": "id", "labels": "snapshot", "pins": "snapshot"}.get(table)
        at = columns(table).index(column) if column is not None else None
        add_rows(tx, table, (row for row in rows if at is None or row[at] not in dropped), columns(table))


def _large_histories(reader: Reader, tx: Transaction) -> Iterator[bytes]:
    for blob in blob_rows.of_kind(tx, BlobKind.RECIPE):
        try:
            if reader.recipe(blob).kind == BlobKind.HISTORY:
                yield blob
        except TakebackError:
            continue


def _last(tables: Mapping[str, list[tuple[Any, ...]]]) -> tuple[int, int]:
    """How far a history goes."""
    return tuple(max((int(row[0]) for row in tables.get(name, [])), default=0) for name in ("snapshots", "moves"))  # type: ignore[return-value]


def _without_manifest(tx: Transaction, manifests: Mapping[str, _Manifest], blobs: Mapping[bytes, str]) -> Iterator[str]:
    """Snapshots whose manifests are lost. Where the row alone is wrong about its manifest, it is put right."""
    for row in snapshots.everywhere(tx):
        found = manifests.get(row.id)
        if found is None:
            yield row.id
            continue
        manifest = row.manifest if blobs.get(row.manifest) == row.id else found.blob
        if (row.manifest, row.trigger) != (manifest, found.trigger):
            sql = 'UPDATE snapshots SET manifest = ?, "trigger" = ? WHERE id = ?'
            tx.execute(sql, (manifest, found.trigger, row.id))


def _add_timelines(tx: Transaction, manifests: Mapping[str, _Manifest]) -> None:
    """Timelines whose own rows are lost come back by what their snapshots say; if there is one of that name already,
    the snapshots go there."""
    known = {row.number for row in timelines.every(tx)}
    for row in reversed(snapshots.everywhere(tx)):
        found = manifests.get(row.id)
        if row.timeline in known or found is None:
            continue
        there = timelines.find(tx, found.root, found.timeline)
        if there is None:
            known.add(row.timeline)
            add_rows(tx, "timelines", [(row.timeline, name_bytes(found.root), found.timeline, row.time_ns, None, None)])
        else:
            tx.execute("UPDATE snapshots SET timeline = ? WHERE id = ?", (there.number, row.id))


def _end_moves(tx: Transaction, gone: Collection[str]) -> None:
    """Forget open moves of which nothing is left: they began at a lost snapshot, and none came after it."""
    for line in timelines.every(tx):
        left = [row.seq for row in snapshots.newest(tx, line.number) if row.id not in gone]
        for move in moves.open_moves(tx, line.number):
            if move.opening in gone and move.opening_seq > max(left, default=0):
                moves.remove(tx, move.id)


def _recover(tx: Transaction, manifests: Iterable[_Manifest]) -> Iterator[str]:
    """Put snapshots that no timeline names, and that were not dropped, onto the timelines `recovered`."""
    named = {row.id for row in snapshots.everywhere(tx)}
    dropped = {detail["snapshot"] for _, detail in collecting.dropped(tx, "")}
    for found in sorted(manifests, key=lambda each: each.time_ns):
        if found.id in named or found.id in dropped:
            continue
        root = _root_of(tx, found)
        line = timelines.find(tx, root, RECOVERED) or timelines.create(tx, root, RECOVERED, time.time_ns())
        before = snapshots.back(tx, line.number, 0)
        snapshots.add(
            tx,
            id=found.id,
            timeline=line.number,
            parent=before.id if before is not None else None,
            time_ns=found.time_ns,
            trigger=found.trigger,
            session="",
            manifest=found.blob,
            changed=0,
        )
        yield found.id


def _end_journals(reader: Reader, tx: Transaction, trusted: bool) -> Iterator[Journal]:
    """Forget restores that cannot be finished, lest nothing can be saved there any more; gives them. Rows out of a damaged
    catalogue may be of a restore that ended long ago: then something was recorded after its safety snapshot."""
    for journal in journals.every(tx):
        line = timelines.by_number(tx, journal.timeline)
        known = line is not None and snapshots.by_id(tx, journal.safety) is not None
        if known and _readable(reader, journal):
            if trusted or (line is not None and line.head == journal.safety):
                continue
        elif known or trusted:
            yield journal
        journals.end(tx, journal.root)


def _readable(reader: Reader, journal: Journal) -> bool:
    try:
        decode_plan(reader.get(journal.plan, BlobKind.DOCUMENT))
    except TakebackError:
        return False
    return True


def _root_of(tx: Transaction, found: _Manifest) -> str:
    """Where a snapshot belongs now: to the root of its parent, which may have been relocated since."""
    parent = snapshots.by_id(tx, found.parent) if found.parent is not None else None
    line = timelines.by_number(tx, parent.timeline) if parent is not None else None
    return line.root if line is not None else found.root
