"""All that can be seen of a container from outside, by other means than takeback's: what the engine exports, what it says
that changed, its volumes as they lie on the disk, and its description without the ids and times that are each container's own."""

from __future__ import annotations

import hashlib
import io
import os
import re
import stat
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support.containers.boxes import Engine

Entry = tuple[object, ...]
"""Kind, mode, owner, group, time, size, target or device, and a hash of what is in it."""

_ID = re.compile(r"\b[0-9a-f]{64}\b")
_TIME = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d.*")
_CHOSEN = {"Pid", "EndpointID", "SandboxID", "SandboxKey", "NetworkID", "IPAddress", "MacAddress", "GlobalIPv6Address"}
"""What the engine chooses anew for every container that runs."""
_ENGINES = {"dev", "proc", "sys", ".dockerenv", "etc/hostname", "etc/hosts", "etc/resolv.conf", "etc/mtab"}
"""What the engine puts there itself."""


@dataclass(frozen=True)
class Look:
    """Equal if and only if the containers are."""

    settings: dict[str, Any]
    files: dict[str, Entry]
    changes: tuple[tuple[int, str], ...]
    volumes: dict[str, dict[str, Entry]]
    """By the place where they are mounted."""

    def differences(self, other: Look) -> list[str]:
        """In what another one differs, in words for a failure."""
        found = [f"changes: {sorted(set(self.changes) ^ set(other.changes))}"] if self.changes != other.changes else []
        pairs = [("settings", _flat(self.settings), _flat(other.settings)), ("files", self.files, other.files)]
        pairs += [
            (where, self.volumes.get(where, {}), other.volumes.get(where, {})) for where in self.volumes | other.volumes
        ]
        for name, mine, theirs in pairs:
            keys = sorted(key for key in mine.keys() | theirs.keys() if mine.get(key) != theirs.get(key))
            found += [f"{name}: {key}: {mine.get(key)} and {theirs.get(key)}" for key in keys]
        return found


def _flat(value: Any, above: str = "") -> dict[str, Any]:
    """A nested mapping as one of paths."""
    if not isinstance(value, dict):
        return {above: value}
    return {path: each for name, inner in value.items() for path, each in _flat(inner, f"{above}.{name}").items()}


def look(engine: Engine, name: str) -> Look:
    raw = engine.api.inspect_container(name)
    found = sorted((each["Kind"], each["Path"]) for each in engine.api.diff(name) or [])
    volumes = {
        mount["Destination"]: dict(_on_disk(Path(mount["Source"])))
        for mount in raw["Mounts"]
        if mount["Type"] == "volume"
    }
    return Look(settings(raw), dict(_exported(engine, name)), tuple(found), volumes)


def settings(raw: dict[str, Any]) -> dict[str, Any]:
    """A description in which only what is the container's own nature is left."""
    cleaned: dict[str, Any] = _without_chosen(raw, (raw["Id"], raw["Id"][:12]))
    cleaned["Mounts"].sort(key=lambda mount: mount["Destination"])
    cleaned.pop("GraphDriver")
    # A volume that nobody named is the restored container's, too, which has to name it for that.
    binds = cleaned["HostConfig"]["Binds"] or []
    cleaned["HostConfig"]["Binds"] = sorted(each for each in binds if ":" in each.removeprefix("id:"))
    for network in cleaned["NetworkSettings"]["Networks"].values():
        for names in ("Aliases", "DNSNames"):
            if network.get(names):
                network[names] = sorted(network[names])
    return cleaned


def _without_chosen(value: Any, ids: tuple[str, ...], key: str = "") -> Any:
    if isinstance(value, dict):
        return {name: _without_chosen(each, ids, name) for name, each in value.items()}
    if isinstance(value, list):
        return [_without_chosen(each, ids) for each in value]
    if key == "Hostname":
        return value  # its successor has the same, also where it was chosen
    if key in _CHOSEN or (isinstance(value, str) and _TIME.match(value)):
        return "chosen" if value else value
    if isinstance(value, str):
        for id in ids:
            value = value.replace(id, "id")
        return _ID.sub("id", value) if key != "Image" else value
    return value


def _exported(engine: Engine, name: str) -> Iterator[tuple[str, Entry]]:
    with tarfile.open(fileobj=io.BytesIO(b"".join(engine.api.export(name)))) as archive:
        for each in archive:
            path = each.name.rstrip("/")
            if path in _ENGINES or path.partition("/")[0] in ("dev", "proc", "sys"):
                continue
            content = archive.extractfile(each).read() if each.isreg() else b""  # type: ignore[union-attr]
            time = 0 if each.isdir() else int(each.mtime)
            device = (each.devmajor, each.devminor) if each.ischr() or each.isblk() else each.linkname
            yield path, (each.type, each.mode, each.uid, each.gid, time, each.size, device, _hash(content))


def _on_disk(root: Path) -> Iterator[tuple[str, Entry]]:
    for directory, below, names in os.walk(root):
        for name in sorted([*below, *names]):
            path = os.path.join(directory, name)
            state = os.lstat(path)
            kind, mode = stat.S_IFMT(state.st_mode), stat.S_IMODE(state.st_mode)
            target = os.readlink(path) if stat.S_ISLNK(state.st_mode) else state.st_rdev
            data = Path(path).read_bytes() if stat.S_ISREG(state.st_mode) else b""
            time = 0 if stat.S_ISDIR(state.st_mode) else int(state.st_mtime)
            yield (
                os.path.relpath(path, root),
                (kind, mode, state.st_uid, state.st_gid, time, len(data), target, _hash(data)),
            )


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]
