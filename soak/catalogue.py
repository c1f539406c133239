"""The campaigns: what each tries, where its tests are, how long it takes, and how many runs a full record has at least.

A campaign's tests name it with ``@pytest.mark.campaign``; ``tests`` only spares pytest from reading the others. ``seconds`` is the time of
one campaign beside another one on a machine with two cores.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Campaign:
    """Tests that repeat one thing for confidence."""

    name: str
    section: str
    """The table of docs/reliability.md that shows it."""
    what: str
    tests: tuple[str, ...]
    seconds: int
    runs: int
    """At least so many belong to a full record."""


CAMPAIGNS: tuple[Campaign, ...] = ()
