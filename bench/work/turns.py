"""An agent's turn, start and end together: takeback in process, shadow git as the commands that agents run."""

from __future__ import annotations

from typing import Protocol

from bench.measure import alternating, seconds
from bench.peers.takeback import Hooked
from bench.rows import Row, against
from bench.trees import Tree, append
from bench.work.first_capture import Kept


class Party(Protocol):
    def turn_start(self) -> None: ...

    def turn_end(self) -> None: ...


def measure(tree: Tree, kept: Kept, rounds: int, target: float) -> list[Row]:
    """Turns that change two files, which ``target`` is for, and idle ones."""
    return _against(tree, kept, kept.takeback, "a turn", rounds, target)


def measure_hooks(tree: Tree, kept: Kept, rounds: int) -> list[Row]:
    """The same with takeback as a process for each event, which is how agents call it."""
    return _against(tree, kept, Hooked(kept.takeback), "a turn through the hook", rounds, 2.0)


def _against(tree: Tree, kept: Kept, ours: Party, work: str, rounds: int, target: float) -> list[Row]:
    parties = {"takeback": ours, "docker-agent git": kept.shadow, "opencode git": kept.opencode}
    for party in parties.values():
        party.turn_start()
        party.turn_end()
    rows = []
    for title, changes, bound in [("2 files changed", 2, target), ("nothing changed", 0, None)]:
        times = _turns(tree, parties, changes, rounds)
        targets = {"docker-agent git": bound, "opencode git": bound}
        rows += against(f"{work}, {title}, {tree.count:,} files", "s", times, targets)
    return rows


def _turns(tree: Tree, parties: dict[str, Party], changes: int, rounds: int) -> dict[str, list[float]]:
    times: dict[str, list[float]] = {name: [] for name in parties}
    for number, order in alternating(parties, rounds):
        started = {name: seconds(party.turn_start) for name, party in order}
        if changes:
            append(tree.spread(changes, number), f"# turn {number}\n")
        for name, party in order:
            times[name].append(started[name] + seconds(party.turn_end))
    return times
