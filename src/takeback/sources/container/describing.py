"""A container's settings, taken from what the engine says of it; the other way round is `takeback.sources.container.creating`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from takeback.errors import NotFound
from takeback.sources.container import networks, secrets
from takeback.sources.container.mounts import is_anonymous, parse_bind
from takeback.sources.container.settings import PAUSED, RUNNING, STOPPED, Image, Settings, Volume

if TYPE_CHECKING:
    from takeback.sources.container.daemon import Daemon, Inspected

_MODES = ("NetworkMode", "PidMode", "IpcMode")
_OTHERS = "container:"


@dataclass(frozen=True, slots=True)
class Around:
    """What the engine says of other things that a container refers to."""

    image: Mapping[str, Any] = field(default_factory=dict)
    """Empty if the image is gone."""
    volumes: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """By name."""
    names: Mapping[str, str] = field(default_factory=dict)
    """Of other containers that it shares something with, by what it calls them: names stay when ids do not."""
    lent: frozenset[str] = frozenset()
    """Names of volumes that those have."""


def settings_of(daemon: Daemon, box: Inspected, *, secrets: bool = False, flat: bool = False) -> Settings:
    """The settings of a container as it is now; ``flat`` if the snapshot holds all files and needs no image."""
    return capture(box.raw, look_around(daemon, box), secrets=secrets, flat=flat)


def look_around(daemon: Daemon, box: Inspected) -> Around:
    host = box.raw["HostConfig"]
    image = _if_there(daemon, f"look at the image {box.image}", daemon.api.inspect_image, box.image)
    volumes = {
        mount["Name"]: _if_there(
            daemon, f"look at the volume {mount['Name']}", daemon.api.inspect_volume, mount["Name"]
        )
        for mount in box.raw["Mounts"]
        if mount["Type"] == "volume" and not is_anonymous(mount["Name"])
    }
    lenders = [each.partition(":")[0] for each in host.get("VolumesFrom") or ()]
    shared = [str(host.get(mode) or "") for mode in _MODES]
    names, lent = {}, set()
    for each in {*lenders, *(mode.removeprefix(_OTHERS) for mode in shared if mode.startswith(_OTHERS))}:
        other = daemon.find(each)
        if other is not None:
            names[each] = other.name
            if each in lenders:
                lent |= {mount["Name"] for mount in other.raw["Mounts"] if mount["Type"] == "volume"}
    return Around(image, volumes, names, frozenset(lent))


def capture(raw: Mapping[str, Any], around: Around, *, secrets: bool = False, flat: bool = False) -> Settings:
    """Settings out of the engine's description of a container; of its ``secrets``, only the names unless asked for."""
    base = around.image.get("Config") or {}
    config = _config(raw, {} if flat else base)
    host = _host(raw, around)
    bound = _without_anonymous(config, host)
    environment, holes = _environment(raw["Config"].get("Env") or (), base.get("Env") or (), keep=secrets)
    return Settings(
        image=_image(raw, around.image, flat=flat),
        config=config,
        environment=environment,
        holes=holes,
        host=host,
        networks=networks.asked_for(raw),
        volumes={
            mount["Destination"]: _volume(mount, around, bound) for mount in raw["Mounts"] if mount["Type"] == "volume"
        },
        state=_state(raw["State"]),
        platform=raw.get("Platform") or "linux",
    )


def _config(raw: Mapping[str, Any], base: Mapping[str, Any]) -> dict[str, Any]:
    config = {key: value for key, value in raw["Config"].items() if key not in ("Image", "Env")}
    mode = str(raw["HostConfig"].get("NetworkMode") or "")
    if mode.startswith(_OTHERS) or raw["HostConfig"].get("UTSMode"):
        config["Hostname"] = config["Domainname"] = ""  # the other container's, or the host's
    if not config.get("Entrypoint") and base.get("Entrypoint"):
        config["Entrypoint"] = [""]  # taken away; nothing at all would mean the image's
    return config


def _host(raw: Mapping[str, Any], around: Around) -> dict[str, Any]:
    host = dict(raw["HostConfig"])
    for mode in _MODES:
        if str(host.get(mode) or "").startswith(_OTHERS):
            other = host[mode].removeprefix(_OTHERS)
            host[mode] = _OTHERS + around.names.get(other, other)
    host["NetworkMode"] = networks.name_of(host.get("NetworkMode") or "default", raw)
    if host.get("VolumesFrom"):
        parts = [each.partition(":") for each in host["VolumesFrom"]]
        host["VolumesFrom"] = [around.names.get(name, name) + colon + mode for name, colon, mode in parts]
    if host.get("Links"):  # "/db:/this-container/alias"
        pairs = [each.partition(":") for each in host["Links"]]
        host["Links"] = [f"{name.lstrip('/')}:{alias.rpartition('/')[2]}" for name, _, alias in pairs]
    return host


def _without_anonymous(config: dict[str, Any], host: dict[str, Any]) -> frozenset[str]:
    """Take the names that nobody gave out of what is mounted: a volume that was kept from an earlier container is attached
    by its name, and means what it meant there. Returns where the container itself has volumes mounted."""
    binds, mounts, declared = [], [dict(each) for each in host.get("Mounts") or ()], dict(config.get("Volumes") or {})
    for bind in host.get("Binds") or ():
        source, destination, _ = parse_bind(bind)
        if source and not is_anonymous(source):
            binds.append(bind)
        else:
            declared[destination] = {}
    for each in mounts:
        if each.get("Type") == "volume" and is_anonymous(each.get("Source", "")):
            each.pop("Source", None)
            each.pop("ReadOnly", None)  # the engine makes none that cannot be written
    host["Binds"] = binds or None
    config["Volumes"] = declared or None
    host.pop("Mounts", None)
    if mounts:
        host["Mounts"] = mounts
    return frozenset([parse_bind(bind)[1] for bind in binds] + [each["Target"] for each in mounts])


def _volume(mount: Mapping[str, Any], around: Around, bound: frozenset[str]) -> Volume:
    known = around.volumes.get(mount["Name"]) or {}
    borrowed = mount["Name"] in around.lent and mount["Destination"] not in bound
    if is_anonymous(mount["Name"]):
        return Volume(driver=mount.get("Driver") or "local", writable=mount["RW"], borrowed=borrowed)
    return Volume(
        name=mount["Name"],
        driver=mount.get("Driver") or "local",
        options=known.get("Options") or {},
        labels=known.get("Labels") or {},
        writable=mount["RW"],
        borrowed=borrowed,
    )


def _environment(given: Any, defaults: Any, *, keep: bool) -> tuple[tuple[str, ...], frozenset[str]]:
    holes = frozenset() if keep else secrets.names(given, defaults)
    named = [(each.partition("=")[0], each) for each in given]
    return tuple(name if name in holes else each for name, each in named), holes


def _image(raw: Mapping[str, Any], image: Mapping[str, Any], *, flat: bool) -> Image:
    if flat:
        return Image(flat=True, environment=tuple((image.get("Config") or {}).get("Env") or ()))
    digests = tuple(sorted(image.get("RepoDigests") or ()))
    return Image(name=str(raw["Config"]["Image"]), id=str(raw["Image"]), digests=digests)


def _state(state: Mapping[str, Any]) -> str:
    if state.get("Paused"):
        return PAUSED
    return RUNNING if state.get("Running") or state.get("Restarting") else STOPPED


def _if_there(daemon: Daemon, doing: str, what: Any, name: str) -> Mapping[str, Any]:
    try:
        found: Mapping[str, Any] = daemon.call(doing, what, name)
    except NotFound:
        return {}
    return found
