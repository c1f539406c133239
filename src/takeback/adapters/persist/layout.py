"""The snapshot file: how its parts lie in it, and what has to agree.

::

    {"metadata": {eleven fields}, "metadata_hash": …, "agent_state": …, "state_hash": …}

compact JSON, compressed. ``content_hash`` in the metadata is the SHA-256 of the state's compact text with sorted keys
and ``uncompressed_size`` that text's length, as Persist has it. The two hashes beside them are takeback's own, and
Persist passes over them: of the metadata, which content_hash leaves out, and of the state's text as it stands, with the
agent's own order of keys, so that a file is verified without holding it in memory. Persist's own files have neither.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from takeback.adapters.persist import encoding
from takeback.adapters.persist.compression import algorithm_for, algorithm_of, compressed, text_of
from takeback.adapters.persist.errors import PersistError, PersistIntegrityError, PersistNotFoundError, unusable
from takeback.adapters.persist.metadata import Metadata, check_found, checksum, make
from takeback.adapters.persist.placing import replace
from takeback.adapters.persist.reading import LARGEST, JsonText, too_large

_DAMAGED = ["restore from another snapshot, or from a copy of this one"]


class Snapshot(NamedTuple):
    """A file that was read whole and is sound."""

    metadata: Metadata
    state: Any
    """Plain data: the agent's text in JSON, read."""
    is_own: bool
    """Whether it was written here, and not by Persist."""


def write(
    path: str,
    state: Any,
    *,
    agent_id: str,
    session_id: str,
    snapshot_index: int,
    description: str | None,
    largest: int = LARGEST,
) -> None:
    """Replace ``path`` by a snapshot of plain data."""
    content_hash, size = _canonical(state)
    if size > largest:
        raise too_large("the agent", largest)
    algorithm = algorithm_for(path)
    metadata = make(agent_id, session_id, snapshot_index, description, content_hash, size, algorithm)
    replace(path, compressed(_text(metadata, state), algorithm))


def read_metadata(path: str) -> Metadata:
    """The metadata, and nothing after it; its own checksum, if there is one, holds."""
    with _opened(path, LARGEST) as (text, size):
        metadata: Metadata | None = None
        for name in text.members():
            if name == "metadata":
                metadata = check_found(text.small(), path)
            elif name == "metadata_hash" and metadata is not None:
                _check_metadata(metadata, text.small(), path)
                break
            elif metadata is not None:
                break
            else:
                text.value(keep=False)
        if metadata is None:
            raise PersistIntegrityError(f"{path} is damaged: it has no metadata", hints=_DAMAGED)
        return {**metadata, "compressed_size": size}


def read(path: str, *, keep: bool = True, largest: int = LARGEST) -> Snapshot:
    """All of a file, every hash checked; without ``keep`` the state is only checked, in little memory."""
    found: dict[str, Any] = {}
    raw_hash = ""
    with _opened(path, largest) as (text, size):
        for name in text.members():
            if name == "agent_state":
                found[name], raw_hash = text.hashed(keep=keep)
            elif name in ("metadata", "metadata_hash", "state_hash"):
                found[name] = text.small()
            else:
                text.value(keep=False)
        length = text.length
    if "agent_state" not in found or "metadata" not in found:
        raise PersistIntegrityError(f"{path} is damaged: it has no metadata or no agent_state", hints=_DAMAGED)
    metadata = check_found(found["metadata"], path)
    if ("metadata_hash" in found) != ("state_hash" in found):
        raise PersistIntegrityError(f"{path} is damaged: one of its checksums is gone", hints=_DAMAGED)
    if "state_hash" in found:
        _check_metadata(metadata, found["metadata_hash"], path)
        if (found["state_hash"], metadata["uncompressed_size"]) != (raw_hash, length):
            raise _other_state(path)
    elif metadata["content_hash"] != raw_hash:
        if not keep:
            return read(path, largest=largest)
        if not _is_content(found["agent_state"], metadata["content_hash"]):
            raise _other_state(path)
    return Snapshot({**metadata, "compressed_size": size}, found["agent_state"], "state_hash" in found)


def is_snapshot(path: str) -> bool:
    """Whether there is a file that begins as a snapshot does."""
    try:
        with _opened(path, LARGEST) as (text, _):
            return next(text.members(), "") in ("metadata", "agent_state")
    except PersistError:
        return False


def _text(metadata: Metadata, state: Any) -> Iterator[bytes]:
    yield b'{"metadata":'
    yield from encoding.pieces(metadata, sort=False)
    yield b',"metadata_hash":"%s","agent_state":' % checksum(metadata).encode()
    digest = hashlib.sha256()
    for piece in encoding.pieces(state, sort=False):
        digest.update(piece)
        yield piece
    yield b',"state_hash":"%s"}' % digest.hexdigest().encode()


def _canonical(state: Any) -> tuple[str, int]:
    """Persist's hash of a state, and the length of what is hashed."""
    digest, size = hashlib.sha256(), 0
    for piece in encoding.pieces(state, sort=True):
        digest.update(piece)
        size += len(piece)
    return digest.hexdigest(), size


def _is_content(state: Any, content_hash: str) -> bool:
    """Whether a state has this hash although its text has not: written with spaces, in another order, or as one string
    that is the text."""
    try:
        return content_hash in (
            _canonical(state)[0],
            hashlib.sha256(state.encode()).hexdigest() if isinstance(state, str) else None,
        )
    except (UnicodeEncodeError, ValueError, RecursionError):
        return False  # no text that Persist could have hashed


@contextmanager
def _opened(path: str, largest: int) -> Iterator[tuple[JsonText, int]]:
    """The text of a file, and the file's size."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY)
        try:
            status = os.fstat(fd)
            if not stat.S_ISREG(status.st_mode):
                raise PersistNotFoundError(f"cannot read {path}: it is not a file", hints=["check the path"])
            with open(fd, "rb", closefd=False) as file:
                algorithm = algorithm_of(file.read(4))
                if algorithm is None:
                    raise PersistIntegrityError(
                        f"{path} is no snapshot: it is neither gzip nor zstd",
                        hints=["check the path; it may be another file, or overwritten"],
                    )
                file.seek(0)
                yield JsonText(text_of(file, algorithm, path), path, largest), status.st_size
        finally:
            os.close(fd)
    except PersistError:
        raise
    except OSError as error:
        raise unusable(path, "read", error) from error


def _check_metadata(metadata: Metadata, expected: object, path: str) -> None:
    if checksum(metadata) != expected:
        raise PersistIntegrityError(f"{path} is damaged: its metadata is not what was written", hints=_DAMAGED)


def _other_state(path: str) -> PersistIntegrityError:
    return PersistIntegrityError(f"{path} is damaged: the agent in it is not what was written", hints=_DAMAGED)
