"""The log of everything that takeback did to the world or to its own history."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from takeback.model.jsontext import parse_object
from takeback.store.catalogue.counters import next_value, value
from takeback.store.catalogue.database import Transaction
from takeback.store.catalogue.rows import OPTIONAL_NUMBER, all_checked

_END = 1 << 62


class Operation(NamedTuple):
    seq: int
    timeline: int | None
    time_ns: int
    verb: str
    detail: Mapping[str, Any]


def add(tx: Transaction, timeline: int | None, time_ns: int, verb: str, **detail: Any) -> None:
    tx.execute(
        "INSERT INTO operations (seq, timeline, time_ns, verb, detail) VALUES (?, ?, ?, ?, ?)",
        (next_value(tx, "operations"), timeline, time_ns, verb, json.dumps(detail)),
    )


def decode(detail: str) -> dict[str, Any]:
    """An operation's detail; Integrity for text that nothing wrote."""
    return parse_object(detail, "a note in the catalogue's log of operations")


def newest(tx: Transaction, limit: int, timeline: int | None = None, before_seq: int | None = None) -> list[Operation]:
    """The newest first; only those of a timeline, or before one."""
    sql = "SELECT seq, timeline, time_ns, verb, detail FROM operations WHERE seq < ?"
    params: list[object] = [_END if before_seq is None else before_seq]
    if timeline is not None:
        sql, params = sql + " AND timeline = ?", [*params, timeline]
    rows = tx.execute(f"{sql} ORDER BY seq DESC LIMIT {int(limit)}", params)
    return [
        Operation(seq, line, time_ns, verb, decode(detail))
        for seq, line, time_ns, verb, detail in all_checked("operations", rows, (int, OPTIONAL_NUMBER, int, str, str))
    ]


def last(tx: Transaction) -> int:
    """The number of the newest operation."""
    return value(tx, "operations")


def count_since(tx: Transaction, seq: int, timeline: int) -> int:
    """How many operations after one were about a timeline, or about all of them."""
    sql = "SELECT count(*) FROM operations WHERE seq > ? AND (timeline = ? OR timeline IS NULL)"
    return int(tx.execute(sql, (seq, timeline))[0][0])


def timeline_of(tx: Transaction, snapshot: str) -> int | None:
    """The timeline on which a snapshot was recorded, which need not be there any more."""
    if not snapshot.isalnum():
        return None
    sql = "SELECT timeline FROM operations WHERE timeline IS NOT NULL AND detail LIKE ? ORDER BY seq LIMIT 1"
    found = tx.execute(sql, (f'%"snapshot": "{snapshot}"%',))
    return int(found[0][0]) if found else None
