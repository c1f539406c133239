"""How it is said that parts could not be looked at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from takeback.cli.people import Line


def lines(missed: Mapping[str, str]) -> Iterator[Line]:
    """Each part that a snapshot, or a look at the present, goes without, and why."""
    for name, why in missed.items():
        yield [(f"without {name}: ", "bad"), why]
