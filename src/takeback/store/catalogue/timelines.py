"""Timelines in the catalogue: named lines of snapshots, keyed by root and name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from takeback.model.tree import name_bytes, name_text
from takeback.store.catalogue.counters import next_value
from takeback.store.catalogue.database import Row, Transaction
from takeback.store.catalogue.rows import OPTIONAL_TEXT, checked


class TimelineRow(NamedTuple):
    number: int
    root: str
    name: str
    head: str | None
    fork_of: str | None
    created_ns: int


_COLUMNS = "id, root, name, head, fork_of, created_ns"


def find(tx: Transaction, root: str, name: str) -> TimelineRow | None:
    rows = tx.execute(f"SELECT {_COLUMNS} FROM timelines WHERE root = ? AND name = ?", (name_bytes(root), name))
    return _row(rows[0]) if rows else None


def by_number(tx: Transaction, number: int) -> TimelineRow | None:
    rows = tx.execute(f"SELECT {_COLUMNS} FROM timelines WHERE id = ?", (number,))
    return _row(rows[0]) if rows else None


def every(tx: Transaction) -> list[TimelineRow]:
    return [_row(row) for row in tx.execute(f"SELECT {_COLUMNS} FROM timelines ORDER BY id")]


def create(tx: Transaction, root: str, name: str, created_ns: int, fork_of: str | None = None) -> TimelineRow:
    number = next_value(tx, "timelines")
    tx.execute(
        "INSERT INTO timelines (id, root, name, created_ns, head, fork_of) VALUES (?, ?, ?, ?, NULL, ?)",
        (number, name_bytes(root), name, created_ns, fork_of),
    )
    return TimelineRow(number, root, name, None, fork_of, created_ns)


def set_head(tx: Transaction, number: int, head: str | None) -> None:
    tx.execute("UPDATE timelines SET head = ? WHERE id = ?", (head, number))


def relocate(tx: Transaction, roots: Mapping[int, str]) -> None:
    """Give timelines, by number, other roots; some may come to where others leave."""
    for number in roots:
        tx.execute("UPDATE timelines SET root = ? WHERE id = ?", (b"\0%d" % number, number))
    for number, root in roots.items():
        tx.execute("UPDATE timelines SET root = ? WHERE id = ?", (name_bytes(root), number))


def _row(row: Row) -> TimelineRow:
    number, root, name, head, fork_of, created_ns = checked(
        "timelines", row, (int, bytes, str, OPTIONAL_TEXT, OPTIONAL_TEXT, int)
    )
    return TimelineRow(number, name_text(root), name, head, fork_of, created_ns)
