"""The metadata of a snapshot file: Persist's eleven fields, and the checksum of their own that takeback adds.

``compressed_size`` is null in every file, Persist's and ours: a file cannot hold its own compressed length, and Persist
expects null or a number. Whoever reads it gets the file's real size (`layout.read_metadata`).
"""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from takeback.adapters.persist import encoding
from takeback.adapters.persist.errors import PersistConfigurationError, PersistIntegrityError, PersistUnavailableError

FORMAT_VERSION = 1
LARGEST = 1 << 16
"""Characters of the metadata, most of them a description's: it is read whole before anything else."""

_NUMBERS = ("snapshot_index", "format_version", "uncompressed_size")
_TEXTS = ("agent_id", "session_id", "timestamp", "content_hash", "snapshot_id", "compression_algorithm")
_HIGHEST = (1 << 64) - 1

Metadata = dict[str, Any]


def make(
    agent_id: str,
    session_id: str,
    snapshot_index: int,
    description: str | None,
    content_hash: str,
    size: int,
    algorithm: str,
) -> Metadata:
    """The eleven fields, in Persist's order."""
    return {
        "agent_id": agent_id,
        "session_id": session_id,
        "snapshot_index": snapshot_index,
        "timestamp": datetime.now(UTC).isoformat().replace("+00:00", "Z"),
        "content_hash": content_hash,
        "format_version": FORMAT_VERSION,
        "snapshot_id": str(uuid4()),
        "description": description,
        "uncompressed_size": size,
        "compressed_size": None,
        "compression_algorithm": algorithm,
    }


def check_given(agent_id: object, session_id: object, snapshot_index: object, description: object) -> None:
    """Refuse what no reader would accept."""
    for name, value in (("agent_id", agent_id), ("session_id", session_id)):
        if not isinstance(value, str) or not value:
            raise PersistConfigurationError(f"{name} must be a text that is not empty, not {value!r}")
    if not isinstance(snapshot_index, int) or isinstance(snapshot_index, bool) or not 0 <= snapshot_index <= _HIGHEST:
        raise PersistConfigurationError(f"snapshot_index must be a number from 0 on, not {snapshot_index!r}")
    if not isinstance(description, str | None):
        raise PersistConfigurationError(f"description must be a text or None, not {description!r}")
    texts = f"{agent_id}{session_id}{description}"
    try:
        texts.encode()
    except UnicodeEncodeError:
        raise PersistConfigurationError("agent_id, session_id and description must be writable as UTF-8") from None
    if len(texts) > LARGEST // 8:
        raise PersistConfigurationError(
            f"agent_id, session_id and description have {len(texts):,} characters, too many for metadata",
            hints=["keep long texts in the agent"],
        )


def check_found(value: object, path: str) -> Metadata:
    """The metadata of a file, if it is some."""
    if not isinstance(value, dict):
        raise PersistIntegrityError(f"{path} is damaged: its metadata is no object")
    for name in _TEXTS:
        if not isinstance(value.get(name), str):
            raise PersistIntegrityError(f"{path} is damaged: its metadata has no {name}")
    for name in _NUMBERS:
        if type(value.get(name)) is not int or not 0 <= value[name] <= _HIGHEST:
            raise PersistIntegrityError(f"{path} is damaged: its metadata has no {name}")
    if not isinstance(value.get("description"), str | None):
        raise PersistIntegrityError(f"{path} is damaged: the description in its metadata is no text")
    if value["format_version"] > FORMAT_VERSION:
        raise PersistUnavailableError(
            f"{path} has format {value['format_version']}, and this takeback reads up to {FORMAT_VERSION}",
            hints=["use a newer takeback"],
        )
    return value


def checksum(metadata: Metadata) -> str:
    """SHA-256 of the metadata in compact JSON, keys sorted."""
    digest = hashlib.sha256()
    for piece in encoding.pieces(metadata, sort=True):
        digest.update(piece)
    return digest.hexdigest()
