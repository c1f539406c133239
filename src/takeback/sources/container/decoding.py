"""Settings as they come from a store, which may be an enemy's: whatever is not what settings are is Integrity.

Types are checked here, so that nothing else need ask; what a container with such settings may do is another question
(`takeback.sources.container.rights`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Any

from takeback.errors import Integrity, Unavailable
from takeback.model.jsontext import parse_object
from takeback.sources.container.settings import FORMAT, PAUSED, RUNNING, STOPPED, Image, Settings, Volume

LARGEST = 8 << 20
_WHAT = "the settings of a container"
_DEEPEST = 16
_KEYS = frozenset("format image config environment holes host networks volumes state platform".split())
_ID = re.compile(r"sha256:[0-9a-f]{64}")
_VOLUME = re.compile(r"[A-Za-z0-9][\w.:/@-]*", re.ASCII)
_NETWORK = re.compile(r"[^\0/]+")
_PORT = re.compile(r"\d{1,5}(?:-\d{1,5})?(?:/(?:tcp|udp|sctp))?")
_HOST_PORT = re.compile(r"(?:\d{1,5}(?:-\d{1,5})?)?")


def decode(data: bytes) -> Settings:
    """The inverse of `Settings.encode`."""
    if len(data) > LARGEST:
        raise _wrong("they are too long")
    value = parse_object(data, _WHAT)
    found = value.get("format")
    if type(found) is not int or found < 1:
        raise _wrong("they say no format")
    if found > FORMAT:
        raise Unavailable(
            f"{_WHAT} were written by a newer takeback (format {found})", hints=["pip install --upgrade takeback"]
        )
    if value.keys() != _KEYS:
        raise _wrong(f"they have other fields than settings have: {', '.join(sorted(value.keys() ^ _KEYS))[:100]}")
    _check_plain(value, 0)
    environment, holes = _texts(value["environment"], "environment"), frozenset(_texts(value["holes"], "holes"))
    if any(not each or each.startswith("=") or "\0" in each for each in environment):
        raise _wrong("a variable has no name")
    if not holes <= set(environment):
        raise _wrong("a hole is not in the environment")
    if value["state"] not in (RUNNING, PAUSED, STOPPED):
        raise _wrong("they say no state")
    config, host = _mapping(value["config"], "config"), _mapping(value["host"], "host")
    _check_fields(config, _CONFIG, "config")
    _check_fields(host, _HOST, "host")
    if "Image" in config or "Env" in config:
        raise _wrong("config says twice what there is once")
    return Settings(
        image=_image(_mapping(value["image"], "image")),
        config=config,
        environment=environment,
        holes=holes,
        host=host,
        networks={name: _network(name, each) for name, each in _mapping(value["networks"], "networks").items()},
        volumes={where: _volume(where, each) for where, each in _mapping(value["volumes"], "volumes").items()},
        state=value["state"],
        platform=_text(value["platform"], "platform"),
    )


def _image(raw: Mapping[str, Any]) -> Image:
    if raw.keys() != {"name", "id", "digests", "flat", "environment"} or type(raw["flat"]) is not bool:
        raise _wrong("image is not as it should be")
    image = Image(
        name=_text(raw["name"], "image"),
        id=_text(raw["id"], "image"),
        digests=_texts(raw["digests"], "image"),
        flat=raw["flat"],
        environment=_texts(raw["environment"], "image"),
    )
    if not image.flat and not _ID.fullmatch(image.id):
        raise _wrong("the image has no id")
    return image


def _volume(where: str, raw: Any) -> Volume:
    fields = _mapping(raw, "volumes")
    if fields.keys() != {"name", "driver", "options", "labels", "writable", "borrowed"} or not where.startswith("/"):
        raise _wrong("a volume is not as it should be")
    if type(fields["writable"]) is not bool or type(fields["borrowed"]) is not bool:
        raise _wrong("a volume is not as it should be")
    volume = Volume(
        name=_text(fields["name"], "volumes"),
        driver=_text(fields["driver"], "volumes"),
        options=_words(fields["options"], "volumes"),
        labels=_words(fields["labels"], "volumes"),
        writable=fields["writable"],
        borrowed=fields["borrowed"],
    )
    if volume.name and (not _VOLUME.fullmatch(volume.name) or ".." in volume.name.split("/")):
        raise _wrong(f"no volume can be called {volume.name[:60]!r}")
    return volume


def _network(name: str, raw: Any) -> Mapping[str, Any]:
    fields = _mapping(raw, "networks")
    if not _NETWORK.fullmatch(name):
        raise _wrong(f"no network can be called {name[:60]!r}")
    _check_fields(
        fields, {"Aliases": _texts, "Links": _texts, "IPAMConfig": _mapping, "DriverOpts": _words}, "networks"
    )
    return fields


def _ports(value: Any, where: str) -> None:
    for port, bindings in _mapping(value, where).items():
        if not _PORT.fullmatch(port) or not isinstance(bindings, list | None):
            raise _wrong(f"{port[:30]!r} is no port")
        for each in bindings or ():
            words = _words(each, where)
            if not words.keys() <= {"HostIp", "HostPort"} or not _HOST_PORT.fullmatch(words.get("HostPort", "")):
                raise _wrong(f"{port[:30]!r} is bound to what is no port")


def _exposed(value: Any, where: str) -> None:
    if not all(_PORT.fullmatch(port) for port in _mapping(value, where)):
        raise _wrong("config exposes what is no port")


def _flag(value: Any, where: str) -> None:
    if type(value) is not bool:
        raise _wrong(f"{where} has something else where there is yes or no")


def _number(value: Any, where: str) -> None:
    if type(value) is not int or not -(1 << 63) <= value < 1 << 63:
        raise _wrong(f"{where} has something else where there is a number")


def _objects(value: Any, where: str) -> None:
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        raise _wrong(f"{where} has something else where there is a list of objects")


def _mounts(value: Any, where: str) -> None:
    _objects(value, where)
    for mount in value:
        _text(mount.get("Type"), where)
        _text(mount.get("Target"), where)
        _check_fields(mount, {"Source": _text, "BindOptions": _mapping, "VolumeOptions": _mapping}, where)
        _check_fields(mount.get("VolumeOptions") or {}, {"DriverConfig": _mapping}, where)


def _text(value: Any, where: str) -> str:
    if not isinstance(value, str) or "\0" in value:
        raise _wrong(f"{where} has something else where there is text")
    return value


def _texts(value: Any, where: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise _wrong(f"{where} has something else where there are texts")
    return tuple(value)


def _mapping(value: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _wrong(f"{where} has something else where there is an object")
    return value


def _words(value: Any, where: str) -> dict[str, str]:
    if not all(isinstance(each, str) for each in _mapping(value, where).values()):
        raise _wrong(f"{where} has something else where there are texts")
    return dict(value)


_Check = Callable[[Any, str], object]
_CONFIG: Mapping[str, _Check] = {
    **dict.fromkeys("Hostname Domainname User WorkingDir StopSignal MacAddress".split(), _text),
    **dict.fromkeys("Cmd Entrypoint OnBuild Shell".split(), _texts),
    **dict.fromkeys("Tty OpenStdin StdinOnce AttachStdin AttachStdout AttachStderr".split(), _flag),
    "ExposedPorts": _exposed,
    "Volumes": _mapping,
    "Labels": _words,
    "Healthcheck": _mapping,
}
_HOST: Mapping[str, _Check] = {
    **dict.fromkeys("NetworkMode IpcMode PidMode UTSMode UsernsMode CgroupnsMode CgroupParent Runtime".split(), _text),
    **dict.fromkeys(
        "Binds VolumesFrom CapAdd CapDrop SecurityOpt GroupAdd Links Dns DnsOptions DnsSearch".split(), _texts
    ),
    **dict.fromkeys("ExtraHosts DeviceCgroupRules MaskedPaths ReadonlyPaths".split(), _texts),
    **dict.fromkeys("Privileged AutoRemove PublishAllPorts ReadonlyRootfs OomKillDisable Init".split(), _flag),
    **dict.fromkeys(
        "Memory MemorySwap MemoryReservation NanoCpus CpuShares ShmSize PidsLimit OomScoreAdj".split(), _number
    ),
    **dict.fromkeys("Devices DeviceRequests Ulimits".split(), _objects),
    "Mounts": _mounts,
    **dict.fromkeys("Tmpfs Sysctls StorageOpt Annotations".split(), _words),
    **dict.fromkeys("LogConfig RestartPolicy".split(), _mapping),
    "PortBindings": _ports,
}


def _check_fields(fields: Mapping[str, Any], checks: Mapping[str, _Check], where: str) -> None:
    """Known fields have the types that the engine gives them, or are null; of others only the engine knows."""
    for name, check in checks.items():
        if fields.get(name) is not None:
            check(fields[name], f"{where}.{name}")


def _check_plain(value: Any, depth: int) -> None:
    """No number that JSON has no text for, and no nesting that no engine makes."""
    if depth > _DEEPEST:
        raise _wrong("they are nested too deep")
    if isinstance(value, float) and not math.isfinite(value):
        raise _wrong("they have a number that is none")
    if isinstance(value, dict):
        for each in value.values():
            _check_plain(each, depth + 1)
    elif isinstance(value, list):
        for each in value:
            _check_plain(each, depth + 1)


def _wrong(why: str) -> Integrity:
    return Integrity(f"{_WHAT} cannot be read: {why}")
