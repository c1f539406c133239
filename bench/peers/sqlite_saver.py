"""LangGraph's own SqliteSaver, as its documentation opens it."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from langgraph.checkpoint.sqlite import SqliteSaver


def open_saver(place: Path) -> SqliteSaver:
    """On a database of its own, with the durability that takeback has: a write-ahead log that every commit syncs."""
    place.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(place / "checkpoints.sqlite", check_same_thread=False)
    saver = SqliteSaver(connection)
    saver.setup()
    asked = [connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("journal_mode", "synchronous")]
    if asked != ["wal", 2]:
        raise RuntimeError(f"SqliteSaver runs with another durability than takeback: {asked}")
    return saver


def close_saver(saver: SqliteSaver) -> None:
    saver.conn.close()
