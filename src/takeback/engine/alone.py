"""Verbs of a timeline without a root: no lock keeps others from committing between a look at the objects and the commit.

Whoever comes second there has recorded and changed nothing; it looks again and does it on what is there now.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import TypeVar

from takeback.engine.line import Line
from takeback.engine.record import MovedOn

T = TypeVar("T")

_TRIES = 200
_LONGEST_PAUSE = 0.05


def until_alone(line: Line, verb: Callable[[], T]) -> T:
    """What a verb gives, when nobody came between. With a root's lock nobody can, and once is enough."""
    tries = 1 if any(source.root for source in line.sources.values()) else _TRIES
    for tried in range(tries - 1):
        try:
            return verb()
        except MovedOn:
            time.sleep(random.uniform(0, min(_LONGEST_PAUSE, 0.001 * 2**tried)))
    return verb()
