"""Cutting a list that was cut before: most of its leaves are as they were, and are found so without a look at their elements.

Where a list was cut is only a hint. A leaf is taken as it was if it has the same bytes, begins where a leaf begins now, and
the element behind it is the same, too, on whose length its end may depend; so the cuts are always those that
`takeback.documents.splitting` makes.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from typing import Any, NamedTuple

from blake3 import blake3

from takeback.documents.blobs import join
from takeback.documents.plain import pack
from takeback.documents.splitting import leaves
from takeback.documents.standing import Leaves
from takeback.documents.tags import LONGEST, array

_AHEAD = 3
"""So many leaves are cut anew where one has changed: the next cuts are most likely where they were."""
_PATIENCE = 16
"""After so many changes the rest is cut in one go."""


class Leaf(NamedTuple):
    begin: int
    end: int
    body: bytes


class Cuts:
    """Where a list was cut."""

    def __init__(self) -> None:
        self._leaves: dict[int, tuple[int, bytes]] = {}
        """By the place of their first elements: where they end, and their blobs."""
        self._begins: list[int] = []

    def note(self, begin: int, end: int, blob: bytes) -> None:
        self._leaves[begin] = end, blob

    def again(self, values: list[Any]) -> list[Leaf] | None:
        """The leaves of a list that is plain; None if an element is so long that it does not stand in its leaf."""
        self._begins = sorted(self._leaves)
        found: list[Leaf] = []
        at = changes = 0
        while at < len(values):
            same = list(self._same(values, at))
            if same and same[-1].end < len(values):
                same.pop()  # what is behind it may have changed
            found += same
            at = same[-1].end if same else at
            if at < len(values):
                changes += 1
                new = self._anew(values, at, changes)
                if new is None:
                    return None
                found += new
                at = new[-1].end
        return found

    def _same(self, values: list[Any], at: int) -> Iterator[Leaf]:
        """Leaves from a place on that are as they were."""
        while at in self._leaves:
            end, blob = self._leaves[at]
            body = pack(values[at:end])
            if blake3(join((), (), body)).digest() != blob:
                return
            yield Leaf(at, end, body)
            at = end

    def _anew(self, values: list[Any], at: int, changes: int) -> list[Leaf] | None:
        """Leaves from a place on, at least one, up to a place where another one began."""
        ahead = bisect_right(self._begins, at) + _AHEAD
        upto = len(values)
        if changes < _PATIENCE and ahead < len(self._begins):
            upto = min(upto, self._begins[ahead])
        elements = list(map(pack, values[at:upto]))
        lengths = list(map(len, elements))
        if max(lengths) > LONGEST:
            return None
        found = []
        for begin, end in leaves(elements, lengths):
            if at + end == upto < len(values):
                break  # where it ends was our choice
            found.append(Leaf(at + begin, at + end, array(end - begin) + b"".join(elements[begin:end])))
            if at + end in self._leaves:
                break
        return found or self._anew(values, at, _PATIENCE)


def cuts_of(leaves: Leaves) -> dict[int, Cuts]:
    """Where lists were cut, by their identities."""
    found: dict[int, Cuts] = {}
    for blob, places in leaves.items():
        for origin, begin, end in places:
            found.setdefault(id(origin), Cuts()).note(begin, end, blob)
    return found


def size_of(leaf: Leaf) -> int:
    """Of its elements together."""
    return len(leaf.body) - len(array(leaf.end - leaf.begin))
