"""Anchors: lines, or runs of lines, that each text has once, as many of them as are in the same order in both."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Sequence

from takeback.model.line_diff.effort import Effort

_WIDTHS = (1, 8, 64)
"""Lines of an anchor. A text of few different lines has long runs that it has once."""
_ENOUGH = 32
"""So many lines between two anchors are few."""


def anchors(a: Sequence[int], b: Sequence[int], effort: Effort) -> list[tuple[int, int]]:
    """The places of anchors' first lines, for the width of which most are found."""
    best: list[tuple[int, int]] = []
    for width in _WIDTHS:
        if len(best) * _ENOUGH > min(len(a), len(b)) or not effort.take(len(a) + len(b)):
            break
        best = max(best, _in_order(_runs(a, width), _runs(b, width)), key=len)
    return best


def _runs(numbers: Sequence[int], width: int) -> Sequence[Hashable]:
    """All runs of so many lines, one from each line on."""
    packed = array("Q", numbers)
    size = width * packed.itemsize
    text = packed.tobytes()
    return [text[at : at + size] for at in range(0, len(text) - size + 1, packed.itemsize)]


def _in_order(a: Sequence[Hashable], b: Sequence[Hashable]) -> list[tuple[int, int]]:
    """The longest row of places that increase in both (patience sorting)."""
    once = {each for each, times in Counter(a).items() if times == 1}
    once &= {each for each, times in Counter(b).items() if times == 1}
    there = {each: place for place, each in enumerate(b) if each in once}
    shared = [(place, there[each]) for place, each in enumerate(a) if each in once]
    ends: list[int] = []
    """By length, the earliest place in ``b`` at which a row of that length ends."""
    last: list[int] = []
    """By length, which of ``shared`` is at that end."""
    before: dict[int, int] = {}
    for number, (_, place) in enumerate(shared):
        length = bisect_left(ends, place)
        if length:
            before[number] = last[length - 1]
        ends[length : length + 1] = [place]
        last[length : length + 1] = [number]
    row: list[tuple[int, int]] = []
    at = last[-1] if last else None
    while at is not None:
        row.append(shared[at])
        at = before.get(at)
    return row[::-1]
