"""Shortest edit: the fewest lines to remove and to add that make one text of another (Myers' greedy algorithm).

A place is a line of each text. It is on the diagonal ``x - y``. By how many lines differ, the search notes how far each diagonal
leads; a run of equal lines costs nothing. Its cost is the square of the lines that differ, so there is a limit to them.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from math import isqrt
from typing import NamedTuple

from takeback.model.line_diff.effort import Effort
from takeback.model.line_diff.runs import longest

_LEAST, _MOST = 128, 512
"""So many lines may differ: few in a short text, more in a long one, so that the search never costs much more than reading it."""
_AHEAD = 256
"""So many lines may differ up to a place where a greedy search gives up and takes what leads farthest."""
_LONG = 32
"""So many equal lines in a row are no chance."""
_RUN_IN_A_STEP = 256

Run = tuple[int, int, int]
"""Where equal lines begin in each text, and how many there are."""


class _Way(NamedTuple):
    """The runs on the way to a place, the last one first."""

    runs: list[Run]
    x: int
    y: int


class ShortestEdit:
    """The search in two texts whose lines are numbers."""

    def __init__(self, a: Sequence[int], b: Sequence[int], effort: Effort) -> None:
        self._a, self._b = a, b
        self._packed_a, self._packed_b = array("Q", a), array("Q", b)  # a list's slices compare more slowly
        self._effort = effort

    def exact(self) -> list[Run] | None:
        """As many equal lines in order as there are; None if too many lines differ for that."""
        most = min(_MOST, max(_LEAST, isqrt(8 * (len(self._a) + len(self._b)))))
        if abs(len(self._a) - len(self._b)) > most:
            return None
        way = self._from(0, 0, most, is_greedy=False)
        return None if way is None else way.runs

    def greedy(self) -> Iterator[Run]:
        """Equal lines from the beginning on. What follows a long run does not change what was found before it."""
        x = y = 0
        while x < len(self._a) and y < len(self._b):
            way = self._from(x, y, _AHEAD, is_greedy=True)
            if way is None:
                return
            yield from way.runs
            x, y = way.x, way.y

    def _from(self, x0: int, y0: int, most: int, *, is_greedy: bool) -> _Way | None:
        """The way from a place to the end of both texts, if at most so many lines differ. A greedy one ends after a long run, or
        where most of both texts is behind it. None if there is no such way, or no effort for it."""
        a, b, packed_a, packed_b = self._a, self._b, self._packed_a, self._packed_b
        n, m = len(a) - x0, len(b) - y0
        most = min(most, n + m)
        middle = most + 3
        reached = [-1] * (2 * middle + 1)
        """By diagonal, the farthest place. Diagonal 0 is in the ``middle``."""
        reached[middle + 1] = 0
        rounds: list[list[int]] = []
        for differ in range(most + 1):
            steps, best, at = differ + 1, 0, 0
            first, last = -differ + 2 * max(0, differ - m), differ - 2 * max(0, differ - n)
            for diagonal in range(first, last + 1, 2):
                removed, added = reached[middle + diagonal - 1] + 1, reached[middle + diagonal + 1]
                x = removed if removed > added else added
                y = x - diagonal
                if x < n and y < m and a[x0 + x] == b[y0 + y]:
                    run = longest(packed_a, x0 + x, packed_b, y0 + y, min(n - x, m - y))
                    x += run
                    steps += 1 + run // _RUN_IN_A_STEP
                    if run > best:
                        best, at = run, diagonal
                reached[middle + diagonal] = x
            if not self._effort.take(steps):
                return None
            if abs(n - m) <= differ and reached[middle + n - m] >= n:
                return _way(rounds, x0, y0, n, n - m)
            if is_greedy and best >= _LONG:
                return _way(rounds, x0, y0, reached[middle + at], at)
            if is_greedy and differ == most:
                _, x, at = max(
                    (2 * x - diagonal, x, diagonal)
                    for diagonal in range(first, last + 1, 2)
                    if (x := reached[middle + diagonal]) <= n and x - diagonal <= m
                )
                return _way(rounds, x0, y0, x, at)
            rounds.append(reached[middle - differ - 2 : middle + differ + 3])
        return None


def _way(rounds: Sequence[Sequence[int]], x0: int, y0: int, x: int, diagonal: int) -> _Way:
    """Read back, round by round, how a place was reached."""
    end_x, end_y = x0 + x, y0 + x - diagonal
    runs = []
    for before in reversed(rounds):
        middle = len(before) // 2
        removed, added = before[middle + diagonal - 1] + 1, before[middle + diagonal + 1]
        start = max(removed, added)
        if x > start:
            runs.append((x0 + start, y0 + start - diagonal, x - start))
        diagonal += -1 if removed > added else 1
        x = before[middle + diagonal]
    return _Way([*runs, (x0, y0, x)] if x else runs, end_x, end_y)
