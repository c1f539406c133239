"""What is mounted into a container: which of it is captured, and which volumes a restored one gets."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from takeback.model.snapshot import RUNNING, NotCaptured
from takeback.sources.container.daemon import Inspected, Mount, escaped
from takeback.sources.container.settings import Settings

if TYPE_CHECKING:
    from takeback.sources.container.daemon import Daemon

_ANONYMOUS = re.compile(r"[0-9a-f]{64}")


def is_anonymous(name: str) -> bool:
    """Whether a volume's name is of the kind that the engine makes up where nobody gave one."""
    return _ANONYMOUS.fullmatch(name) is not None


def parse_bind(bind: str) -> tuple[str, str, str]:
    """``source:destination:mode`` in three: the source is a path on the engine's machine, or a volume's name; there is none
    for a volume that nobody named."""
    if ":" not in bind:
        return "", bind, ""
    source, destination, *mode = bind.split(":", 2)
    return source, destination, "".join(mode)


def mounts_of(box: Inspected) -> tuple[Mount, ...]:
    """Everything that is mounted into a container, by destination."""
    found = [_mount(each) for each in box.raw["Mounts"]]
    known = {each.destination for each in found}
    memory = [Mount("tmpfs", where) for where in box.raw["HostConfig"].get("Tmpfs") or () if where not in known]
    return tuple(sorted(found + memory, key=lambda each: each.destination))


def _mount(raw: Mapping[str, Any]) -> Mount:
    name = str(raw.get("Name") or "")
    return Mount(
        type=str(raw["Type"]),
        destination=str(raw["Destination"]),
        name=name,
        source=str(raw.get("Source") or ""),
        driver=str(raw.get("Driver") or ""),
        writable=bool(raw.get("RW", True)),
        anonymous=raw["Type"] == "volume" and is_anonymous(name),
    )


def captured(box: Inspected, *, volumes: bool = True, binds: bool = False) -> tuple[list[Mount], list[NotCaptured]]:
    """The mounts whose content belongs into a snapshot, each area once; and what does not get there, and why."""
    wanted: dict[str, Mount] = {}
    missing: list[NotCaptured] = []
    for mount in mounts_of(box):
        if mount.type == "volume" and volumes:
            wanted.setdefault(mount.area, mount)
        elif mount.type == "volume":
            missing.append(NotCaptured(mount.area, "volume", f"{mount.destination}; volumes were not asked for"))
        elif mount.type == "bind" and binds:
            wanted.setdefault(mount.area, mount)
        elif mount.type == "bind":
            missing.append(NotCaptured(mount.area, "bind mount", f"{mount.source}, a directory of the host"))
        else:
            missing.append(NotCaptured(f"{mount.type}/{escaped(mount.destination)}", mount.type, mount.destination))
    if box.running:
        missing.append(NotCaptured("processes", RUNNING, "they begin anew after a restore"))
    return list(wanted.values()), missing


def nested(mounts: Iterable[Mount], mount: Mount) -> list[str]:
    """Where other mounts stand inside a mount, as paths in it: what is seen there is not its content."""
    inside = mount.destination.rstrip("/") + "/"
    return sorted(each.destination[len(inside) :] for each in mounts if each.destination.startswith(inside))


def anonymous_in(box: Inspected) -> dict[str, str]:
    """The volumes of a container that nobody named, by destination: what its successor is given."""
    return {each.destination: each.name for each in mounts_of(box) if each.anonymous}


def users(daemon: Daemon, volume: str, *, but: Iterable[str] = ()) -> list[str]:
    """The names of running containers that have a volume, apart from those with the ids ``but``."""
    with daemon.speaking(f"ask who has the volume {volume!r}"):
        listed = daemon.api.containers(filters={"volume": volume})
    apart = set(but)
    found = (daemon.find(each["Id"]) for each in listed if each["Id"] not in apart)
    # The engine's filter takes a destination, too.
    return sorted(
        each.name for each in found if each is not None and volume in {mount.name for mount in mounts_of(each)}
    )


