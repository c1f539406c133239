"""What long lists were cut into when they were last written, so that most of it need not be done again.

Where a list was cut is only a hint: a leaf is taken as it was if its elements are the same, it begins where a leaf begins now,
and the element behind it is the same, too, on whose length its end may depend. So the cuts are always those that
`takeback.documents.splitting` makes. Elements that can change are written again and compared by hash; byte strings never
change, and are compared as they are.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from blake3 import blake3

from takeback.documents.blobs import join
from takeback.documents.plain import pack
from takeback.documents.splitting import leaves
from takeback.documents.tags import LONGEST, array

_AHEAD = 3
"""So many leaves are cut anew where one has changed: the next cuts are most likely where they were."""
_PATIENCE = 16
"""After so many changes the rest is cut in one go."""


class Leaf(NamedTuple):
    """Some elements of a list."""

    begin: int
    end: int
    id: bytes | None
    """Of the blob, if it was written before."""
    size: int
    """Of the elements together."""
    body: bytes | None
    """What is to be written; None if that need not be done again."""


class Cut(NamedTuple):
    """A list, and the leaves that it became which lead to no other blobs."""

    origin: list[Any]
    leaves: dict[int, tuple[int, bytes, int]]
    """By the place of their first elements: where they end, their blobs, and the size of the elements."""
    elements: list[bytes] | None
    """What the list held, if that was nothing but byte strings."""
    plain: bool


class Content(NamedTuple):
    """A long string, which is held so that no other gets its identity; what it is, its blob, and its length there."""

    value: str | bytes
    what: int
    id: bytes
    size: int


class Recall:
    """The lists of one value, by where they were in it, and its long strings, which never change."""

    def __init__(self) -> None:
        self.cuts: dict[Hashable, Cut] = {}
        self.contents: dict[int, Content] = {}
        """Long strings, by their identities."""

    def note(
        self, place: Hashable, origin: list[Any], found: Iterable[tuple[int, int, bytes, int]], *, plain: bool = True
    ) -> None:
        """Remember a list; ``found`` are where its leaves begin and end, their blobs, and the sizes of their elements."""
        kept = list(origin) if set(map(type, origin)) == {bytes} else None
        self.cuts[place] = Cut(origin, {begin: (end, id, size) for begin, end, id, size in found}, kept, plain)


def cut_again(cut: Cut, values: list[Any], there: bool) -> list[Leaf] | None:
    """The leaves of a plain list that was cut before; None if an element is so long that it does not stand in its leaf.

    With ``there`` the blobs of before can be referred to, and are not written again.
    """
    bare = cut.elements is not None and set(map(type, values)) == {bytes}
    begins = sorted(cut.leaves)
    found: list[Leaf] = []
    at = changes = 0
    while at < len(values):
        same = list(_same(cut, values, at, bare, there))
        if same and same[-1].end < len(values):
            same.pop()  # what is behind it may have changed
        found += same
        at = same[-1].end if same else at
        if at < len(values):
            changes += 1
            new = _anew(cut, begins, values, at, changes)
            if new is None:
                return None
            found += new
            at = new[-1].end
    return found


def _same(cut: Cut, values: list[Any], at: int, bare: bool, there: bool) -> Iterator[Leaf]:
    """Leaves from a place on that are as they were."""
    while at in cut.leaves:
        end, id, size = cut.leaves[at]
        if end > len(values):
            return
        body: bytes | None = None
        if bare and cut.elements is not None:
            if values[at:end] != cut.elements[at:end]:
                return
            body = None if there else pack(values[at:end])
        else:
            body = pack(values[at:end])
            if blake3(join((), (), body)).digest() != id:
                return
        yield Leaf(at, end, id, size, None if there else body)
        at = end


def _anew(cut: Cut, begins: Sequence[int], values: list[Any], at: int, changes: int) -> list[Leaf] | None:
    """Leaves from a place on, at least one, up to a place where another one began."""
    ahead = bisect_right(begins, at) + _AHEAD
    upto = len(values)
    if changes < _PATIENCE and ahead < len(begins):
        upto = min(upto, begins[ahead])
    elements = list(map(pack, values[at:upto]))
    lengths = list(map(len, elements))
    if max(lengths) > LONGEST:
        return None
    found = []
    for begin, end in leaves(elements, lengths):
        if at + end == upto < len(values):
            break  # where it ends was our choice
        body = array(end - begin) + b"".join(elements[begin:end])
        found.append(Leaf(at + begin, at + end, None, sum(lengths[begin:end]), body))
        if at + end in cut.leaves:
            break
    return found or _anew(cut, begins, values, at, _PATIENCE)
