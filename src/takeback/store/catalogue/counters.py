"""Single numbers by name: those that only grow, and moments. All are far from any end, unless an enemy set them."""

from __future__ import annotations

from takeback.errors import Integrity
from takeback.store.catalogue.database import Row, Transaction

_MOST = 1 << 62


def next_value(tx: Transaction, name: str, by: int = 1) -> int:
    """Advance a counter and return its new value; with ``by``, the last of that many fresh numbers."""
    rows = tx.execute(
        "INSERT INTO counters (name, value) VALUES (?, ?) "
        "ON CONFLICT (name) DO UPDATE SET value = counters.value + excluded.value RETURNING value",
        (name, by),
    )
    return _number(name, rows[0])


def put(tx: Transaction, name: str, value: int) -> None:
    """Set what is no count: a moment, say."""
    tx.execute(
        "INSERT INTO counters (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        (name, value),
    )


def value(tx: Transaction, name: str) -> int:
    rows = tx.execute("SELECT value FROM counters WHERE name = ?", (name,))
    return _number(name, rows[0]) if rows else 0


def at_least(tx: Transaction, name: str, least: int) -> None:
    """Advance a counter to a value, unless it is past it."""
    tx.execute(
        "INSERT INTO counters (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value "
        "WHERE counters.value < excluded.value",
        (name, least),
    )


def _number(name: str, row: Row) -> int:
    found = row[0]
    if not isinstance(found, int) or not 0 <= found < _MOST:
        raise Integrity(f"the catalogue's counter {name!r} holds what no counter can")
    return found
