"""What long lists of byte strings were cut into last time, so that their beginnings need not be cut and put again.

For who writes a list that grows, again and again. Where a list is cut depends on nothing behind the cut but the length of the
next element, so every leaf but the last stands for as long as the elements up to that one are the same. Only byte strings
are recalled: they never change, and equal ones are written equally, as 1 and True are not.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable
from typing import NamedTuple


class Leaf(NamedTuple):
    end: int
    """Behind its last element."""
    id: bytes
    size: int


class _List(NamedTuple):
    elements: list[bytes]
    leaves: list[Leaf]


class Recall:
    """Handed to one `put`, and, once what that put is part of a snapshot, to the next through ``before``. Who does so has
    found that snapshot under the lease of the next: what is recalled is referred to, and not put."""

    def __init__(self, before: Recall | None = None) -> None:
        self._before: dict[Hashable, _List] = before._now if before is not None else {}
        self._now: dict[Hashable, _List] = {}

    def standing(self, place: Hashable, elements: list[bytes]) -> list[Leaf]:
        """The first leaves of what was at a place, as far as the elements are the same."""
        known = self._before.get(place)
        if known is None:
            return []
        same = min(len(elements), len(known.elements))
        if elements[:same] != known.elements[:same]:
            pairs = zip(elements, known.elements, strict=False)
            same = next(at for at, (mine, theirs) in enumerate(pairs) if mine != theirs)
        ends = [leaf.end for leaf in known.leaves[:-1]]
        return known.leaves[: bisect_right(ends, same if same == len(elements) else same - 1)]

    def note(self, place: Hashable, elements: list[bytes], leaves: list[Leaf]) -> None:
        self._now[place] = _List(list(elements), leaves)
