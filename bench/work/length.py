"""Whether a long history makes log, save and undo slow: takeback against itself with a short one, in process."""

from __future__ import annotations

from pathlib import Path

from bench.measure import alternating, seconds
from bench.peers.takeback import Takeback
from bench.rows import Row, against
from bench.trees import append, generate

SHORT = 100
SHOWN = 20
"""Entries of a log, as the command shows them."""


class History:
    """A small project with so many snapshots, each the start of a turn."""

    def __init__(self, base: Path, snapshots: int) -> None:
        self._tree = generate(base / f"project-{snapshots}", 50)
        self._mine = Takeback(base / f"store-{snapshots}", self._tree.root)
        self._turns = 0
        for _ in range(snapshots):
            self._mine.turn_start()
            self._edit()
        self._mine.turn_end()
        self.log()

    def log(self) -> None:
        self._mine.line.log(SHOWN)

    def save(self) -> float:
        """The start of a turn, after one file changed."""
        self._edit()
        return seconds(self._mine.turn_start)

    def undo(self) -> float:
        """Of the turn that `save` began."""
        self._edit()
        self._mine.turn_end()
        return seconds(lambda: self._mine.line.undo())

    def _edit(self) -> None:
        self._turns += 1
        append(self._tree.spread(1, self._turns), f"# {self._turns}\n")


def measure(base: Path, snapshots: int, rounds: int = 11) -> list[Row]:
    peer = f"itself with {SHORT}"
    parties = {"takeback": History(base, snapshots), peer: History(base, SHORT)}
    logs: dict[str, list[float]] = {name: [] for name in parties}
    saves: dict[str, list[float]] = {name: [] for name in parties}
    undos: dict[str, list[float]] = {name: [] for name in parties}
    for _, order in alternating(parties, rounds):
        for name, history in order:
            logs[name].append(seconds(history.log))
            saves[name].append(history.save())
            undos[name].append(history.undo())
    rows = against(f"log with {snapshots:,} snapshots", "s", logs, {peer: 2.0})
    rows += against(f"save with {snapshots:,} snapshots", "s", saves, {peer: 2.0})
    return rows + against(f"undo with {snapshots:,} snapshots", "s", undos, {peer: 2.0})
