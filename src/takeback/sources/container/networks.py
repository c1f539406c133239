"""Which networks a container is in, and what it asked of each; the rest of what an engine says there, the engine chose.

A copy that runs beside its original cannot have its addresses, and should not answer to its names: half of what others
ask for would go to the wrong one. What is given up for that is said.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from takeback.errors import NotFound, Unavailable
from takeback.sources.container.settings import Settings

if TYPE_CHECKING:
    from takeback.sources.container.daemon import Daemon, Inspected

_ASKED = ("IPAMConfig", "Links", "DriverOpts", "GwPriority")
_BUILT_IN = ("host", "none")
_ADDRESSES = ("IPv4Address", "IPv6Address")


def asked_for(raw: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """What a container asked of each network: no ids, no address that it was given, no name that it has anyway."""
    own = {raw["Id"][:12], raw["Config"].get("Hostname")}
    found = {}
    for name, endpoint in (raw["NetworkSettings"].get("Networks") or {}).items():
        asked = {key: endpoint[key] for key in _ASKED if endpoint.get(key) not in (None, 0)}
        aliases = [alias for alias in dict.fromkeys(endpoint.get("Aliases") or ()) if alias not in own]
        found[name] = {**asked, "Aliases": aliases} if aliases else asked
    return found


def name_of(mode: str, raw: Mapping[str, Any]) -> str:
    """A network mode with a network's name where it has its id."""
    for name, endpoint in (raw["NetworkSettings"].get("Networks") or {}).items():
        if len(mode) >= 12 and str(endpoint.get("NetworkID") or "").startswith(mode):
            return str(name)
    return mode


def first_of(settings: Settings) -> str:
    """The network that a container is made in; empty if it is made in none of its own."""
    mode = str(settings.host.get("NetworkMode") or "default")
    if mode.startswith("container:") or mode in _BUILT_IN:
        return ""
    return "bridge" if mode == "default" else mode


def check_there(daemon: Daemon, settings: Settings) -> None:
    """Unavailable if a network is gone: the engine would only notice when the container starts."""
    for name in sorted({*settings.networks, first_of(settings)} - {"", *_BUILT_IN}):
        try:
            daemon.call(f"look at the network {name!r}", daemon.api.inspect_network, name)
        except NotFound as error:
            raise Unavailable(
                f"the container was in the network {name!r}, which is not there",
                hints=[f"make it again: docker network create {name}"],
            ) from error


def attach(daemon: Daemon, box: str, settings: Settings) -> None:
    """Bring a container that was only just made into the networks that it was not made in."""
    first = first_of(settings)
    if first and first not in settings.networks:
        _change(daemon, first, "disconnect", {"Container": box, "Force": False})
    for name in sorted(settings.networks):
        if name not in (first, *_BUILT_IN):
            _change(daemon, name, "connect", {"Container": box, "EndpointConfig": dict(settings.networks[name])})


def _change(daemon: Daemon, name: str, verb: str, body: Mapping[str, Any]) -> None:
    # The client's own method leaves out what is empty, and the engine tells empty from absent when asked.
    with daemon.speaking(f"{verb} the container and the network {name!r}"):
        api = daemon.api
        api._raise_for_status(api._post_json(api._url("/networks/{0}/" + verb, name), data=body))


def apart(daemon: Daemon, settings: Settings) -> tuple[Settings, list[str]]:
    """Settings for a copy beside running containers: without the addresses and aliases that these have, each said."""
    notes, changed = [], dict(settings.networks)
    for name, asked in settings.networks.items():
        if not asked:
            continue
        addresses, aliases = _in_use(daemon, name)
        config = asked.get("IPAMConfig") or {}
        lost = [config[key] for key in _ADDRESSES if config.get(key) in addresses]
        if lost:
            notes.append(f"network {name}: the address {' and '.join(lost)} is in use, the copy gets another")
            asked = {**asked, "IPAMConfig": {key: value for key, value in config.items() if value not in lost}}
        kept = [alias for alias in asked.get("Aliases") or () if alias not in aliases]
        gone = [alias for alias in asked.get("Aliases") or () if alias in aliases]
        if gone:
            notes.append(f"network {name}: another container answers to {', '.join(gone)}, the copy does not")
            asked = {**asked, "Aliases": kept}
        changed[name] = asked
    config = dict(settings.config)
    if config.get("MacAddress"):
        notes.append(f"the copy gets a hardware address of its own, not {config['MacAddress']}")
        del config["MacAddress"]
    return replace(settings, networks=changed, config=config), notes


def by_default(settings: Settings) -> Settings:
    """Settings for a container that is in no network but the engine's default one."""
    return replace(settings, host={**settings.host, "NetworkMode": "default"}, networks={})


def guests(daemon: Daemon, box: Inspected) -> list[str]:
    """The names of containers, running or not, that are in a network by being in another container's."""
    with daemon.speaking(f"ask who is in the network of {box.name!r}"):
        listed = daemon.api.containers(all=True)
    mode = f"container:{box.id}"
    return sorted(
        each["Names"][0].lstrip("/") for each in listed if each["Names"] and each["HostConfig"]["NetworkMode"] == mode
    )


def _in_use(daemon: Daemon, name: str) -> tuple[set[str], set[str]]:
    """The addresses and aliases of running containers in a network."""
    try:
        network = daemon.call(f"look at the network {name!r}", daemon.api.inspect_network, name)
    except NotFound:
        return set(), set()
    addresses: set[str] = set()
    aliases: set[str] = set()
    for id in network.get("Containers") or {}:
        other: Inspected | None = daemon.find(id)
        endpoint = {} if other is None else (other.raw["NetworkSettings"].get("Networks") or {}).get(name) or {}
        addresses |= {endpoint.get("IPAddress") or "", endpoint.get("GlobalIPv6Address") or ""} - {""}
        aliases |= set(endpoint.get("Aliases") or ())
    return addresses, aliases
