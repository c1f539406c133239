"""Taking times, fairly: nobody pays for what another wrote, and who goes first changes from round to round."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
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


def alternating(parties: dict[str, T], rounds: int) -> Iterator[tuple[int, list[tuple[str, T]]]]:
    """Each round's number and its order of parties."""
    order = list(parties.items())
    for number in range(rounds):
        turn = number % len(order)
        yield number, order[turn:] + order[:turn]
