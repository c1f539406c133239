"""What rows of the catalogue are made of. SQLite keeps any type in any column, and a store may come from an enemy: what
nothing here writes is Integrity before anything is made of it."""

from __future__ import annotations

from collections.abc import Iterable

from takeback.errors import Integrity
from takeback.store.catalogue.database import Row

Types = tuple[type | tuple[type, ...], ...]
"""The type of each column."""

OPTIONAL_TEXT = (str, type(None))
OPTIONAL_NUMBER = (int, type(None))


def checked(table: str, row: Row, types: Types) -> Row:
    """A row whose columns have the types that are written; Integrity for any other."""
    if len(row) != len(types) or not all(map(isinstance, row, types)):
        raise Integrity(
            f"the catalogue's table {table!r} holds a row that cannot be",
            hints=["`takeback verify` says what else is wrong with this store"],
        )
    return row


def all_checked(table: str, rows: Iterable[Row], types: Types) -> list[Row]:
    return [checked(table, row, types) for row in rows]


def columns_checked(table: str, rows: list[Row], types: tuple[type, ...]) -> list[Row]:
    """The same of many rows with exactly these types, a column at a time."""
    found = [set(map(type, column)) for column in zip(*rows, strict=True)]
    if rows and found != [{kind} for kind in types]:
        return all_checked(table, rows, types)  # which names it
    return rows
