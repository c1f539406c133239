"""Snapshots in the catalogue: one row each, with the manifest's blob id; and their labels and pins."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from takeback.errors import Integrity
from takeback.store.catalogue.counters import next_value
from takeback.store.catalogue.database import Row, Transaction
from takeback.store.catalogue.rows import OPTIONAL_TEXT, all_checked, checked, columns_checked


class SnapshotRow(NamedTuple):
    """What the log shows without reading a manifest."""

    seq: int
    id: str
    timeline: int
    parent: str | None
    time_ns: int
    trigger: str
    session: str
    manifest: bytes
    changed: int
    mixed: int = 0
    """1 if the step that leads here was joined from steps of different owners, when a snapshot was dropped."""
    labels: tuple[str, ...] = ()
    pinned: bool = False


_TYPES = (int, str, int, OPTIONAL_TEXT, int, str, str, bytes, int, int)
_COLUMNS = 'seq, id, timeline, parent, time_ns, "trigger", session, manifest, changed, mixed'


def add(
    tx: Transaction,
    *,
    id: str,
    timeline: int,
    parent: str | None,
    time_ns: int,
    trigger: str,
    session: str,
    manifest: bytes,
    changed: int,
) -> SnapshotRow:
    seq = next_value(tx, "snapshots")
    row = SnapshotRow(seq, id, timeline, parent, time_ns, trigger, session, manifest, changed)
    tx.execute(
        f"INSERT INTO snapshots ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0)",
        (seq, id, timeline, parent, time_ns, trigger, session, manifest, changed),
    )
    return row


def by_id(tx: Transaction, id: str) -> SnapshotRow | None:
    return _first(tx, f"SELECT {_COLUMNS} FROM snapshots WHERE id = ?", id)


def among(tx: Transaction, ids: Iterable[str]) -> dict[str, SnapshotRow]:
    """Those of some snapshots that there are, by id, without their labels and pins."""
    found: dict[str, SnapshotRow] = {}
    for some in _batches(list(ids)):
        marks = ", ".join("?" * len(some))
        for row in tx.execute(f"SELECT {_COLUMNS} FROM snapshots WHERE id IN ({marks})", some):
            found[row[1]] = _row(row)
    return found


def manifest_of(tx: Transaction, id: str) -> bytes | None:
    """A snapshot's manifest, if it is there; it changes when something is purged."""
    rows = all_checked("snapshots", tx.execute("SELECT manifest FROM snapshots WHERE id = ?", (id,)), (bytes,))
    return rows[0][0] if rows else None


def first(tx: Transaction, timeline: int) -> SnapshotRow | None:
    return _first(tx, f"SELECT {_COLUMNS} FROM snapshots WHERE timeline = ? ORDER BY seq LIMIT 1", timeline)


def second(tx: Transaction, timeline: int) -> SnapshotRow | None:
    return _first(tx, f"SELECT {_COLUMNS} FROM snapshots WHERE timeline = ? ORDER BY seq LIMIT 1 OFFSET 1", timeline)


def back(tx: Transaction, timeline: int, steps: int) -> SnapshotRow | None:
    """The snapshot ``steps`` before the latest."""
    sql = f"SELECT {_COLUMNS} FROM snapshots WHERE timeline = ? ORDER BY seq DESC LIMIT 1 OFFSET ?"
    return _first(tx, sql, timeline, steps)


def beside(tx: Transaction, row: SnapshotRow, direction: int) -> SnapshotRow | None:
    """The snapshot just before (-1) or after (+1) one on its timeline."""
    sign, order = ("<", "DESC") if direction < 0 else (">", "ASC")
    sql = f"SELECT {_COLUMNS} FROM snapshots WHERE timeline = ? AND seq {sign} ? ORDER BY seq {order} LIMIT 1"
    return _first(tx, sql, row.timeline, row.seq)


