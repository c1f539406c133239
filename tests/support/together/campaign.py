"""One restore of four parts after the other, each with something that goes wrong, and what counts as wrong afterwards.

Nothing is set up anew between two of them: a world that is exactly as before is the next one's, and if a try ended on the
other side, the next goes back from there.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from support.faults import Fault
from support.faults.zygote import Ended, Zygote
from support.together import trying
from support.together.trying import DISK, DOWN, KILLED, LOST, RAISES, REFUSED, Tried, Verb, Wrong
from support.together.world import Memory, Seen, World, memory

BEFORE, AFTER = "before", "after"
VERBS: dict[str, dict[str, Verb]] = {
    "restore": {AFTER: trying.back, BEFORE: trying.forth},
    "undo": {AFTER: trying.undo, BEFORE: trying.redo},
}
"""What leads to the other side, by the side that the world is on."""

AT_ONCE = {str(Fault.FAIL), str(Fault.DENY), REFUSED, LOST, RAISES}
"""After these, which happen once, everything is as it was when the command ends."""
LATER = {str(Fault.BREAK), str(Fault.FILL), str(Fault.TEAR), DOWN}
"""These go on, so that not even what was there can be put back: that is said, and the next command does it."""


class Side(NamedTuple):
    seen: Seen
    memory: Memory


class Campaign:
    """A world with two sides, before and after a turn, and a verb that leads from one to the other."""

    def __init__(self, world: World, zygote: Zygote, verb: str) -> None:
        self.world, self._zygote, self._verbs = world, zygote, VERBS[verb]
        self._beside = (Path(world.boxes.engine.api.info()["DockerRootDir"]),)
        mine = memory(0)
        with world.place.line(mine) as line:
            line.save(BEFORE)
            before = Side(world.seen(), copy.deepcopy(mine))
            with line.turn("work"):
                mine |= world.work(1)
            line.label("@", AFTER)
        self.sides = {BEFORE: before, AFTER: Side(world.seen(), mine)}
        self.now = AFTER
        self.ends = dict.fromkeys((BEFORE, AFTER, "as it was", "as wanted"), 0)

    def steps(self) -> dict[str, list[str]]:
        """All steps of the way there, and after that the way back, which go well."""
        found: dict[str, list[str]] = {}
        for _ in range(2):
            ended = self._try(None)
            assert not ended.trouble and not ended.result.error, ended
            found = found or ended.result.steps
            wrong = self._judge(ended.result, {self._other})
            assert not wrong, wrong
        return found

    def run(self, wrong: Wrong) -> str:
        """What is wrong after something went wrong; nothing if all is well."""
        ended = self._try(wrong)
        tried: Tried | None = ended.result
        if ended.trouble or (tried is None and wrong.how not in (KILLED, str(Fault.KILL))):
            return ended.trouble or f"it ended with {ended.code}"
        if tried is None or wrong.how in LATER:
            next_one = self._zygote.call(trying.carry_on, self.world.place)
            if next_one.trouble:
                return next_one.trouble
            found = self._judge(next_one.result, {self.now, self._other})
            return found or (f"left behind: {self.world.left()}" if self.world.left() else "")
        ends = {self.now, self._other} if tried.error else {self._other}
        return self._judge(tried, ends)

    @property
    def _other(self) -> str:
        return AFTER if self.now == BEFORE else BEFORE

    def _try(self, wrong: Wrong | None) -> Ended:
        mine = copy.deepcopy(self.sides[self.now].memory)
        return self._zygote.call(trying.attempt, self.world.place, self._verbs[self.now], mine, wrong, self._beside)

    def _judge(self, tried: Tried, ends: set[str]) -> str:
        """Whether all four parts are on one of the sides where they may be; the next try begins there."""
        seen, said = self.world.seen(), f" ({tried.error} {' '.join(tried.hints)})" if tried.error else ""
        there = [end for end in sorted(ends) if self.sides[end] == Side(seen, tried.memory)]
        if there:
            self.ends["as it was" if there[0] == self.now else "as wanted"] += 1
            self.now = there[0]
            return ""
        parts = {
            end: [*side.seen.differing(seen), *(["memory"] if side.memory != tried.memory else [])][:6]
            for end, side in self.sides.items()
        }
        return f"it should be {' or '.join(sorted(ends))}{said}, and differs: {parts}"


def chosen(texts: Sequence[str]) -> Iterator[int]:
    """The numbers of steps that differ from their neighbours: of many alike in a row, the first and the last."""
    at = 1
    for _, some in groupby(texts):
        count = len(list(some))
        yield at
        if count > 1:
            yield at + count - 1
        at += count


def failures(steps: dict[str, list[str]]) -> Iterator[Wrong]:
    """Every way in which each step can fail while the process lives."""
    for where, texts in steps.items():
        for at in chosen(texts):
            for how in sorted(AT_ONCE | LATER):
                if how in trying.HOW[where] and not (how == LOST and texts[at - 1].startswith("GET")):
                    yield Wrong(where, at, how)


def kills(steps: dict[str, list[str]]) -> Iterator[Wrong]:
    """The process is killed at every step."""
    for where, texts in steps.items():
        how = str(Fault.KILL) if where == DISK else KILLED
        yield from (Wrong(where, at, how) for at in chosen(texts))
