"""A snapshot of a project, a container, a memory and a team in which nothing has changed, beside the slowest of the four alone:
what it costs to have all of it under one id.

Every party has a store of its own and looks at the same four things, one after the other.
"""

from __future__ import annotations

import statistics
import threading
from pathlib import Path
from typing import Any

import takeback as tb
from bench.measure import alternating, settled
from bench.peers.clawteam import Team
from bench.peers.container import Container
from bench.rows import Row
from bench.trees import generate

TARGET = 1.5
EVENTS = 5
"""For each task of the team."""
NOTE = "nothing has changed since the last one; each part alone is saved into a store of its own"


class Party:
    """A timeline with some of the parts."""

    def __init__(self, place: Path, sources: list[Any]) -> None:
        self._store = tb.open(place)
        self._line = self._store.timeline("bench", sources=sources)
        self._latest = self._line.save(trigger="interval").id

    def save(self) -> None:
        if self._line.save(trigger="interval").id != self._latest:
            raise RuntimeError("something has changed")

    def close(self) -> None:
        self._store.close()


def measure(base: Path, files: int, tasks: int, messages: int, mebibytes: int, rounds: int) -> list[Row]:
    generate(base / "project", files)
    team = Team(base / "clawteam", tasks, tasks * EVENTS)
    memory = {"messages": [{"role": "user", "content": f"message {number} of many"} for number in range(messages)]}
    container = Container(base, mebibytes)

    def sources() -> dict[str, Any]:
        return {
            "workspace": tb.Workspace(base / "project"),
            "container": tb.Container(container.name, client=container.api),
            "memory": tb.State("memory", memory, lock=threading.Lock()),
            "team": tb.Team(team.name, team.data),
        }

    try:
        parties = {name: Party(base / "stores" / name, [source]) for name, source in sources().items()}
        parties["all"] = Party(base / "stores" / "all", list(sources().values()))
        taken: dict[str, list[float]] = {name: [] for name in parties}
        for _, order in alternating(parties, rounds):
            for name, party in order:
                taken[name].append(settled(party.save))
        for party in parties.values():
            party.close()
    finally:
        container.remove()
    ours = taken.pop("all")
    slowest = max(taken, key=lambda name: statistics.median(taken[name]))
    what = f"{files:,} files, a container, {messages:,} messages and {tasks:,} tasks in one snapshot, unchanged"
    return [Row(what, f"the {slowest} alone", "s", tuple(ours), tuple(taken[slowest]), TARGET, NOTE)]
