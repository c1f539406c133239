"""Undo of a move that changed 100 files all over the tree, as a whole command."""

from __future__ import annotations

from typing import Protocol

from bench.measure import alternating, settled
from bench.rows import Row, against
from bench.trees import Tree, append
from bench.work.first_capture import Kept

FILES = 100


class Party(Protocol):
    def turn_start(self) -> None: ...

    def turn_end(self) -> None: ...

    def undo(self) -> None: ...


def measure(tree: Tree, kept: Kept, rounds: int) -> list[Row]:
    """Each party takes back a turn of its own, so that nobody works on what another has just written."""
    parties: dict[str, Party] = {"takeback": kept.takeback, "docker-agent git": kept.shadow}
    times: dict[str, list[float]] = {name: [] for name in parties}
    for number, order in alternating(parties, rounds):
        for name, party in order:
            party.turn_start()
            changed = tree.spread(FILES, number)
            before = [path.read_bytes() for path in changed]
            append(changed, f"# move {number}\n")
            party.turn_end()
            times[name].append(settled(party.undo))
            if [path.read_bytes() for path in changed] != before:
                raise RuntimeError(f"{name} did not take everything back")
    return against(f"undo of {FILES} files, whole command, {tree.count:,} files", "s", times, {"docker-agent git": 2.5})
