"""Where in an agent something stands: ``agent.memory.chat_memory.messages[3]`` in errors, and without the ``agent.``
for what is left out of a snapshot and supplied to a restore."""

from __future__ import annotations

from typing import Any, NamedTuple


class Place(NamedTuple):
    """A step down from another place; there are many, so its name is only made when it is asked for."""

    above: Place | None
    step: Any
    """The name of a field, or the key or index of an item."""
    is_item: bool
    depth: int

    def field(self, name: str) -> Place:
        return Place(self, name, False, self.depth + 1)

    def item(self, key: object) -> Place:
        return Place(self, key, True, self.depth + 1)

    @property
    def name(self) -> str:
        """As ``memory.chat_memory`` or ``[0].llm``; "" for the agent itself."""
        return _joined(self).removeprefix(".")

    def __str__(self) -> str:
        return f"agent{_joined(self)}"


AGENT = Place(None, "", False, 0)


def _joined(place: Place) -> str:
    steps: list[str] = []
    while place.above is not None:
        steps.append(f"[{place.step!r}]" if place.is_item else f".{place.step}")
        place = place.above
    return "".join(reversed(steps))


class Named:
    """Some places by their names, quick to tell from all others."""

    def __init__(self, names: frozenset[str]) -> None:
        self._names = names
        self._has_items = any(name.endswith("]") for name in names)

    def __contains__(self, place: Place) -> bool:
        return bool(self._names) and (self._has_items or not place.is_item) and place.name in self._names
