"""How it is said what a snapshot goes without: parts that could not be looked at, and what in the others was left out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from takeback.model.snapshot import NotCaptured, Snapshot
from takeback.views.lines import Line


def lines(missed: Mapping[str, str]) -> Iterator[Line]:
    """Each part that a snapshot, or a look at the present, goes without, and why; those for the same reason together."""
    for why in dict.fromkeys(missed.values()):
        names = ", ".join(name for name, said in missed.items() if said == why)
        yield [(f"without {names}: ", "bad"), why]


def left_out(snapshot: Snapshot) -> Iterator[tuple[NotCaptured, str]]:
    """What was not captured of the parts that were looked at, each with words for it; of a container that is one of
    several, with whose it is."""
    for part in snapshot.parts.values():
        if part.name in snapshot.missed:
            continue
        whose = f"{part.name}: " if part.kind == "container" != part.name else ""
        for item in part.not_captured:
            yield item, f"{whose}{item.path}: {item.reason}{f' ({item.detail})' if item.detail else ''}"
