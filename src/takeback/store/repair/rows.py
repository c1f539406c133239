"""The catalogue's tables as plain rows: how they are read out of one catalogue and written into another."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache

from takeback.store.catalogue import counters
from takeback.store.catalogue.consistency import NUMBERED
from takeback.store.catalogue.database import Row, Transaction
from takeback.store.catalogue.sqlite import SqliteDatabase

Tables = dict[str, list[Row]]
"""Rows by table, each with all columns in the order of the schema."""


@cache
def columns() -> Mapping[str, tuple[str, ...]]:
    """The columns of every table."""
    fresh = SqliteDatabase(None)
    fresh.create()
    try:
        return fresh.columns()
    finally:
        fresh.close()


def read_tables(tx: Transaction) -> Tables:
    return {name: tx.execute(f"SELECT {_listed(name)} FROM {name}") for name in columns()}


def write_tables(tx: Transaction, tables: Mapping[str, Iterable[Row]]) -> None:
    """Let the given tables hold exactly these rows."""
    for name, rows in tables.items():
        tx.execute(f"DELETE FROM {name}")
        add_rows(tx, name, rows)


def add_rows(tx: Transaction, table: str, rows: Iterable[Row], named: Sequence[str] | None = None) -> None:
    """Add rows to a table; one whose key is taken, or that the table cannot hold, is left out. The columns are all of
    the table's, or those that are ``named``."""
    names = named or columns()[table]
    listed, marks = ", ".join(f"[{name}]" for name in names), ", ".join("?" * len(names))
    tx.executemany(f"INSERT OR IGNORE INTO {table} ({listed}) VALUES ({marks})", rows)


def settle_counters(tx: Transaction, generation: int) -> None:
    """Let every counter be past all numbers in use, and the leases begin with a generation that nobody ever had."""
    for table, column in NUMBERED.items():
        counters.at_least(tx, table, int(tx.execute(f"SELECT COALESCE(MAX({column}), 0) FROM {table}")[0][0]))
    counters.at_least(tx, "generation", generation)
    counters.at_least(tx, "swept", generation - 1)


def _listed(table: str) -> str:
    # Not in double quotes: SQLite takes those for text where there is no such column.
    return ", ".join(f"[{column}]" for column in columns()[table])
