"""Verbs that others can come between: they have changed nothing then, look again, and do it on what is there now.

Without a root no lock keeps others from committing between a look at the objects and the commit; and the members of a team
need none of ours to write to it. So a verb tries again; after some tries it takes the timeline's turn, and verbs that begin later
wait until it is done. Without that, a process that saves all the time could keep another one from ever committing.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import TypeVar

from takeback.engine.line import Line
from takeback.engine.record import MovedOn
from takeback.errors import Conflict, Integrity
from takeback.store.locks import let_pass, named_lock

T = TypeVar("T")

_TRIES = 10
_TRIES_IN_TURN = 200
_LONGEST_PAUSE = 0.05
_BUSY_TRIES = 6
_BUSY_PAUSE = 0.1


def until_alone(line: Line, verb: Callable[[], T]) -> T:
    """What a verb gives, when nobody came between. With a root's lock nobody can, and once is enough."""
    if any(source.root for source in line.sources.values()):
        return verb()
    turn = f"the turn of {line.name} in {line.root} of {line.blobs.path or id(line.blobs)}"
    let_pass(turn, line.patience)
    for tried in range(_TRIES):
        try:
            return verb()
        except MovedOn:
            _pause(tried)
    with named_lock(turn, line.patience, line.waiting):
        for tried in range(_TRIES_IN_TURN - 1):
            try:
                return verb()
            except MovedOn:
                _pause(tried)
        return verb()


def _pause(tried: int) -> None:
    time.sleep(random.uniform(0, min(_LONGEST_PAUSE, 0.001 * 2**tried)))


class Disturbed(Integrity):
    """What was put in place is not what stands there."""


def may_be_disturbed(line: Line) -> bool:
    """Whether somebody is meant to change what others are working on."""
    return any(getattr(source, "force", False) for source in line.sources.values())


def until_undisturbed(line: Line, restore: Callable[[], T]) -> T:
    """What a restore gives, when nobody wrote into what it was putting back. Forced on those who work
    there it may take some tries: each has saved the present, and taken back what it had begun."""
    for _ in range(_BUSY_TRIES - 1 if may_be_disturbed(line) else 0):
        try:
            return restore()
        except (Conflict, Disturbed):
            time.sleep(random.uniform(0, _BUSY_PAUSE))
    return restore()
