"""A snapshot of a large team, in which nothing or little has changed since the last one, beside ClawTeam's own: how long it
takes, and what is kept.

Both look at the same team, one after the other, in every round after the same change.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import takeback as tb
from bench.measure import alternating, settled
from bench.peers.clawteam import Team
from bench.rows import Row
from bench.trees import size

PEER = "clawteam"
EVENTS = 5
"""For each task."""
UNCHANGED = 1 / 5
BYTES = 1 / 10
FULL_SIZE = 10_000
"""Tasks of the team that the targets are meant for."""
QUIET_ROUNDS = 5
KEPT = "the first of them, which holds everything, included; each bundle is weighed and removed"


class Ours:
    def __init__(self, place: Path, team: Team) -> None:
        self._place = place
        self._store = tb.open(place)
        self._line = self._store.timeline(team.name, sources=[tb.Team(team.name, team.data)])

    def save(self) -> None:
        snapshot = self._line.save(trigger="interval")
        if snapshot.parts["team"].not_captured:
            raise RuntimeError("not everything of the team was captured")

    def kept(self) -> int:
        return size(self._place)

    def close(self) -> None:
        self._store.close()


class Theirs:
    def __init__(self, team: Team) -> None:
        self._manager, self._bundles = team.theirs, team.data / "snapshots" / team.name
        self._kept = 0

    def save(self) -> None:
        self._manager.create("bench")

    def kept(self) -> int:
        """All of them together; one of which the bytes are known may go."""
        self._kept += size(self._bundles)
        for bundle in self._bundles.iterdir():
            bundle.unlink()
        return self._kept


def measure(base: Path, tasks: int, snapshots: int) -> list[Row]:
    team = Team(base / "data", tasks, tasks * EVENTS)
    ours = Ours(base / "store", team)
    parties: dict[str, Ours | Theirs] = {"takeback": ours, PEER: Theirs(team)}
    first = {name: [settled(party.save)] for name, party in parties.items()}
    kept = {name: party.kept() for name, party in parties.items()}
    changed: dict[str, list[float]] = {name: [] for name in parties}
    for number, order in alternating(parties, snapshots - 1):
        team.change(number)
        for name, party in order:
            changed[name].append(settled(party.save))
            kept[name] = party.kept()
    unchanged: dict[str, list[float]] = {name: [] for name in parties}
    for _, order in alternating(parties, QUIET_ROUNDS):
        for name, party in order:
            unchanged[name].append(settled(party.save))
    ours.close()
    what = f"a team with {tasks:,} tasks and {tasks * EVENTS:,} events"
    row, full = _beside(what), tasks >= FULL_SIZE
    return [
        row("", unchanged, UNCHANGED if full else None, "nothing has changed since the last one"),
        row(", 4 files changed", changed, None, "through ClawTeam: a task, a letter and its event, a session"),
        row(", its first snapshot", first, None, ""),
        Row(
            f"bytes of {snapshots} snapshots of it, 4 files changed each time",
            PEER,
            "B",
            (kept["takeback"],),
            (kept[PEER],),
            BYTES if full else None,
            KEPT,
        ),
    ]


def _beside(what: str) -> Callable[[str, dict[str, list[float]], float | None, str], Row]:
    def row(how: str, samples: dict[str, list[float]], target: float | None, note: str) -> Row:
        return Row(f"{what}{how}", PEER, "s", tuple(samples["takeback"]), tuple(samples[PEER]), target, note)

    return row