def at(tx: Transaction, timeline: int, time_ns: int) -> SnapshotRow | None:
    """The newest snapshot that is not newer than a time."""
    sql = (
        f"SELECT {_COLUMNS} FROM snapshots WHERE timeline = ? AND time_ns <= ? ORDER BY time_ns DESC, seq DESC LIMIT 1"
    )
    return _first(tx, sql, timeline, time_ns)


def with_prefix(tx: Transaction, prefix: str, limit: int = 5) -> list[SnapshotRow]:
    """Snapshots of the whole store whose id begins with a prefix."""
    sql = f"SELECT {_COLUMNS} FROM snapshots WHERE id >= ? AND id < ? ORDER BY +seq DESC LIMIT {int(limit)}"
    return [_row(row) for row in tx.execute(sql, (prefix, prefix + "g"))]


def labelled(tx: Transaction, timeline: int, label: str) -> SnapshotRow | None:
    """The newest snapshot of a timeline with a label."""
    sql = (
        f"SELECT {_COLUMNS} FROM snapshots WHERE +timeline = ? AND id IN (SELECT snapshot FROM labels WHERE name = ?) "
        "ORDER BY +seq DESC LIMIT 1"
    )
    return _first(tx, sql, timeline, label)


def every_label(tx: Transaction, timeline: int) -> list[tuple[str, str]]:
    """The labels of a timeline, each with its snapshot's id, oldest snapshot first."""
    sql = (  # a cross join, because a timeline has fewer snapshots than a store has labels
        "SELECT labels.name, snapshots.id FROM snapshots CROSS JOIN labels "
        "WHERE snapshots.timeline = ? AND labels.snapshot = snapshots.id ORDER BY snapshots.seq"
    )
    return [(name, id) for name, id in columns_checked("labels", tx.execute(sql, (timeline,)), (str, str))]


def between(tx: Transaction, timeline: int, first_seq: int, last_seq: int) -> list[SnapshotRow]:
    """All snapshots of a timeline from one place to another, both included, oldest first."""
    sql = f"SELECT {_COLUMNS} FROM snapshots WHERE timeline = ? AND seq BETWEEN ? AND ? ORDER BY seq"
    return [_row(row) for row in tx.execute(sql, (timeline, first_seq, last_seq))]


def newest(
    tx: Transaction, timeline: int, limit: int | None = None, session: str | None = None, before_seq: int | None = None
) -> list[SnapshotRow]:
    """Snapshots of a timeline, newest first, with their labels and pins."""
    sql, params = f"SELECT {_COLUMNS} FROM snapshots WHERE timeline = ?", [timeline]
    arguments: list[object] = list(params)
    if session is not None:
        sql += " AND session = ?"
        arguments.append(session)
    if before_seq is not None:
        sql += " AND seq < ?"
        arguments.append(before_seq)
    sql += " ORDER BY seq DESC"
    if limit is not None:
        sql += f" LIMIT {int(limit)}"
    return with_marks(tx, [_row(row) for row in tx.execute(sql, arguments)])


def with_marks(tx: Transaction, rows: list[SnapshotRow]) -> list[SnapshotRow]:
    """The rows with the labels and pins of each."""
    labels: dict[str, list[str]] = {}
    pinned: set[str] = set()
    for some in _batches([row.id for row in rows]):
        marks = ", ".join("?" * len(some))
        found = tx.execute(
            f"SELECT snapshot, name FROM labels WHERE snapshot IN ({marks}) ORDER BY added_ns, name", some
        )
        for id, name in all_checked("labels", found, (str, str)):
            labels.setdefault(id, []).append(name)
        pinned.update(id for (id,) in tx.execute(f"SELECT snapshot FROM pins WHERE snapshot IN ({marks})", some))
    marked = labels.keys() | pinned | {row.id for row in rows if row.labels or row.pinned}
    return [
        row._replace(labels=tuple(labels.get(row.id, ())), pinned=row.id in pinned) if row.id in marked else row
        for row in rows
    ]


def everywhere(tx: Transaction) -> list[SnapshotRow]:
    """All snapshots of the store, oldest first, without their labels and pins."""
    return [_row(row) for row in tx.execute(f"SELECT {_COLUMNS} FROM snapshots ORDER BY seq")]


