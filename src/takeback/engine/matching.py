"""Which lines of two texts are the same, in a bounded time: some texts would take difflib hours.

Up to so much effort the answer is difflib's own. After that, only what is the same at the beginning and at the end of a
stretch is found, and lines that each text has once: more lines are then told to differ than need be, and none fewer.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Sequence
from difflib import Match, SequenceMatcher
from functools import cached_property
from typing import TypeVar

T = TypeVar("T", bound=Hashable)

_EFFORT = 8_000_000
"""Comparisons, of which a processor does some millions a second."""


class Matching(SequenceMatcher[T]):
    """The same as difflib's, with an end."""

    a: Sequence[T]
    b: Sequence[T]
    b2j: dict[T, list[int]]

    def __init__(self, a: Sequence[T], b: Sequence[T], effort: int = _EFFORT, *, autojunk: bool = True) -> None:
        super().__init__(None, a, b, autojunk)
        self._left = effort
        hits = sum(len(self.b2j.get(each, ())) for each in a)
        self._each = 1 + hits // max(1, len(a))

    def find_longest_match(self, alo: int = 0, ahi: int | None = None, blo: int = 0, bhi: int | None = None) -> Match:
        last, end = len(self.a) if ahi is None else ahi, len(self.b) if bhi is None else bhi
        self._left -= (last - alo) * self._each
        if self._left >= 0:
            return super().find_longest_match(alo, last, blo, end)
        return self._at_an_end(alo, last, blo, end)

    def _at_an_end(self, alo: int, ahi: int, blo: int, bhi: int) -> Match:
        most, size = min(ahi - alo, bhi - blo), 0
        while size < most and self.a[alo + size] == self.b[blo + size]:
            size += 1
        if size:
            return Match(alo, blo, size)
        while size < most and self.a[ahi - 1 - size] == self.b[bhi - 1 - size]:
            size += 1
        return Match(ahi - size, bhi - size, size) if size else self._at_an_anchor(alo, ahi, blo, bhi)

    def _at_an_anchor(self, alo: int, ahi: int, blo: int, bhi: int) -> Match:
        """In the middle of those that are left, so that the rest falls into halves."""
        places, others = self._anchors
        first = max(bisect_left(places, alo), bisect_left(others, blo))
        last = min(bisect_left(places, ahi), bisect_left(others, bhi))
        if first >= last:
            return Match(alo, blo, 0)
        a, b = places[(first + last) // 2], others[(first + last) // 2]
        return Match(a, b, 1)

    @cached_property
    def _anchors(self) -> tuple[list[int], list[int]]:
        """Where the lines are that are on both sides once: as many of them as are there in the same order."""
        once = {line for line, times in Counter(self.a).items() if times == 1}
        once &= {line for line, times in Counter(self.b).items() if times == 1}
        there = {line: place for place, line in enumerate(self.b) if line in once}
        shared = [(place, there[line]) for place, line in enumerate(self.a) if line in once]
        ends: list[int] = []
        longest: list[int] = []
        """By length, which line ends an ordered row of so many, as early as can be."""
        before: dict[int, int] = {}
        for number, (_, place) in enumerate(shared):
            length = bisect_left(ends, place)
            if length:
                before[number] = longest[length - 1]
            ends[length : length + 1] = [place]
            longest[length : length + 1] = [number]
        row: list[tuple[int, int]] = []
        at = longest[-1] if longest else None
        while at is not None:
            row.append(shared[at])
            at = before.get(at)
        row.reverse()
        return [place for place, _ in row], [place for _, place in row]
