"""Snapshot files as Persist itself writes them, made by hand: gzip of compact JSON, keys of the state sorted."""

from __future__ import annotations

import gzip
import hashlib
import json
from pathlib import Path
from typing import Any


def compact(value: Any, *, sort: bool = True) -> str:
    return json.dumps(value, sort_keys=sort, separators=(",", ":"), ensure_ascii=False)


def metadata(text: str, **other: Any) -> dict[str, Any]:
    """The eleven fields, for a state whose compact text is given."""
    return {
        "agent_id": "conversation_agent",
        "session_id": "default_session",
        "snapshot_index": 0,
        "timestamp": "2025-07-08T02:11:15.123456789Z",
        "content_hash": hashlib.sha256(text.encode()).hexdigest(),
        "format_version": 1,
        "snapshot_id": "1d9a3f0e-3b5c-4c5e-9f61-0a4d6a4f5c11",
        "description": "After greeting interaction",
        "uncompressed_size": len(text.encode()),
        "compressed_size": None,
        "compression_algorithm": "gzip",
        **other,
    }


def write(path: Path, state: Any, **other: Any) -> Path:
    text = compact(state)
    return put(path, f'{{"metadata":{compact(metadata(text, **other), sort=False)},"agent_state":{text}}}')


def put(path: Path, text: str | bytes) -> Path:
    """A file with any text."""
    path.write_bytes(gzip.compress(text.encode() if isinstance(text, str) else text, 6, mtime=0))
    return path


def text_of(path: Path) -> str:
    return gzip.decompress(path.read_bytes()).decode()


def persist_accepts(path: Path) -> Any:
    """The state, if Persist would read the file: it parses it all, writes the state again and compares the hash."""
    whole = json.loads(text_of(path))
    found = whole["metadata"]
    assert list(found) == list(metadata(""))
    assert found["format_version"] <= 1
    text = compact(whole["agent_state"])
    assert hashlib.sha256(text.encode()).hexdigest() == found["content_hash"]
    assert len(text.encode()) == found["uncompressed_size"]
    return whole["agent_state"]
