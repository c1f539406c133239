"""Where long lists are cut: at elements whose own bytes say so, so that what is added or trimmed moves no other cut.

An element ends a leaf with a chance that grows with its length: leaves have about `LEAF` bytes, whether their elements are
integers or messages. What is too short goes on, and what has no end by itself (a million zeros) is cut by length.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, compress, count
from operator import lt
from zlib import crc32

LEAF = 4096
_SHORTEST = LEAF // 4
_LONGEST = LEAF * 4
_CHANCE = (1 << 32) // LEAF

FANOUT = 64
_FEWEST = FANOUT // 4
_MOST = FANOUT * 4


def leaves(elements: Sequence[bytes], lengths: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Where each leaf begins and ends, in elements."""
    ends = list(accumulate(lengths))
    cuts = compress(count(1), map(lt, map(crc32, elements), map(_CHANCE.__mul__, lengths)))
    begin, before = 0, 0
    for cut in (*cuts, len(elements)):
        while ends[cut - 1] - before > _LONGEST and cut - begin > 1:
            forced = _reach(ends, begin, cut, before + _LONGEST)
            yield begin, forced
            begin, before = forced, ends[forced - 1]
        if ends[cut - 1] - before >= _SHORTEST or cut == len(elements):
            if cut > begin:
                yield begin, cut
            begin, before = cut, ends[cut - 1]


def _reach(ends: Sequence[int], begin: int, cut: int, limit: int) -> int:
    """The element, behind ``begin``, at which a leaf of some length ends."""
    from bisect import bisect_right

    return min(max(bisect_right(ends, limit, begin, cut), begin + 1), cut - 1)


def index(ids: Sequence[bytes], put: Callable[[Sequence[bytes]], bytes]) -> tuple[bytes, int]:
    """One document over all of them, and how many levels it has; ``put`` writes an index over some."""
    level, levels = list(ids), 0
    while len(level) > 1:
        level = [put(level[begin:end]) for begin, end in _groups(level)]
        levels += 1
    return level[0], levels


def _groups(ids: Sequence[bytes]) -> Iterator[tuple[int, int]]:
    begin = 0
    for end, id in enumerate(ids, 1):
        size = end - begin
        if end == len(ids) or size >= _MOST or (size >= _FEWEST and id[0] < 256 // FANOUT):
            yield begin, end
            begin = end