def count(tx: Transaction, timeline: int) -> int:
    return int(tx.execute("SELECT count(*) FROM snapshots WHERE timeline = ?", (timeline,))[0][0])


def remove(tx: Transaction, row: SnapshotRow) -> None:
    """Take a snapshot out of the line, with its labels and its pin. `inherit` gives its children its parent."""
    tx.execute("DELETE FROM labels WHERE snapshot = ?", (row.id,))
    tx.execute("DELETE FROM pins WHERE snapshot = ?", (row.id,))
    tx.execute("DELETE FROM snapshots WHERE id = ?", (row.id,))


def put_back(tx: Transaction, row: SnapshotRow, now_ns: int) -> None:
    """Take a removed snapshot into its line again, at its old place: between the two that are beside it now."""
    before, after = beside(tx, row, -1), beside(tx, row, +1)
    parent = row.parent if row.parent is not None and by_id(tx, row.parent) is not None else None
    if parent is None and before is not None:
        parent = before.id
    tx.execute(
        f"INSERT INTO snapshots ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            row.seq,
            row.id,
            row.timeline,
            parent,
            row.time_ns,
            row.trigger,
            row.session,
            row.manifest,
            row.changed,
            row.mixed,
        ),
    )
    for name in row.labels:
        label(tx, row.id, name, now_ns)
    if after is not None and after.parent == parent:
        tx.execute("UPDATE snapshots SET parent = ? WHERE id = ?", (row.id, after.id))


def inherit(tx: Transaction, parents: Mapping[str, str | None]) -> None:
    """Give the children of removed snapshots the nearest parent that is still there; ``parents`` are those of the
    removed ones."""
    orphans = [
        row
        for some in _batches(list(parents))
        for row in tx.execute(f"SELECT id, parent FROM snapshots WHERE parent IN ({', '.join('?' * len(some))})", some)
    ]
    for id, parent in orphans:
        passed: set[str] = set()
        while parent in parents:
            if parent in passed:
                raise Integrity(f"the snapshots before {id[:8]!r} go round in a circle")
            passed.add(parent)
            parent = parents[parent]
        tx.execute("UPDATE snapshots SET parent = ? WHERE id = ?", (parent, id))


def mark_mixed(tx: Transaction, snapshot: str) -> None:
    tx.execute("UPDATE snapshots SET mixed = 1 WHERE id = ?", (snapshot,))


def set_manifest(tx: Transaction, snapshot: str, manifest: bytes) -> None:
    """Only for what says the same of the snapshot, without something that was purged."""
    tx.execute("UPDATE snapshots SET manifest = ? WHERE id = ?", (manifest, snapshot))


def label(tx: Transaction, snapshot: str, name: str, added_ns: int) -> None:
    tx.execute(
        "INSERT INTO labels (snapshot, name, added_ns) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
        (snapshot, name, added_ns),
    )


def unlabel(tx: Transaction, snapshot: str, name: str) -> None:
    tx.execute("DELETE FROM labels WHERE snapshot = ? AND name = ?", (snapshot, name))


def pin(tx: Transaction, snapshot: str) -> None:
    tx.execute("INSERT INTO pins (snapshot) VALUES (?) ON CONFLICT DO NOTHING", (snapshot,))


def unpin(tx: Transaction, snapshot: str) -> None:
    tx.execute("DELETE FROM pins WHERE snapshot = ?", (snapshot,))


def _first(tx: Transaction, sql: str, *params: object) -> SnapshotRow | None:
    rows = tx.execute(sql, params)
    return with_marks(tx, [_row(rows[0])])[0] if rows else None


def _row(row: Row) -> SnapshotRow:
    return SnapshotRow(*checked("snapshots", row, _TYPES))


def _batches(ids: list[str], size: int = 500) -> Iterable[list[str]]:
    return (ids[start : start + size] for start in range(0, len(ids), size))
