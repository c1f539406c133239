"""Restores that have begun: a row for the root that is being changed, or for the lock of each thing that has none; gone
when the restore is recorded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from takeback.model.tree import name_bytes, name_text
from takeback.store.catalogue.database import Row, Transaction
from takeback.store.catalogue.rows import checked


class Journal(NamedTuple):
    root: str
    """The real path of the root, or, on a timeline without one, the name of a source's lock."""
    timeline: int
    plan: bytes
    """The blob that holds the plan."""
    safety: str
    started_ns: int


def begin(tx: Transaction, journal: Journal) -> None:
    tx.execute(
        "INSERT INTO journals (root, timeline, plan, safety, started_ns) VALUES (?, ?, ?, ?, ?)",
        (name_bytes(journal.root), journal.timeline, journal.plan, journal.safety, journal.started_ns),
    )


def pending(tx: Transaction, root: str) -> Journal | None:
    rows = tx.execute(
        "SELECT root, timeline, plan, safety, started_ns FROM journals WHERE root = ?", (name_bytes(root),)
    )
    return _journal(rows[0]) if rows else None


def every(tx: Transaction) -> list[Journal]:
    rows = tx.execute("SELECT root, timeline, plan, safety, started_ns FROM journals ORDER BY started_ns")
    return [_journal(row) for row in rows]


def end(tx: Transaction, root: str) -> None:
    tx.execute("DELETE FROM journals WHERE root = ?", (name_bytes(root),))


def end_all(tx: Transaction, journal: Journal) -> None:
    """End a restore under every name that it has."""
    tx.execute(
        "DELETE FROM journals WHERE timeline = ? AND plan = ? AND safety = ?",
        (journal.timeline, journal.plan, journal.safety),
    )


def relocate(tx: Transaction, roots: Mapping[str, str]) -> None:
    """Restores that began in some roots go on in others, where their files are now."""
    found = [journal for root in roots if (journal := pending(tx, root)) is not None]
    for journal in found:
        end(tx, journal.root)
    for journal in found:
        begin(tx, journal._replace(root=roots[journal.root]))


def _journal(row: Row) -> Journal:
    root, *rest = checked("journals", row, (bytes, int, bytes, str, int))
    return Journal(name_text(root), *rest)
