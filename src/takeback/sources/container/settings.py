"""What makes a container the one it is, apart from its files: all that is needed to make the same one again.

Kept as the engine says it (its ``Config`` and ``HostConfig``), so that nothing is lost that only a newer engine knows, but
without what is this very container's: no id, no time, no address that the engine chose, no name of a volume that nobody
named. So a container and its restored twin have the same settings, to the byte.

Written as JSON with one value a line and its keys in order: two of them are compared, and merged, as texts.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from takeback.errors import InvalidInput

FORMAT = 1

RUNNING, PAUSED, STOPPED = "running", "paused", "stopped"


@dataclass(frozen=True, slots=True)
class Image:
    """What a container was made from; of one whose files are all captured, only what the image sets."""

    name: str = ""
    """As it was given: ``debian:12``, an id, or a name with a digest."""
    id: str = ""
    digests: tuple[str, ...] = ()
    """Names under which a registry has it, each with its digest."""
    flat: bool = False
    """Whether nothing of it is needed, because the snapshot holds all files."""
    environment: tuple[str, ...] = ()
    """Of a flat one: the variables that it sets, which are therefore no secrets."""


@dataclass(frozen=True, slots=True)
class Volume:
    """A volume that a container has, by where it is mounted."""

    name: str = ""
    """Empty for one that nobody gave a name."""
    driver: str = "local"
    options: Mapping[str, str] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)
    writable: bool = True
    borrowed: bool = False
    """Whether it is there because of another container (``--volumes-from``)."""


@dataclass(frozen=True, slots=True)
class Settings:
    image: Image
    config: Mapping[str, Any] = field(default_factory=dict)
    """The engine's ``Config``, without image and environment."""
    environment: tuple[str, ...] = ()
    """``NAME=value`` in their order; only ``NAME`` for a hole, or for a variable that has no value."""
    holes: frozenset[str] = frozenset()
    """Variables whose values are not kept, because they are secrets."""
    host: Mapping[str, Any] = field(default_factory=dict)
    """The engine's ``HostConfig``."""
    networks: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """What was asked of each network that it is in: aliases, addresses, links, options."""
    volumes: Mapping[str, Volume] = field(default_factory=dict)
    """By where they are mounted."""
    state: str = RUNNING
    """``running``, ``paused`` or ``stopped``."""
    platform: str = "linux"

    def encode(self) -> bytes:
        value = {
            "format": FORMAT,
            "image": {
                "name": self.image.name,
                "id": self.image.id,
                "digests": list(self.image.digests),
                "flat": self.image.flat,
                "environment": list(self.image.environment),
            },
            "config": self.config,
            "environment": list(self.environment),
            "holes": sorted(self.holes),
            "host": self.host,
            "networks": self.networks,
            "volumes": {where: _volume(each) for where, each in self.volumes.items()},
            "state": self.state,
            "platform": self.platform,
        }
        return (json.dumps(value, sort_keys=True, indent=1, allow_nan=False) + "\n").encode("ascii")

    def filled(self, values: Mapping[str, str], overrides: Mapping[str, str] | None = None) -> Settings:
        """With a value for every hole, from ``overrides`` or else from ``values``, and with all other overrides in place.

        InvalidInput, with the names, if there is none for a hole.
        """
        overrides = overrides or {}
        given = {**values, **overrides}
        missing = sorted(self.holes - given.keys())
        if missing:
            several = "variables" if len(missing) > 1 else "a variable"
            raise InvalidInput(
                f"the snapshot does not hold the secrets of the container's environment, and no container is there to "
                f"take {several} from: {', '.join(missing)}",
                hints=["give them: " + " ".join(f"--env {name}=…" for name in missing)],
            )
        names = [each.partition("=")[0] for each in self.environment]
        made = [
            f"{name}={given[name]}" if name in self.holes or name in overrides else each
            for name, each in zip(names, self.environment, strict=True)
        ]
        made += [f"{name}={value}" for name, value in overrides.items() if name not in names]
        return replace(self, environment=tuple(made), holes=frozenset())


def values_of(raw: Mapping[str, Any]) -> dict[str, str]:
    """The environment of a container, as the engine describes it: what fills holes."""
    listed = (each.partition("=") for each in raw["Config"].get("Env") or ())
    return {name: value for name, given, value in listed if given}


def same(now: Settings, then: Settings) -> bool:
    """Whether a container with the settings ``now`` is what ``then`` asks for. An image is known by its id: one whose
    name has been given to another is used by its id."""
    if now.image.id == then.image.id:
        then = replace(then, image=now.image)
    return now == then


def _volume(each: Volume) -> dict[str, Any]:
    return {
        "name": each.name,
        "driver": each.driver,
        "options": each.options,
        "labels": each.labels,
        "writable": each.writable,
        "borrowed": each.borrowed,
    }
