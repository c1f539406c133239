"""The tables of history as JSON and back: what a maintenance notes for repair, and what an export file carries.

A document is ``format`` and, by table, its ``columns`` and ``rows``; bytes are hexadecimal. Whoever reads one treats it
as hostile: only the known tables and columns, only numbers that fit, only text that is text. What the values mean is
judged by whoever uses them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from takeback.errors import Integrity, TakebackError, Unavailable
from takeback.store.catalogue.database import Row, Transaction

FORMAT = 1
TABLES = {
    "timelines": ("id, root, name, created_ns, head, fork_of", "id"),
    "snapshots": ('seq, id, timeline, parent, time_ns, "trigger", session, manifest, changed, mixed', "seq"),
    "labels": ("snapshot, name, added_ns", "snapshot, name"),
    "pins": ("snapshot", "snapshot"),
    "moves": (
        "seq, id, timeline, session, level, verb, title, key, reported, opening, opening_seq, closing, closing_seq, "
        "opened_ns, closed_ns, undone_by, context",
        "seq",
    ),
    "takes": ("move, target", "move, target"),
}
"""The columns of each table, and its order."""

_BYTES = frozenset({("timelines", "root"), ("snapshots", "manifest")})
_NUMBERS = frozenset({"seq", "timeline", "changed", "mixed", "opening_seq", "closing_seq"})
_TIMES = "_ns"
_MOST = 1 << 62
_PAGE = 1 << 20


def columns(table: str) -> list[str]:
    """A table's columns by name."""
    return TABLES[table][0].replace('"', "").split(", ")


def every(tx: Transaction, table: str) -> Iterator[list[Any]]:
    """The rows of a table as JSON holds them."""
    listed, order = TABLES[table]
    for row in tx.execute(f"SELECT {listed} FROM {table} ORDER BY {order}"):
        yield [value.hex() if isinstance(value, bytes) else value for value in row]


def encode(tables: dict[str, list[list[Any]]]) -> bytes:
    """Canonical JSON: sorted keys, no spaces, ASCII."""
    listed = {table: {"columns": columns(table), "rows": found} for table, found in tables.items()}
    return json.dumps({"format": FORMAT, **listed}, sort_keys=True, separators=(",", ":")).encode("ascii")


def pages(tx: Transaction) -> Iterator[bytes]:
    """All tables in documents of about a megabyte, so that none is too long to be looked at as a whole."""
    page: dict[str, list[list[Any]]] = {}
    size = 0
    for table in TABLES:
        for row in every(tx, table):
            page.setdefault(table, []).append(row)
            size += len(json.dumps(row))
            if size >= _PAGE:
                yield encode(page)
                page, size = {}, 0
    yield encode(page)


def decode(data: bytes) -> dict[str, list[Row]]:
    """The rows of those tables that a document has; Integrity for anything but what `encode` wrote."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise Integrity("a history is not JSON") from error
    if not isinstance(value, dict) or type(value.get("format")) is not int:
        raise Integrity("a history names no format")
    if value["format"] > FORMAT:
        raise Unavailable(
            f"a history was written by a newer takeback (format {value['format']})",
            hints=["upgrade takeback: pip install --upgrade takeback"],
        )
    return {table: _rows(table, listed) for table, listed in value.items() if table != "format"}


def load(tx: Transaction, data: bytes) -> None:
    """Add the rows of a document to the tables; Integrity if that cannot be."""
    for table, rows in decode(data).items():
        marks = ", ".join("?" * len(columns(table)))
        try:
            tx.executemany(f"INSERT INTO {table} ({TABLES[table][0]}) VALUES ({marks})", rows)
        except TakebackError as error:
            raise Integrity(f"a history holds a row of {table!r} that cannot be: {error.message}") from error


def _rows(table: str, listed: Any) -> list[Row]:
    if table not in TABLES or not isinstance(listed, dict) or listed.get("columns") != columns(table):
        raise Integrity(f"a history holds a table {table[:40]!r} that is unknown, or has other columns")
    rows = listed.get("rows")
    if not isinstance(rows, list):
        raise Integrity(f"the table {table!r} of a history has no rows")
    return [_row(table, columns(table), row) for row in rows]


def _row(table: str, names: list[str], row: Any) -> Row:
    if not isinstance(row, list) or len(row) != len(names):
        raise Integrity(f"a row of {table!r} in a history is not one")
    return tuple(_value(table, name, value) for name, value in zip(names, row, strict=True))


def _value(table: str, column: str, value: Any) -> Any:
    if value is None:
        return value
    number = column in _NUMBERS or column.endswith(_TIMES) or (table, column) == ("timelines", "id")
    if number and type(value) is int and -_MOST < value < _MOST:
        return value
    if not number and isinstance(value, str):
        try:
            return bytes.fromhex(value) if (table, column) in _BYTES else value.encode().decode()
        except ValueError as error:
            raise Integrity(f"the {column!r} of a row of {table!r} in a history cannot be stored") from error
    raise Integrity(f"the {column!r} of a row of {table!r} in a history is no {'number' if number else 'text'}")
