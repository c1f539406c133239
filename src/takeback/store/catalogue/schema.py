"""The tables of the catalogue, format 1.

Paths and blob ids are bytes, other ids are text, times are nanoseconds since 1970. ``seq`` numbers come from
`counters`, so that they are never used twice.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from takeback.errors import Integrity
from takeback.store.catalogue.database import Row

FORMAT = 1

TABLES = (
    # -- counters: `generation` (see leases), `swept`, and one for each table that numbers its rows
    "CREATE TABLE counters (name TEXT PRIMARY KEY, value BIGINT NOT NULL)",
    "INSERT INTO counters (name, value) VALUES ('generation', 1), ('swept', 0)",
    # -- blobs: where each blob lies. Pack 0 is the hot rows, `frame` is then the hot frame
    """CREATE TABLE packs (
        id BIGINT PRIMARY KEY, name TEXT NOT NULL UNIQUE, state TEXT NOT NULL, generation BIGINT NOT NULL,
        size BIGINT NOT NULL, raw_size BIGINT NOT NULL, created_ns BIGINT NOT NULL)""",
    """CREATE TABLE frames (
        pack BIGINT NOT NULL, frame BIGINT NOT NULL, position BIGINT NOT NULL, length BIGINT NOT NULL,
        raw_length BIGINT NOT NULL, PRIMARY KEY (pack, frame))""",
    """CREATE TABLE blobs (
        id {bytes} PRIMARY KEY, kind BIGINT NOT NULL, pack BIGINT NOT NULL, frame BIGINT NOT NULL,
        start BIGINT NOT NULL, length BIGINT NOT NULL){without_rowid}""",
    "CREATE INDEX blobs_by_pack ON blobs (pack, frame)",
    "CREATE TABLE hot (frame BIGINT PRIMARY KEY, data {bytes} NOT NULL, raw_length BIGINT NOT NULL)",
    # -- history: timelines and their snapshots, names and marks, moves, the log of operations
    """CREATE TABLE timelines (
        id BIGINT PRIMARY KEY, root {bytes} NOT NULL, name TEXT NOT NULL, created_ns BIGINT NOT NULL, head TEXT,
        fork_of TEXT, UNIQUE (root, name))""",
    """CREATE TABLE snapshots (
        seq BIGINT PRIMARY KEY, id TEXT NOT NULL UNIQUE, timeline BIGINT NOT NULL, parent TEXT,
        time_ns BIGINT NOT NULL, "trigger" TEXT NOT NULL, session TEXT NOT NULL, manifest {bytes} NOT NULL,
        changed BIGINT NOT NULL, mixed BIGINT NOT NULL)""",
    "CREATE INDEX snapshots_by_timeline ON snapshots (timeline, seq)",
    "CREATE INDEX snapshots_by_time ON snapshots (timeline, time_ns)",
    """CREATE TABLE labels (
        snapshot TEXT NOT NULL, name TEXT NOT NULL, added_ns BIGINT NOT NULL, PRIMARY KEY (snapshot, name))""",
    "CREATE INDEX labels_by_name ON labels (name)",
    "CREATE TABLE pins (snapshot TEXT PRIMARY KEY)",
    """CREATE TABLE moves (
        seq BIGINT PRIMARY KEY, id TEXT NOT NULL UNIQUE, timeline BIGINT NOT NULL, session TEXT NOT NULL,
        level TEXT NOT NULL, verb TEXT NOT NULL, title TEXT NOT NULL, key TEXT NOT NULL, reported TEXT NOT NULL,
        opening TEXT NOT NULL, opening_seq BIGINT NOT NULL, closing TEXT, closing_seq BIGINT,
        opened_ns BIGINT NOT NULL, closed_ns BIGINT, undone_by TEXT, context TEXT NOT NULL)""",
    "CREATE INDEX moves_by_timeline ON moves (timeline, seq)",
    "CREATE INDEX moves_by_closing ON moves (timeline, closing_seq)",
    "CREATE INDEX moves_by_level ON moves (timeline, level, opening_seq)",
    "CREATE TABLE takes (move TEXT NOT NULL, target TEXT NOT NULL, PRIMARY KEY (move, target))",
    "CREATE INDEX takes_by_target ON takes (target)",
    """CREATE TABLE operations (
        seq BIGINT PRIMARY KEY, timeline BIGINT, time_ns BIGINT NOT NULL, verb TEXT NOT NULL, detail TEXT NOT NULL)""",
    # -- journals: restores that have begun, by the real root they change, or by the lock of what has none
    """CREATE TABLE journals (
        root {bytes} PRIMARY KEY, timeline BIGINT NOT NULL, plan {bytes} NOT NULL, safety TEXT NOT NULL,
        started_ns BIGINT NOT NULL)""",
)

SQLITE_TYPES = {"bytes": "BLOB", "without_rowid": " WITHOUT ROWID"}


def statements(types: dict[str, str]) -> list[str]:
    """The schema in the words of one database."""
    return [table.format(**types) for table in TABLES]


def check_objects(objects: Iterable[Row]) -> None:
    """Integrity unless the tables of a SQLite catalogue (rows of type, name and sql) are exactly these and nothing else
    is there: a trigger, a view, a virtual table or a column that is computed would run what its author wants. An index
    may be missing: without it a query is slower, not another."""
    known = _known_objects()
    found = {(str(kind), str(name)): _words(str(sql)) for kind, name, sql in objects}
    strange = [name for (kind, name), sql in found.items() if known.get((kind, name)) != sql]
    strange += [name for kind, name in known if kind == "table" and (kind, name) not in found]
    if strange:
        raise Integrity(
            f"the catalogue is not one of ours: {strange[0][:40]!r} is not as it should be",
            hints=["put catalogue.db back from a copy of the store"],
        )


@cache
def _known_objects() -> dict[tuple[str, str], str]:
    known = {}
    for statement in statements(SQLITE_TYPES):
        words = statement.split()
        if words[0] == "CREATE":
            known[words[1].lower(), words[2]] = _words(statement)
    return known


def _words(sql: str) -> str:
    return " ".join(sql.split())
