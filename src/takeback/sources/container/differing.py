"""How the settings of two containers differ, in words: what a plan says beside the paths that it changes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from takeback.model.sizes import format_size
from takeback.sources.container.secrets import hidden, is_secret
from takeback.sources.container.settings import Image, Settings, Volume

_WORDS = {
    "AutoRemove": "removed when it ends",
    "Binds": "bind mounts",
    "CapAdd": "added capabilities",
    "CapDrop": "dropped capabilities",
    "Cmd": "command",
    "CpuShares": "CPU shares",
    "Dns": "DNS servers",
    "DnsOptions": "DNS options",
    "DnsSearch": "DNS search domains",
    "Domainname": "domain name",
    "Entrypoint": "entry point",
    "ExposedPorts": "exposed ports",
    "ExtraHosts": "extra hosts",
    "Healthcheck": "health check",
    "Hostname": "host name",
    "LogConfig": "log",
    "Memory": "memory limit",
    "MemorySwap": "limit of memory and swap",
    "NanoCpus": "CPU limit",
    "NetworkMode": "network mode",
    "PidsLimit": "limit of processes",
    "PortBindings": "published ports",
    "ReadonlyRootfs": "read-only root",
    "RestartPolicy": "restart policy",
    "SecurityOpt": "security options",
    "ShmSize": "shared memory",
    "StopSignal": "stop signal",
    "StopTimeout": "stop timeout",
    "VolumesFrom": "volumes from",
    "WorkingDir": "working directory",
}
_BYTES = frozenset("Memory MemorySwap MemoryReservation ShmSize".split())
_LONGEST = 80


def differences(now: Settings, then: Settings) -> list[str]:
    """How a container with the settings ``then`` is not as one with ``now``; a secret's value is never said."""
    return [
        *_image(now.image, then.image),
        *_fields("", now.config, then.config),
        *_environment(now, then),
        *_fields("", now.host, then.host),
        *_only("network ", now.networks, then.networks),
        *_fields("network ", now.networks, then.networks),
        *_fields("volume at ", _said(now.volumes), _said(then.volumes)),
        *_fields("", {"state": now.state}, {"state": then.state}),
        *_fields("", {"platform": now.platform}, {"platform": then.platform}),
    ]


def _image(now: Image, then: Image) -> Iterator[str]:
    if now.flat != then.flat:
        yield f"image: {_show(now)} now, {_show(then)} then"
    elif now.id != then.id:
        yield f"image: {now.name} ({now.id[7:19]}) now, {then.name} ({then.id[7:19]}) then"
    elif now.name != then.name:
        yield f"image: the same, as {then.name} and not as {now.name}"


def _environment(now: Settings, then: Settings) -> Iterator[str]:
    was, will = _variables(now), _variables(then)
    for name in sorted(was.keys() | will.keys()):
        if was.get(name) == will.get(name):
            continue
        if name in now.holes and name in then.holes:
            continue
        if name not in was or name not in will:
            yield f"variable {name}: only {'then' if name in will else 'now'}"
        elif name in now.holes | then.holes or is_secret(name, was[name]) or is_secret(name, will[name]):
            yield (
                f"variable {name}: a secret in one of the two"
                if name in now.holes | then.holes
                else f"variable {name}: another secret"
            )
        else:
            yield f"variable {name}: {_show(was[name])} now, {_show(will[name])} then"


def _variables(settings: Settings) -> dict[str, str]:
    return {name: value for name, _, value in (each.partition("=") for each in settings.environment)}


def _fields(prefix: str, now: Mapping[str, Any], then: Mapping[str, Any]) -> Iterator[str]:
    for key in sorted(now.keys() | then.keys()):
        was, will = now.get(key), then.get(key)
        if was != will and (was or will):  # nothing, no and zero are one
            yield f"{prefix}{_WORDS.get(key, key)}: {_show(was, key)} now, {_show(will, key)} then"


def _only(prefix: str, now: Mapping[str, Any], then: Mapping[str, Any]) -> Iterator[str]:
    """What is there in one of the two, whether or not there is more to say of it."""
    for key in sorted(now.keys() ^ then.keys()):
        if not (now.get(key) or then.get(key)):
            yield f"{prefix}{key}: only {'then' if key in then else 'now'}"


def _said(volumes: Mapping[str, Volume]) -> dict[str, Any]:
    found = {}
    for where, volume in volumes.items():
        options = [f"{key}={hidden(key, value)}" for key, value in sorted(volume.options.items())]
        words = [volume.name or "without a name", volume.driver, *options, "" if volume.writable else "read-only"]
        found[where] = " ".join(word for word in words if word and word != "local")
    return found


def _show(value: Any, key: str = "") -> str:
    text = _text(value, key)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _text(value: Any, key: str = "") -> str:
    match value:
        case Image():
            return "all files in the snapshot" if value.flat else value.name
        case bool():
            return "yes" if value else "no"
        case int() if key in _BYTES and value >= 0:
            return format_size(value) if value else "none"
        case list():
            return ", ".join(_text(each) for each in value) or "none"
        case dict():
            said = [(name, _text(each, name) if each or each is False else "") for name, each in value.items()]
            return ", ".join(f"{name} {each}".strip() for name, each in said if each or value[name] == {}) or "none"
        case None | "":
            return "none"
        case str():
            return hidden(key, value)
    return str(value)
