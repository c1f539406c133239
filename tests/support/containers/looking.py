"""All that can be seen of a container from outside, by other means than takeback's: its files as the kernel mounts them, the changes
that the engine lists, its volumes as they lie on the disk, and its description without the ids and times that are each container's own."""

from __future__ import annotations

import hashlib
import os
import re
import stat
import subprocess
import tempfile
from collections.abc import Container, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support.containers.boxes import Engine

Entry = tuple[object, ...]
"""Kind, mode, owner, group, time, size, target or device, a hash of what is in it, and of files with several names the first."""

_ID = re.compile(r"\b[0-9a-f]{64}\b")
_TIME = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d.*")
_CHOSEN = {"Pid", "EndpointID", "SandboxID", "SandboxKey", "NetworkID", "IPAddress", "MacAddress", "GlobalIPv6Address"}
"""What the engine chooses anew for every container that runs."""
_ENGINES = {"dev", "proc", "sys", ".dockerenv", "etc/hostname", "etc/hosts", "etc/resolv.conf", "etc/mtab"}
"""What the engine puts there itself."""
_LARGE = 1 << 20


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
    with _root(raw) as root:
        return Look(settings(raw), dict(_on_disk(root, but=_ENGINES)), tuple(found), volumes)


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


@contextmanager
def _root(raw: dict[str, Any]) -> Iterator[Path]:
    """The container's files in one tree, without its volumes: as the kernel mounts them for it, or would."""
    driver = raw["GraphDriver"]
    assert driver["Name"] == "overlay2"
    place = driver["Data"]
    if os.path.ismount(place["MergedDir"]):
        yield Path(place["MergedDir"])
        return
    with tempfile.TemporaryDirectory(prefix="takeback-look-") as directory:
        layers = f"lowerdir={place['UpperDir']}:{place['LowerDir']}"
        subprocess.run(["mount", "-t", "overlay", "-o", f"ro,{layers}", "overlay", directory], check=True)
        try:
            yield Path(directory)
        finally:
            subprocess.run(["umount", directory], check=True)


def _on_disk(root: Path, *, but: Container[str] = ()) -> Iterator[tuple[str, Entry]]:
    first: dict[tuple[int, int], str] = {}
    for directory, below, names in os.walk(root):
        here = os.path.relpath(directory, root)
        if here == ".":
            here = ""
            below[:] = [each for each in below if each not in but]
        below.sort()
        for name in sorted([*below, *names]):
            path, inner = os.path.join(directory, name), os.path.join(here, name)
            if inner in but:
                continue
            state = os.lstat(path)
            if stat.S_ISSOCK(state.st_mode):
                continue
            kind, mode = stat.S_IFMT(state.st_mode), stat.S_IMODE(state.st_mode)
            target: object = os.readlink(path) if stat.S_ISLNK(state.st_mode) else state.st_rdev
            time = 0 if stat.S_ISDIR(state.st_mode) else int(state.st_mtime)
            content = _content(path, state) if stat.S_ISREG(state.st_mode) else ""
            same = first.setdefault((state.st_dev, state.st_ino), inner) if state.st_nlink > 1 and content else inner
            size = 0 if stat.S_ISDIR(state.st_mode) else state.st_size
            yield inner, (kind, mode, state.st_uid, state.st_gid, time, size, target, content, same)


_known: dict[tuple[int, ...], str] = {}


def _content(path: str, state: os.stat_result) -> str:
    """A hash of a file. The one of the image's large program is kept: it has not been changed for a long time."""
    large = state.st_size > _LARGE
    key = (state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns)
    if large and key in _known:
        return _known[key]
    found = _hash(Path(path).read_bytes())
    if large:
        _known[key] = found
    return found


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]
