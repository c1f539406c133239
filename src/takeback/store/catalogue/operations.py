"""The log of everything that takeback did to the world or to its own history."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from takeback.errors import Integrity
from takeback.store.catalogue.counters import next_value
from takeback.store.catalogue.database import Transaction


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
    try:
        value = json.loads(detail)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise Integrity("the catalogue's log of operations is damaged", hints=["takeback store repair"])
    return value


def newest(tx: Transaction, limit: int, timeline: int | None = None) -> list[Operation]:
    sql = "SELECT seq, timeline, time_ns, verb, detail FROM operations"
    params: list[object] = []
    if timeline is not None:
        sql, params = sql + " WHERE timeline = ?", [timeline]
    rows = tx.execute(f"{sql} ORDER BY seq DESC LIMIT {int(limit)}", params)
    return [Operation(seq, line, time_ns, verb, decode(detail)) for seq, line, time_ns, verb, detail in rows]
