"""The store in figures: what uses its space, how that grew, what is kept, and what takeback did."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from takeback.engine import listing
from takeback.errors import InvalidInput

if TYPE_CHECKING:
    from takeback.engine.health import Usage
    from takeback.model.progress import Listener
    from takeback.store.catalogue.operations import Operation
    from takeback.views.desk import Desk

_LIMITS = ("keep_last", "max_age", "max_bytes", "min_free", "upkeep")
_MOST = 500


@dataclass(frozen=True, slots=True)
class Limit:
    """What a setting says is kept, and who said so."""

    name: str
    value: str
    """Empty if there is no such limit."""
    origin: str


@dataclass(frozen=True, slots=True)
class Figures:
    """Sizes and limits."""

    path: str
    usage: Usage
    policy: tuple[Limit, ...]


def figures(desk: Desk, listener: Listener | None = None) -> Figures:
    """All of it. Every snapshot is looked into, so it takes a while in a long history."""
    return Figures(str(desk.place["store"]), desk.store.stats(listener=listener), policy(desk))


def policy(desk: Desk) -> tuple[Limit, ...]:
    """What the settings here say of how much is kept."""
    settings = desk.place.settings
    return tuple(
        Limit(name, "" if settings[name].value in (None, 0) else str(settings[name].value), settings[name].origin)
        for name in _LIMITS
        if name in settings
    )


def operations(desk: Desk, before: int | None = None, limit: int = 50) -> list[Operation]:
    """What takeback did to the world and to its own history, newest first."""
    if not 1 <= limit <= _MOST:
        raise InvalidInput(f"{limit} is not a number of operations from 1 to {_MOST}")
    return listing.done(desk.store.blobs, before, limit)