def with_own_volumes(settings: Settings) -> Settings:
    """Settings by which volumes that were another container's are there in their own right."""
    if not settings.host.get("VolumesFrom"):
        return settings
    binds, declared = list(settings.host.get("Binds") or ()), dict(settings.config.get("Volumes") or {})
    for where, volume in settings.volumes.items():
        if volume.borrowed and volume.name:
            binds.append(_bind(volume.name, where, volume.writable))
        elif volume.borrowed:
            declared[where] = {}
    volumes = {where: replace(each, borrowed=False) for where, each in settings.volumes.items()}
    config = {**settings.config, "Volumes": declared or None}
    host = {**settings.host, "Binds": binds or None, "VolumesFrom": None}
    return replace(settings, host=host, config=config, volumes=volumes)


def with_new_volumes(settings: Settings, name: str, taken: Callable[[str], bool]) -> tuple[Settings, dict[str, str]]:
    """Settings for a container called ``name`` that shares no volume with anybody; and the new names by the old ones.

    Volumes without a name are new for each container anyway.
    """
    settings = with_own_volumes(settings)
    names: dict[str, str] = {}
    for old in dict.fromkeys(volume.name for volume in settings.volumes.values() if volume.name):
        names[old] = _free(f"{name}-{old}", lambda each: each in names.values() or taken(each))
    return renamed(settings, names), names


def renamed(settings: Settings, names: Mapping[str, str]) -> Settings:
    """Settings with other volumes in the places of some, by their names."""
    binds = [_renamed(bind, names) for bind in settings.host.get("Binds") or ()]
    mounts = [
        {**each, "Source": names[each["Source"]]} if each.get("Source") in names else each
        for each in settings.host.get("Mounts") or ()
    ]
    volumes = {where: replace(each, name=names.get(each.name, each.name)) for where, each in settings.volumes.items()}
    return replace(settings, host=_mounting(settings, binds, mounts), volumes=volumes)


def without_volumes(settings: Settings) -> Settings:
    """Settings for a container that has no volumes, but for those that its image asks for."""
    binds = [each for each in settings.host.get("Binds") or () if parse_bind(each)[1] not in settings.volumes]
    mounts = [each for each in settings.host.get("Mounts") or () if each.get("Type") != "volume"]
    declared = {
        where: each for where, each in (settings.config.get("Volumes") or {}).items() if where not in settings.volumes
    }
    host = {**_mounting(settings, binds, mounts), "VolumesFrom": None}
    return replace(settings, host=host, config={**settings.config, "Volumes": declared or None}, volumes={})


def attached(settings: Settings, volumes: Mapping[str, str]) -> Settings:
    """Settings by which volumes that are there already, by destination, are used where the settings name none."""
    binds, mounts = list(settings.host.get("Binds") or ()), []
    left = {where: name for where, name in volumes.items() if _is_unnamed(settings, where)}
    for each in settings.host.get("Mounts") or ():
        name = left.pop(each["Target"], "") if each.get("Type") == "volume" and not each.get("Source") else ""
        mounts.append({**each, "Source": name} if name else each)
    binds += [_bind(name, where, settings.volumes[where].writable) for where, name in sorted(left.items())]
    return replace(settings, host=_mounting(settings, binds, mounts))


def _bind(name: str, where: str, writable: bool) -> str:
    return f"{name}:{where}" if writable else f"{name}:{where}:ro"


def _mounting(settings: Settings, binds: list[str], mounts: list[Any]) -> dict[str, Any]:
    host = {**settings.host, "Binds": binds or None, "Mounts": mounts}
    if not mounts:
        del host["Mounts"]  # the engine leaves it out, too
    return host


def _is_unnamed(settings: Settings, where: str) -> bool:
    volume = settings.volumes.get(where)
    return volume is not None and not volume.name and not volume.borrowed


def _renamed(bind: str, names: Mapping[str, str]) -> str:
    source, colon, rest = bind.partition(":")
    return names.get(source, source) + colon + rest


def _free(name: str, taken: Callable[[str], bool]) -> str:
    if not taken(name):
        return name
    number = 2
    while taken(f"{name}-{number}"):
        number += 1
    return f"{name}-{number}"
