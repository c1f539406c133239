"""Whether the catalogue's rows agree with each other, and putting right those that do not.

SQLite keeps no checksums: a flipped bit in a row leaves a sound database with a wrong row in it. Wherever one row names
another, that shows here.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from takeback.model.move import LEVELS
from takeback.store.catalogue import counters
from takeback.store.catalogue.database import Transaction
from takeback.store.catalogue.rows import checked

_LEVELS = ", ".join(f"'{level}'" for level in LEVELS)

_WRONG = {
    "snapshots": (
        "id",
        "of a timeline that does not exist",
        "timeline NOT IN (SELECT id FROM timelines)",
    ),
    "labels": ("name", "of a snapshot that does not exist", "snapshot NOT IN (SELECT id FROM snapshots)"),
    "pins": ("snapshot", "of a snapshot that does not exist", "snapshot NOT IN (SELECT id FROM snapshots)"),
    "moves": (
        "id",
        "that begins or ends at a snapshot that does not exist",
        "NOT EXISTS (SELECT 1 FROM snapshots WHERE snapshots.id = opening AND snapshots.seq = opening_seq "
        "AND snapshots.timeline = moves.timeline) OR ((closing IS NULL) <> (closing_seq IS NULL)) OR "
        "(closing IS NOT NULL AND NOT EXISTS (SELECT 1 FROM snapshots WHERE snapshots.id = closing "
        f"AND snapshots.seq = closing_seq AND snapshots.timeline = moves.timeline)) OR level NOT IN ({_LEVELS})",
    ),
    "takes": ("move", "that does not exist", "move NOT IN (SELECT id FROM moves)"),
}
"""By table: the column that names a row, what is wrong with some, and how to find those."""

_HEADS = (
    "SELECT id, name FROM timelines WHERE COALESCE(head, '') <> COALESCE((SELECT snapshots.id FROM snapshots "
    "WHERE snapshots.timeline = timelines.id ORDER BY snapshots.seq DESC LIMIT 1), '')"
)
_ORPHANS = "parent IS NOT NULL AND parent NOT IN (SELECT id FROM snapshots)"
NUMBERED = {"packs": "id", "hot": "frame", "timelines": "id", "snapshots": "seq", "moves": "seq", "operations": "seq"}
"""Tables whose rows are numbered by a counter of the same name, and the column that holds the number."""


_TEXTS = {("moves", "reported"): "[]", ("moves", "context"): "{}", ("operations", "detail"): "{}"}
"""Columns that hold JSON, and the least that each can hold."""


def inconsistencies(tx: Transaction) -> Iterator[tuple[str, str]]:
    """What does not fit together: which rows, and how."""
    for (table, column), rows in _unreadable(tx).items():
        yield f"{len(rows)} {table}", f"whose {column} cannot be read"
    for table, (column, how, wrong) in _WRONG.items():
        yield from _said(tx, table, f"SELECT {column} FROM {table} WHERE {wrong}", how)
    yield from _said(tx, "timelines", f"SELECT name FROM ({_HEADS}) AS heads", "whose latest snapshot is not its last")
    yield from _said(tx, "snapshots", f"SELECT id FROM snapshots WHERE {_ORPHANS}", "with a parent that does not exist")
    for table, column in NUMBERED.items():
        if _highest(tx, table, column) > counters.value(tx, table):
            yield f"the counter of {table}", "it is behind the numbers in use"


def mend_rows(tx: Transaction) -> None:
    """Put right what does not fit together."""
    tx.execute("DELETE FROM snapshots WHERE timeline NOT IN (SELECT id FROM timelines)")
    _join_ends(tx)
    for table, (_, _, wrong) in _WRONG.items():
        tx.execute(f"DELETE FROM {table} WHERE {wrong}")
    tx.execute(
        "UPDATE snapshots SET parent = (SELECT before.id FROM snapshots AS before WHERE before.timeline = snapshots.timeline "
        f"AND before.seq < snapshots.seq ORDER BY before.seq DESC LIMIT 1) WHERE {_ORPHANS}"
    )
    for table, column in NUMBERED.items():
        counters.at_least(tx, table, _highest(tx, table, column))


def mend_texts(tx: Transaction) -> None:
    """Empty what should be JSON and is not; an operation of which nothing is known goes."""
    for (table, column), rows in _unreadable(tx).items():
        if table == "operations":
            tx.executemany("DELETE FROM operations WHERE seq = ?", ((seq,) for seq in rows))
        else:
            least = _TEXTS[table, column]
            tx.executemany(f"UPDATE {table} SET {column} = ? WHERE seq = ?", ((least, seq) for seq in rows))


def _unreadable(tx: Transaction) -> dict[tuple[str, str], list[int]]:
    """The numbers of rows whose JSON is none, or of another kind."""
    found: dict[tuple[str, str], list[int]] = {}
    for (table, column), least in _TEXTS.items():
        for seq, text in tx.execute(f"SELECT seq, {column} FROM {table}"):
            try:
                good = type(json.loads(text)) is type(json.loads(least))
            except (ValueError, TypeError, RecursionError):
                good = False
            if not good:
                found.setdefault((table, column), []).append(seq)
    return found


def _highest(tx: Transaction, table: str, column: str) -> int:
    rows = tx.execute(f"SELECT COALESCE(MAX({column}), 0) FROM {table}")
    (number,) = checked(table, rows[0], (int,))
    return int(number)


def _join_ends(tx: Transaction) -> None:
    """Where a move's end is named twice, by id and by place, the id counts."""
    for end in ("opening", "closing"):
        tx.execute(
            f"UPDATE moves SET {end}_seq = (SELECT seq FROM snapshots WHERE snapshots.id = moves.{end}) "
            f"WHERE {end} IN (SELECT id FROM snapshots)"
        )


def _said(tx: Transaction, table: str, sql: str, how: str) -> Iterator[tuple[str, str]]:
    rows = tx.execute(sql)
    if rows:
        first = str(rows[0][0])
        yield f"{len(rows)} {table}", f"{how}: {first[:12]}{' and others' if len(rows) > 1 else ''}"
