"""Which timelines there are, and which of them are shown."""

from __future__ import annotations

from collections.abc import Sequence

from takeback.tui.asking import Choice
from takeback.tui.heading import Tab
from takeback.tui.rowwords import path_end
from takeback.views.desk import Lane
from takeback.views.rows import Row

TOGETHER = 0
"""Stands for all timelines of this project."""
_PLACE = 60


class Lanes:
    """The store's timelines; one is shown, or all of this project together."""

    def __init__(self) -> None:
        self.every: list[Lane] = []
        self.chosen: int | None = None

    @property
    def own(self) -> list[Lane]:
        """Those of the directory, and their forks."""
        return [lane for lane in self.every if lane.is_own]

    @property
    def shown(self) -> list[Lane]:
        return self.own if self.chosen == TOGETHER else [lane for lane in self.every if lane.number == self.chosen]

    def take(self, every: Sequence[Lane], here: int) -> bool:
        """What there is now; whether others are shown because of it."""
        nothing = not self.shown
        first, self.every = self.chosen is None, list(every)
        if first or nothing or not self.shown:
            self.chosen = here or TOGETHER
            return first or bool(self.shown)
        return False

    def beside(self, step: int) -> int | None:
        """The one before or after, round and round; None if there is no other."""
        numbers = [*(lane.number for lane in self.own), *([TOGETHER] if len(self.own) > 1 else [])]
        if len(numbers) < 2:
            return None
        at = numbers.index(self.chosen) if self.chosen in numbers else 0
        return numbers[(at + step) % len(numbers)]

    def may_promote(self, row: Row | None) -> bool:
        """Whether a row is of a fork, or one begins there; on the present, whether there is any."""
        if row is None:
            return False
        near = self.own if row.kind == "present" else [lane for lane in self.every if lane.number == row.lane]
        return bool(row.forks) or any(lane.fork_of is not None for lane in near)

    def tabs(self) -> list[Tab]:
        """Names for the first line: one's own, and another that is shown."""
        named = [*self.own, *(lane for lane in self.shown if not lane.is_own)]
        together = [Tab(TOGETHER, "all")] if len(self.own) > 1 else []
        return [*(Tab(lane.number, lane.name) for lane in named), *together]

    def choices(self) -> list[Choice]:
        """All of them, to choose from."""
        about = "this directory's timelines and their forks, by time"
        together = [Choice(str(TOGETHER), "all of this project together", about)] if len(self.own) > 1 else []
        return [*together, *(_choice(lane) for lane in self.every)]


def _choice(lane: Lane) -> Choice:
    title = [(lane.name, "label"), ("  here" if lane.is_here else "", "good")]
    return Choice(str(lane.number), title, path_end(lane.root, _PLACE) or "no directory: memory alone")
