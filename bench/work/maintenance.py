"""Whether a save has to wait for the store's own housekeeping: a turn while `takeback maintain` runs, and alone."""

from __future__ import annotations

from bench.measure import seconds
from bench.peers.takeback import Takeback
from bench.rows import Row
from bench.trees import Tree, append

ALONE = 30


def measure(tree: Tree, mine: Takeback) -> list[Row]:
    """No row if the housekeeping is over before one turn is."""
    alone = tuple(_turn(tree, mine, number) for number in range(ALONE))
    meanwhile: list[float] = []
    process = mine.start_command("maintain")
    try:
        while process.poll() is None:
            meanwhile.append(_turn(tree, mine, ALONE + len(meanwhile)))
    finally:
        process.wait()
    during = tuple(meanwhile[:-1])  # the last one may have been alone in part
    return [Row("a turn while maintain runs", "the same alone", "s", during, alone, 2.0)] if during else []


def _turn(tree: Tree, mine: Takeback, number: int) -> float:
    start = seconds(mine.turn_start)
    append(tree.spread(2, number), f"# beside maintain {number}\n")
    return start + seconds(mine.turn_end)
