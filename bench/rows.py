"""What was measured, against whom, and what is wanted: plain values and their arithmetic.

A ratio is always takeback's figure divided by the peer's, of seconds or of bytes: below 1 takeback is the cheaper one,
and a target is the largest ratio that is good enough. "Ten times faster" is a target of 0.1.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

Unit = Literal["s", "B"]


@dataclass(frozen=True, slots=True)
class Row:
    """One kind of work, done by takeback and by one peer; every sample is of the same run."""

    work: str
    peer: str
    unit: Unit
    ours: tuple[float, ...]
    theirs: tuple[float, ...]
    target: float | None = None
    """The largest ratio that is good enough; None where the row only informs."""
    note: str = ""

    @property
    def our_median(self) -> float:
        return statistics.median(self.ours)

    @property
    def their_median(self) -> float:
        return statistics.median(self.theirs)

    @property
    def ratio(self) -> float:
        return self.our_median / self.their_median

    @property
    def verdict(self) -> str:
        if self.target is None:
            return ""
        return "met" if self.ratio <= self.target else "missed"


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A row that could not be measured, and why."""

    work: str
    why: str


def against(
    work: str, unit: Unit, samples: Mapping[str, Sequence[float]], targets: Mapping[str, float | None], note: str = ""
) -> list[Row]:
    """A row for each peer that has samples; takeback's own are under its name."""
    ours = tuple(samples["takeback"])
    return [
        Row(work, peer, unit, ours, tuple(samples[peer]), target, note)
        for peer, target in targets.items()
        if samples.get(peer)
    ]


def met(rows: Sequence[Row]) -> tuple[int, int]:
    """How many targets were met, of how many."""
    judged = [row.verdict for row in rows if row.verdict]
    return judged.count("met"), len(judged)
