"""What the CUA snapshot manager has left in a directory: files that anybody may have written, so nothing in them is believed
that was not looked at.

::

    metadata/ID.json            what is known of a snapshot, with the image that `docker commit` made of it
    volumes/ID_VOLUME.tar       each of its volumes, below a directory `volume_data`
    index.json                  what can be had from the others
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from takeback.adapters.cua.values import SnapshotTrigger
from takeback.errors import InvalidInput, NotFound
from takeback.store.durable import NotPlain, read_plain_file

VOLUME_ROOT = "volume_data"
"""What the archives of volumes call what they hold."""
_LARGEST = 16 << 20
_ID = re.compile(r"[0-9A-Za-z][0-9A-Za-z._-]{0,127}")
_CONTAINER = re.compile(r"[a-zA-Z0-9][a-zA-Z0-9_.-]{0,254}")
_CONFIG = ("Cmd", "Domainname", "Entrypoint", "Env", "ExposedPorts", "Labels", "OpenStdin", "Tty", "User", "WorkingDir")
"""What is taken over of a container's configuration. The host's paths are not: a restore would mount them."""


@dataclass(frozen=True)
class Found:
    """A snapshot that the other manager has left."""

    id: str
    container: str
    container_id: str
    timestamp: datetime
    trigger: SnapshotTrigger
    image_id: str
    image_tag: str
    config: Mapping[str, Any]
    volumes: Mapping[str, str]
    """From where they are mounted to their names."""
    archives: Mapping[str, Path]
    """Of volumes, by their names."""
    binds: tuple[str, ...]
    """Directories of the host that the container had, which the other manager did not save either."""
    said: Mapping[str, Any] = field(default_factory=dict)
    """Description, action, run and labels, as a snapshot's context has them."""


def every(directory: Path) -> Iterator[Found | InvalidInput]:
    """All snapshots in a directory, oldest first; an error for each file that is none."""
    place = directory / "metadata"
    if not place.is_dir():
        raise NotFound(
            f"{directory} holds no snapshots of the CUA snapshot manager: it has no directory `metadata`",
            hints=["it is called .snapshots unless its storage_path said otherwise"],
        )
    found: list[Found] = []
    for path in sorted(place.glob("*.json")):
        try:
            found.append(_read(directory, path))
        except InvalidInput as error:
            yield error
    yield from sorted(found, key=lambda each: each.timestamp)


def _read(directory: Path, path: Path) -> Found:
    try:
        raw = json.loads(read_plain_file(str(path), _LARGEST))
        if not isinstance(raw, dict):
            raise ValueError("it is no object")
        return _found(directory, raw)
    except (OSError, NotPlain, ValueError, TypeError, KeyError, RecursionError) as error:
        raise InvalidInput(f"{path} tells of no snapshot: {error}") from error


def _found(directory: Path, raw: Mapping[str, Any]) -> Found:
    id, container = _matching(_ID, raw["snapshot_id"]), _matching(_CONTAINER, raw["container_name"])
    agent = _mapping(raw.get("agent_metadata"))
    mounts = [each for each in agent.get("original_mounts") or () if isinstance(each, Mapping)]
    named = [each for each in mounts if each.get("Type") == "volume" and each.get("Name") and each.get("Destination")]
    volumes = {str(each["Destination"]): _matching(_CONTAINER, each["Name"]) for each in named}
    return Found(
        id=id,
        container=container,
        container_id=str(raw.get("container_id") or ""),
        timestamp=_when(raw.get("timestamp")),
        trigger=SnapshotTrigger(raw.get("trigger", "manual")),
        image_id=str(raw.get("image_id") or ""),
        image_tag=str(raw.get("image_tag") or ""),
        config={key: value for key, value in _mapping(agent.get("original_config")).items() if key in _CONFIG},
        volumes=volumes,
        archives=dict(_archives(directory, id, volumes.values())),
        binds=tuple(str(each.get("Source")) for each in mounts if each.get("Type") == "bind"),
        said={
            "description": _text(raw.get("description")),
            "action_context": _text(raw.get("action_context")),
            "run_id": _text(raw.get("run_id")),
            "labels": {str(key): str(value) for key, value in _mapping(raw.get("labels")).items()},
        },
    )


def _archives(directory: Path, id: str, names: Any) -> Iterator[tuple[str, Path]]:
    for name in names:
        path = directory / "volumes" / f"{id}_{name}.tar"
        if path.is_file() and not path.is_symlink():
            yield name, path


def strays(directory: Path, known: set[Path]) -> list[str]:
    """Archives of volumes that no snapshot tells of."""
    place = directory / "volumes"
    there = {place / name for name in os.listdir(place)} if place.is_dir() else set()
    return sorted(str(path) for path in there - known)


def _when(said: Any) -> datetime:
    when = datetime.fromisoformat(str(said))
    return when.astimezone().replace(tzinfo=None) if when.tzinfo is not None else when


def _matching(pattern: re.Pattern[str], value: Any) -> str:
    text = str(value)
    if not pattern.fullmatch(text):
        raise ValueError(f"{text!r:.60} cannot be a name")
    return text


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None
