"""A catalogue that is a database, but not ours: foreign objects in its schema, and values that no takeback writes."""

from __future__ import annotations

import itertools
import shutil
from pathlib import Path

import apsw
import pytest

from support import campaigns
from support.confined import copy
from support.enemy import REFUSED, Enemy

FOREIGN = {
    "a trigger": "CREATE TRIGGER t AFTER INSERT ON operations BEGIN DELETE FROM snapshots; END",
    "a view": "CREATE VIEW v AS SELECT * FROM snapshots",
    "a view for a table": "ALTER TABLE pins RENAME TO p; CREATE VIEW pins AS SELECT snapshot FROM p",
    "a virtual table": "CREATE VIRTUAL TABLE v USING fts5(x)",
    "a table more": "CREATE TABLE more (x)",
    "a table less": "DROP TABLE pins",
    "a column more": "ALTER TABLE labels ADD COLUMN more TEXT",
    "a computed column": "ALTER TABLE labels ADD COLUMN more TEXT AS (hex(zeroblob(100000000)))",
    "an index over an expression": "CREATE INDEX i ON labels (hex(zeroblob(10)))",
}


@pytest.mark.parametrize("sql", FOREIGN.values(), ids=FOREIGN)
def test_a_schema_that_is_not_ours_is_refused(tmp_path: Path, sql: str) -> None:
    enemy = Enemy(tmp_path)
    enemy.nothing_special()
    enemy.sql(sql)
    for command, ended in enemy.trial(("status",), ("save",), ("verify",), ("maintain",)).items():
        assert ended.code == REFUSED, (command, ended)


def test_a_missing_index_is_no_reason_to_refuse(tmp_path: Path) -> None:
    enemy = Enemy(tmp_path)
    enemy.nothing_special()
    enemy.sql("DROP INDEX labels_by_name")
    assert {ended.code for ended in enemy.trial(("show", "evil"), ("save",)).values()} == {0}


VALUES = {
    "NULL": None,
    "text": "text",
    "text that is none": apsw.zeroblob(0),  # see `_change`
    "bytes": b"\xff\x00bytes",
    "a fraction": 1.5,
    "negative": -1,
    "the largest number": (1 << 63) - 1,
    "escapes": "\x1b[2J\x1b]0;owned\x07\nsecond line",
    "JSON of another kind": "[[[]]]",
    "deep JSON": "[" * 100_000,
}
TABLES = (
    "blobs", "counters", "frames", "hot", "journals", "labels", "moves", "operations", "packs", "pins", "snapshots",
    "takes", "timelines",
)  # fmt: skip
COMMANDS = [
    ("log", "--json"),
    ("show", "evil"),
    ("save",),
    ("undo", "--yes"),
    ("restore", "evil", "--yes"),
    ("drop", "evil", "--yes"),
    ("verify", "--read-data"),
    ("prune", "--keep-last", "1", "--yes"),
    ("maintain",),
    ("stats",),
]


def _change(enemy: Enemy, table: str, column: str, what: str) -> None:
    """Put a value into every row of a column, past all constraints."""
    schema = "SELECT sql FROM sqlite_schema WHERE name = ?"
    database = apsw.Connection(str(enemy.place / "catalogue.db"))
    database.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 0)
    (sql,) = next(database.execute(schema, (table,)))
    database.execute("PRAGMA writable_schema = ON")
    loose = sql.replace("NOT NULL", "")
    database.execute("UPDATE sqlite_schema SET sql = ? WHERE name = ?", (loose, table))
    database.close()
    database = apsw.Connection(str(enemy.place / "catalogue.db"))
    database.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 0)
    value = "CAST(x'fffe' AS TEXT)" if what == "text that is none" else "?"
    try:
        database.execute(f'UPDATE OR REPLACE {table} SET "{column}" = {value}', () if value != "?" else (VALUES[what],))
    except apsw.ConstraintError:
        pass  # a key of a table without row numbers takes no NULL
    database.execute("PRAGMA writable_schema = ON")
    database.execute("UPDATE sqlite_schema SET sql = ? WHERE name = ?", (sql, table))
    database.close()


def _columns(place: Path) -> list[tuple[str, str]]:
    database = apsw.Connection(str(place / "catalogue.db"))
    found = [(table, row[1]) for table in TABLES for row in database.execute(f"PRAGMA table_info({table})")]
    database.close()
    return found


@pytest.mark.campaign("hostile-catalogue")
@pytest.mark.parametrize("table", TABLES)
def test_values_that_no_row_holds_end_in_words(tmp_path: Path, table: str) -> None:
    """Some columns of every table, with a value of the wrong kind; each value is tried on some column of some table, and
    `make soak` tries every value on every column."""
    values = itertools.cycle(VALUES)
    for _ in range(4 * [*TABLES].index(table)):
        next(values)  # another one first for each table
    base, aside = Enemy(tmp_path), tmp_path / "aside"
    base.nothing_special()
    base.line.label("@", "good")
    base.line.pin("@")
    base.store.close()
    columns = [column for each, column in _columns(base.place) if each == table]
    assert columns
    for column in campaigns.pick(columns, 4):
        for what in VALUES if campaigns.running() else (next(values),):
            copy(base.place, aside)
            _change(base, table, column, what)
            base.trial(*COMMANDS)
            for used in (base.place, tmp_path / "trials"):
                shutil.rmtree(used)
            aside.rename(base.place)
