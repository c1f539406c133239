"""The rows of history as JSON and back: what a maintenance notes for repair, and what an export file carries.

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
_MOST = 1 << 62
_PAGE = 1 << 20


def names(table: str) -> list[str]:
    return TABLES[table][0].replace('"', "").split(", ")


def every(tx: Transaction, table: str) -> Iterator[list[Any]]:
    """The rows of a table as JSON holds them."""
    columns, order = TABLES[table]
    for row in tx.execute(f"SELECT {columns} FROM {table} ORDER BY {order}"):
        yield [value.hex() if isinstance(value, bytes) else value for value in row]


def encode(tables: dict[str, list[list[Any]]]) -> bytes:
    """Canonical JSON: sorted keys, no spaces, ASCII."""
    listed = {table: {"columns": names(table), "rows": found} for table, found in tables.items()}
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


def load(tx: Transaction, data: bytes) -> None:
    """Add the rows of a document to the tables; Integrity for anything but what `encode` wrote."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise Integrity("a list of timelines and snapshots is not JSON") from error
    if not isinstance(value, dict) or type(value.get("format")) is not int:
        raise Integrity("a list of timelines and snapshots names no format")
    if value["format"] > FORMAT:
        raise Unavailable(
            f"it was written by a newer takeback (history of format {value['format']})",
            hints=["upgrade takeback: pip install --upgrade takeback"],
        )
    for table, listed in value.items():
        if table != "format":
            _load_table(tx, table, listed)


def _load_table(tx: Transaction, table: str, listed: Any) -> None:
    if table not in TABLES or not isinstance(listed, dict) or listed.get("columns") != names(table):
        raise Integrity(f"a list of timelines and snapshots holds a table {table[:40]!r} that is unknown or different")
    rows = listed.get("rows")
    if not isinstance(rows, list):
        raise Integrity(f"the table {table!r} has no rows")
    columns = names(table)
    marks = ", ".join("?" * len(columns))
    try:
        tx.executemany(
            f"INSERT INTO {table} ({TABLES[table][0]}) VALUES ({marks})", (_row(table, columns, row) for row in rows)
        )
    except Integrity:
        raise
    except TakebackError as error:
        raise Integrity(f"the table {table!r} holds a row that cannot be: {error.message}") from error


def _row(table: str, columns: list[str], row: Any) -> Row:
    if not isinstance(row, list) or len(row) != len(columns):
        raise Integrity(f"a row of the table {table!r} is not one")
    return tuple(_value(table, column, value) for column, value in zip(columns, row, strict=True))


def _value(table: str, column: str, value: Any) -> Any:
    if value is None or (type(value) is int and -_MOST < value < _MOST):
        return value
    if isinstance(value, str):
        try:
            return bytes.fromhex(value) if (table, column) in _BYTES else value.encode().decode()
        except ValueError as error:
            raise Integrity(f"the {column!r} of a row of {table!r} is not text, or no bytes") from error
    raise Integrity(f"the {column!r} of a row of {table!r} is neither a number nor text")
