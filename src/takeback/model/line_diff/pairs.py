"""Pairs: which line of one text is which line of the other, in order."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import count
from operator import eq
from typing import NamedTuple

from takeback.model.line_diff.anchors import anchors
from takeback.model.line_diff.effort import Effort
from takeback.model.line_diff.shortest_edit import Run, ShortestEdit

_NUMBERED_IN_A_STEP = 4
_CLEARED_IN_A_STEP = 2

Pair = tuple[int, int]
"""A place in each text."""


class _Box(NamedTuple):
    """A stretch of each text, as numbers that stand for lines, and where these lines are."""

    a: Sequence[int]
    a_at: Sequence[int]
    b: Sequence[int]
    b_at: Sequence[int]

    @property
    def size(self) -> int:
        return len(self.a) + len(self.b)


def paired(a: Sequence[Hashable], b: Sequence[Hashable], effort: Effort) -> list[int]:
    """The number of the line in ``b`` that each line of ``a`` is; -1 for none."""
    pairs = [-1] * len(a)
    if not effort.take(1 + (len(a) + len(b)) // _NUMBERED_IN_A_STEP):
        return pairs
    numbers: defaultdict[Hashable, int] = defaultdict(count().__next__)
    todo = [_Box([numbers[line] for line in a], range(len(a)), [numbers[line] for line in b], range(len(b)))]
    while todo:
        box = todo.pop()
        if not effort.take(1 + box.size // _CLEARED_IN_A_STEP):
            continue
        if _is_best_in_place(box):
            found = [(at, at) for at, is_same in enumerate(map(eq, box.a, box.b)) if is_same]
        else:
            box = _shared(box)
            found, inner = _compared(box, effort)
            todo += inner
        for x, y in found:
            pairs[box.a_at[x]] = box.b_at[y]
    return pairs


def _compared(box: _Box, effort: Effort) -> tuple[list[Pair], list[_Box]]:
    """Pairs of places in a box, and the boxes between them that are still to be compared."""
    if not box.a or not box.b:
        return [], []
    edit = ShortestEdit(box.a, box.b, effort)
    runs: Iterable[Run] | None = edit.exact()
    if runs is None:
        if found := anchors(box.a, box.b, effort):
            return found, list(_between(box, found))
        runs = edit.greedy()
    return [(x + at, y + at) for x, y, length in runs for at in range(length)], []


def _is_best_in_place(box: _Box) -> bool:
    """Whether no pairs are more than those of lines with the same number: if lines were replaced by as many new ones, that is soon
    known, whatever the text."""
    if len(box.a) != len(box.b):
        return False
    same: int = sum(map(eq, box.a, box.b))
    return same == sum((Counter(box.a) & Counter(box.b)).values())


def _shared(box: _Box) -> _Box:
    """A box without the lines that only one of its sides has."""
    a, b = set(box.a), set(box.b)
    return box if a == b else _Box(*_kept(box.a, box.a_at, b), *_kept(box.b, box.b_at, a))


def _kept(numbers: Sequence[int], at: Sequence[int], others: set[int]) -> tuple[list[int], list[int]]:
    kept = [(number, place) for number, place in zip(numbers, at, strict=True) if number in others]
    return [number for number, _ in kept], [place for _, place in kept]


def _between(box: _Box, found: Sequence[Pair]) -> Iterator[_Box]:
    a = b = 0
    for x, y in (*found, (len(box.a), len(box.b))):
        if a < x and b < y:
            yield _Box(box.a[a:x], box.a_at[a:x], box.b[b:y], box.b_at[b:y])
        a, b = x + 1, y + 1
