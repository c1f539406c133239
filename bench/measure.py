"""Taking times, fairly: nobody pays for what another wrote, and who goes first changes from round to round."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")


def seconds(step: Callable[[], object]) -> float:
    begin = time.perf_counter()
    step()
    return time.perf_counter() - begin


def settled(step: Callable[[], object]) -> float:
    """The same, after what was written before is on the disk."""
    os.sync()
    return seconds(step)


class Aside:
    """A place for what was measured already. Deleting thousands of files just before the next party makes as many slowed
    that one down on ext4, whoever it was; so nothing is deleted before the end."""

    def __init__(self, base: Path) -> None:
        self._place = base / "aside"
        self._count = 0

    def put(self, path: Path) -> None:
        self._place.mkdir(exist_ok=True)
        self._count += 1
        path.rename(self._place / f"{self._count:03}-{path.name}")


def alternating(parties: dict[str, T], rounds: int) -> Iterator[tuple[int, list[tuple[str, T]]]]:
    """Each round's number and its order of parties."""
    order = list(parties.items())
    for number in range(rounds):
        turn = number % len(order)
        yield number, order[turn:] + order[:turn]
