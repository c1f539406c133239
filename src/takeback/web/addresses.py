"""Where the server is reached: which names in a ``Host`` header are its own.

A page of a foreign site can have its own name lead to 127.0.0.1 (DNS rebinding), and is then, for a browser, on the same
origin as we are; but the name in ``Host`` stays the foreign one. So only names that nobody else can have are taken: those
of this machine itself, numeric addresses, which no name service decides about, and what ``--host`` named.
"""

from __future__ import annotations

import ipaddress
import socket
from dataclasses import dataclass

LOOPBACK = "127.0.0.1"
_OWN = frozenset({LOOPBACK, "localhost", "[::1]"})


@dataclass(frozen=True, slots=True)
class Address:
    """What the server is bound to."""

    host: str
    """As it was asked for: a name or a numeric address, without brackets."""
    port: int

    @property
    def is_local(self) -> bool:
        """Whether nobody on another machine can connect."""
        if self.host == "localhost":
            return True
        number = _number(self.host)
        return number is not None and number.is_loopback

    @property
    def authority(self) -> str:
        """The name and port for an address to open; one that is bound everywhere is called by the machine's name."""
        number = _number(self.host)
        named = _machine() if number is not None and number.is_unspecified else self.host
        return _joined(_bracketed(named), self.port)

    def is_ours(self, host: str) -> bool:
        """Whether a ``Host`` header names this server."""
        name, port = _split(host)
        if port != self.port:
            return False
        if name in _OWN or name == _bracketed(self.host).lower():
            return True
        if self.is_local:
            return False
        return _number(name.strip("[]")) is not None or name == _machine().lower()


def _split(host: str) -> tuple[str, int | None]:
    """The name, in small letters, and the port; None for one that is none."""
    name, colon, port = host.lower().rpartition(":")
    if not colon or "]" in port:
        return host.lower(), 80
    is_number = port.isascii() and port.isdigit() and len(port) <= 5
    return name, int(port) if is_number else None


def _joined(name: str, port: int) -> str:
    return name if port == 80 else f"{name}:{port}"


def _number(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _machine() -> str:
    return socket.gethostname()
