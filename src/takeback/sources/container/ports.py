"""The ports of the host that a container is reached by: which are taken, and what a copy gets instead.

Who holds a port is asked of the engine, for all its containers; on the engine's own machine a port is tried as well,
because other programs hold ports too.
"""

from __future__ import annotations

import errno
import socket
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from takeback.errors import Conflict, InvalidInput
from takeback.sources.container.settings import Settings

if TYPE_CHECKING:
    from takeback.sources.container.daemon import Daemon

_LAST = 65535
_TRIES = 200
_ALL = ("0.0.0.0", "::")
_SOCKETS = {"tcp": socket.SOCK_STREAM, "udp": socket.SOCK_DGRAM}


class Bound(NamedTuple):
    """A port of the host."""

    port: int
    protocol: str = "tcp"
    address: str = ""
    """Empty for all."""

    def meets(self, other: Bound) -> bool:
        """Whether not both can be had."""
        return self[:2] == other[:2] and (_covers(self.address, other.address) or _covers(other.address, self.address))


def _covers(address: str, other: str) -> bool:
    """Whether who listens on an address listens on the other: on all, or on all of a family."""
    if address in ("", other):
        return True
    return other != "" and address in _ALL and (":" in address) == (":" in other)


Taken = Callable[[Bound], bool]


def taken(daemon: Daemon, *, but: Iterable[str] = ()) -> Taken:
    """A question: is a port held by anybody but the containers with the ids ``but``?"""
    with daemon.speaking("list the ports of running containers"):
        listed = daemon.api.containers()
    apart = set(but)
    held = [(each["Id"], bound) for each in listed for bound in _published(each.get("Ports") or ())]
    others = [bound for id, bound in held if id not in apart]
    own = [bound for id, bound in held if id in apart]
    here = daemon.address.startswith(("unix://", "http+unix://", "http+docker://localhost"))

    def ask(wanted: Bound) -> bool:
        if any(wanted.meets(each) for each in others):
            return True
        return here and not any(wanted.meets(each) for each in own) and not _can_bind(wanted)

    return ask


def wanted(settings: Settings) -> Iterator[tuple[str, Bound]]:
    """The ports of the host that settings ask for by number, each with the container's port that it leads to."""
    for inside, bindings in (settings.host.get("PortBindings") or {}).items():
        for each in bindings or ():
            if each.get("HostPort", "").isdigit() and int(each["HostPort"]):
                yield inside, Bound(int(each["HostPort"]), _protocol(inside), each.get("HostIp", ""))


def check_free(settings: Settings, is_taken: Taken) -> None:
    """Conflict if a port that settings ask for is taken: the engine would only notice when the container starts."""
    for inside, bound in wanted(settings):
        if is_taken(bound):
            others = (bound._replace(port=port) for port in range(bound.port + 1, min(bound.port + _TRIES, _LAST + 1)))
            free = next((each.port for each in others if not is_taken(each)), "HOST")
            raise Conflict(
                f"the host's port {bound.port}/{bound.protocol}, which leads to {inside}, is in use by somebody else",
                hints=[
                    "`docker ps` may say by whom",
                    f"a copy can have another: --as NAME --port {free}:{inside.removesuffix('/tcp')}",
                ],
            )


def overridden(settings: Settings, ports: Mapping[str, int]) -> Settings:
    """Settings by which the container's ``ports`` (``80/tcp``, or ``80``) are reached by these ports of the host."""
    bindings = dict(settings.host.get("PortBindings") or {})
    exposed = dict(settings.config.get("ExposedPorts") or {})
    for given, port in ports.items():
        inside = given if "/" in given else f"{given}/tcp"
        number, _, protocol = inside.partition("/")
        if not number.isdigit() or not 0 < int(number) <= _LAST or protocol not in (*_SOCKETS, "sctp"):
            raise InvalidInput(f"{given!r} is no port of a container", hints=["a port is like 80, 80/tcp or 53/udp"])
        if not 0 < port <= _LAST:
            raise InvalidInput(f"{port} is no port of a host", hints=[f"ports are 1 to {_LAST}"])
        addresses = dict.fromkeys(each.get("HostIp", "") for each in bindings.get(inside) or ()) or {"": None}
        bindings[inside] = [{"HostIp": address, "HostPort": str(port)} for address in addresses]
        exposed[inside] = {}
    host = {**settings.host, "PortBindings": bindings}
    return replace(settings, host=host, config={**settings.config, "ExposedPorts": exposed})


def moved(settings: Settings, is_taken: Taken, *, fixed: Iterable[str] = ()) -> tuple[Settings, list[str]]:
    """Settings that ask for free ports only; and what was moved where, in words. Those of the container's ports that are
    ``fixed`` are not moved: one of them that is taken is a Conflict."""
    if not settings.host.get("PortBindings"):
        return settings, []
    stay = {each if "/" in each else f"{each}/tcp" for each in fixed}
    check_free(_only(settings, stay), is_taken)
    given: list[Bound] = [bound for inside, bound in wanted(settings) if inside in stay]
    notes: list[str] = []
    bindings = {}
    for inside, each in (settings.host.get("PortBindings") or {}).items():
        bindings[inside] = (
            each if inside in stay else [_free(inside, one, is_taken, given, notes) for one in each or ()]
        )
    return replace(settings, host={**settings.host, "PortBindings": bindings}), notes


def _free(
    inside: str, binding: Mapping[str, str], is_taken: Taken, given: list[Bound], notes: list[str]
) -> Mapping[str, str]:
    text, address, protocol = binding.get("HostPort", ""), binding.get("HostIp", ""), _protocol(inside)
    if not text.isdigit() or not int(text):
        return binding  # the engine finds a free one
    first = Bound(int(text), protocol, address)
    for port in range(first.port, min(first.port + _TRIES, _LAST + 1)):
        bound = first._replace(port=port)
        if not any(bound.meets(each) for each in given) and not is_taken(bound):
            break
    else:
        notes.append(f"port {text} is taken: {inside} gets one that the engine finds when it starts")
        return {**binding, "HostPort": ""}
    given.append(bound)
    if bound.port == first.port:
        return binding
    notes.append(f"port {text} is taken: {inside} is reached by port {bound.port} of {address or 'the host'}")
    return {**binding, "HostPort": str(bound.port)}


def _only(settings: Settings, inside: set[str]) -> Settings:
    kept = {port: each for port, each in (settings.host.get("PortBindings") or {}).items() if port in inside}
    return replace(settings, host={**settings.host, "PortBindings": kept})


def _published(ports: Iterable[Mapping[str, object]]) -> Iterator[Bound]:
    for each in ports:
        public = each.get("PublicPort")
        if isinstance(public, int):
            yield Bound(public, str(each.get("Type") or "tcp"), str(each.get("IP") or ""))


def _protocol(inside: str) -> str:
    return inside.partition("/")[2] or "tcp"


def _can_bind(bound: Bound) -> bool:
    """Whether this process could listen there: also true if that cannot be tried."""
    kind = _SOCKETS.get(bound.protocol)
    if kind is None:
        return True
    family = socket.AF_INET6 if ":" in bound.address else socket.AF_INET
    with socket.socket(family, kind) as tried:
        if kind == socket.SOCK_STREAM:
            tried.setsockopt(
                socket.SOL_SOCKET, socket.SO_REUSEADDR, 1
            )  # as the engine does: what has ended is no hindrance
        if family == socket.AF_INET6:
            tried.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        try:
            tried.bind((bound.address, bound.port))
        except OSError as error:
            return error.errno != errno.EADDRINUSE  # a low port or a strange address is for the engine to try
    return True
