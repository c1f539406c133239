"""Compaction: the same differences in as few hunks as possible, and as late as possible.

Lines that were only added, or only removed, can often as well have been added or removed somewhat earlier or later: a blank line before
a function, or the one behind it. Where such a hunk reaches another one, they become one. So a function that was removed is one hunk
and not three, and two texts to which the same lines were added at the same place have the same hunk, whatever else differs.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import NamedTuple

from takeback.model.line_diff.effort import Effort
from takeback.model.line_diff.runs import longest, longest_before

_MOVED_IN_A_STEP = 64


class Hunk(NamedTuple):
    """Lines of one text, and the lines that the other text has in their place. Numbers begin at 0; an end is not included."""

    a: int
    a_end: int
    b: int
    b_end: int

    @property
    def is_one_sided(self) -> bool:
        """Whether lines were only added, or only removed."""
        return self.a == self.a_end or self.b == self.b_end

    def later(self, lines: int) -> Hunk:
        return Hunk(*(each + lines for each in self))

    def joined(self, later: Hunk) -> Hunk:
        return Hunk(self.a, later.a_end, self.b, later.b_end)


def compacted(hunks: Sequence[Hunk], a: Sequence[Hashable], b: Sequence[Hashable], effort: Effort) -> list[Hunk]:
    """The hunks of two texts, compacted as far as the effort goes."""
    slides = _Slides(a, b, effort)
    made, count = list(hunks), 0
    while len(made) != count and not slides.ended:
        count = len(made)
        made = slides.late(slides.early(made))
    return made


class _Slides:
    """Moves hunks of two texts."""

    def __init__(self, a: Sequence[Hashable], b: Sequence[Hashable], effort: Effort) -> None:
        self._a, self._b = a, b
        self._effort = effort
        self.ended = False

    def early(self, hunks: Iterable[Hunk]) -> list[Hunk]:
        """Join hunks with the ones before them that they reach."""
        made: list[Hunk] = []
        for each in hunks:
            hunk = each
            while made and hunk.is_one_sided:
                text, first, end = self._lines(hunk)
                distance = hunk.a - made[-1].a_end
                if self._paid(longest_before(text, first, text, end, distance)) < distance:
                    break
                hunk = made.pop().joined(hunk.later(-distance))
            made.append(hunk)
        return made

    def late(self, hunks: Sequence[Hunk]) -> list[Hunk]:
        """Move hunks as far as they go, and join them with the ones behind them that they reach."""
        made: list[Hunk] = []
        for each in reversed(hunks):
            hunk = each
            while hunk.is_one_sided:
                text, first, end = self._lines(hunk)
                distance = (made[-1].a if made else len(self._a)) - hunk.a_end
                lines = self._paid(longest(text, first, text, end, distance))
                hunk = hunk.later(lines)
                if lines < distance or not made:
                    break
                hunk = hunk.joined(made.pop())
            made.append(hunk)
        return made[::-1]

    def _lines(self, hunk: Hunk) -> tuple[Sequence[Hashable], int, int]:
        """The text in which a hunk has lines, and where."""
        return (self._b, hunk.b, hunk.b_end) if hunk.a == hunk.a_end else (self._a, hunk.a, hunk.a_end)

    def _paid(self, lines: int) -> int:
        """So many lines, if there is effort for them; else none."""
        if self._effort.take(lines // _MOVED_IN_A_STEP):
            return lines
        self.ended = True
        return 0
