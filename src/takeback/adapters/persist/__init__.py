"""Persist's interface (snapshot files of agents), for code that was written for it: ``import takeback.adapters.persist
as persist`` is the only change. It reads Persist's files and writes files that Persist reads.

What is more than in Persist are keywords: ``leave_out`` and ``supply`` for what cannot be written, ``allowed_objects`` for
what may come back, ``max_size`` for very large agents, and `allow`. docs/persist.md tells what differs, and why.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

from takeback.adapters.persist import layout
from takeback.adapters.persist.errors import (
    PersistCompressionError,
    PersistConfigurationError,
    PersistError,
    PersistIntegrityError,
    PersistNotFoundError,
    PersistS3Error,
    PersistUnavailableError,
    unusable,
)
from takeback.adapters.persist.known import allow
from takeback.adapters.persist.loading import AllowedObjects
from takeback.adapters.persist.metadata import check_given
from takeback.adapters.persist.reading import LARGEST

__all__ = [
    "snapshot",
    "restore",
    "get_metadata",
    "verify_snapshot",
    "snapshot_exists",
    "delete_snapshot",
    "allow",
    "PersistError",
    "PersistConfigurationError",
    "PersistIntegrityError",
    "PersistCompressionError",
    "PersistS3Error",
    "PersistNotFoundError",
    "PersistUnavailableError",
]

__version__ = "0.1.0"
"""Of the interface: Persist's."""

Path = str | os.PathLike[str]


def snapshot(
    agent: Any,
    path: Path,
    agent_id: str = "default_agent",
    session_id: str = "default_session",
    snapshot_index: int = 0,
    description: str | None = None,
    storage_mode: str | None = None,
    s3_bucket: str | None = None,
    s3_region: str | None = None,
    *,
    leave_out: Iterable[str] = (),
    max_size: int = LARGEST,
) -> None:
    """Write an agent to a file, which has the old content or the new one whatever happens.

    What would not come back is refused now: it is read again in memory before anything is written. ``leave_out`` names
    what the file need not hold, as ``"llm"`` or ``"memory.llm"``: `restore` is supplied with it.
    """
    from takeback.adapters.persist.dumping import Dumper
    from takeback.adapters.persist.proving import prove

    place = _local(path, storage_mode, s3_bucket, s3_region)
    check_given(agent_id, session_id, snapshot_index, description)
    names = {leave_out} if isinstance(leave_out, str) else set(leave_out)
    dumper = Dumper(names)
    try:
        state = dumper.dump(agent)
        if unknown := names - dumper.left.keys():
            raise PersistConfigurationError(
                f"leave_out names what is not in the agent: {', '.join(sorted(unknown))}",
                hints=['names are as in errors, without `agent.`: "llm", "memory.llm"'],
            )
        if dumper.has_objects:
            prove(agent, state, dumper.secrets, dumper.left)
        layout.write(
            place,
            state,
            agent_id=agent_id,
            session_id=session_id,
            snapshot_index=snapshot_index,
            description=description,
            largest=max_size,
        )
    except RecursionError:
        raise PersistConfigurationError("the agent is nested too deep, or holds itself") from None


def restore(
    path: Path,
    secrets_map: Mapping[str, str] | None = None,
    storage_mode: str | None = None,
    s3_bucket: str | None = None,
    s3_region: str | None = None,
    *,
    allowed_objects: AllowedObjects = "core",
    supply: Mapping[str, Any] | None = None,
    max_size: int = LARGEST,
) -> Any:
    """The agent of a file, made anew; the file is verified first.

    ``allowed_objects`` is what may come back besides plain data and the memories and chains that are known here:
    ``"messages"``, LangChain's ``"core"`` (the default) or ``"all"``, or classes besides core's, such as your model's.
    ``supply`` gives what was left out, or replaces what is there, by its name.
    """
    from takeback.adapters.persist.loading import Loader
    from takeback.adapters.persist.strings import unpacked

    place = _local(path, storage_mode, s3_bucket, s3_region)
    loader = Loader(allowed_objects, secrets_map, supply)
    try:
        found = layout.read(place, largest=max_size)
        agent = loader.load(found.state if found.is_own else unpacked(found.state))
    except RecursionError:
        raise PersistIntegrityError(f"{place} is nested too deep") from None
    if unused := set(supply or {}) - loader.used:
        raise PersistConfigurationError(
            f"supply names what is not in {place}: {', '.join(sorted(unused))}",
            hints=['names are as in errors, without `agent.`: "llm", "memory.llm"'],
        )
    return agent


def get_metadata(
    path: Path, storage_mode: str | None = None, s3_bucket: str | None = None, s3_region: str | None = None
) -> dict[str, Any]:
    """The eleven fields, without reading on. ``compressed_size`` is the size that the file has now."""
    return layout.read_metadata(_local(path, storage_mode, s3_bucket, s3_region))


def verify_snapshot(
    path: Path,
    storage_mode: str | None = None,
    s3_bucket: str | None = None,
    s3_region: str | None = None,
    *,
    max_size: int = LARGEST,
) -> bool:
    """True; a file that is damaged raises PersistIntegrityError."""
    place = _local(path, storage_mode, s3_bucket, s3_region)
    try:
        layout.read(place, keep=False, largest=max_size)
    except RecursionError:
        raise PersistIntegrityError(f"{place} is nested too deep") from None
    return True


def snapshot_exists(
    path: Path, storage_mode: str | None = None, s3_bucket: str | None = None, s3_region: str | None = None
) -> bool:
    _check_storage(storage_mode, s3_bucket, s3_region)
    return os.path.isfile(path)


def delete_snapshot(
    path: Path, storage_mode: str | None = None, s3_bucket: str | None = None, s3_region: str | None = None
) -> None:
    place = _local(path, storage_mode, s3_bucket, s3_region)
    try:
        os.unlink(place)
    except OSError as error:
        raise unusable(place, "delete", error) from error


def _local(path: Path, storage_mode: str | None, s3_bucket: str | None, s3_region: str | None) -> str:
    """The path, if it is one of this machine."""
    _check_storage(storage_mode, s3_bucket, s3_region)
    place = os.fsdecode(path)
    if not place or "\0" in place:
        raise PersistConfigurationError(f"{place!r} is no path of a file", hints=["name a file"])
    return place


def _check_storage(storage_mode: str | None, s3_bucket: str | None, s3_region: str | None) -> None:
    if (storage_mode or "local").lower() != "local" or s3_bucket is not None or s3_region is not None:
        raise PersistConfigurationError(
            f"snapshot files are kept on this machine, not in {storage_mode or 's3'}",
            hints=["leave storage_mode, s3_bucket and s3_region out, and copy the file to where it should be"],
        )
