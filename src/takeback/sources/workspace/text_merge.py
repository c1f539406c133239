"""Three-way merge of texts: line by line, byte for byte, as git merges them.

Each side's differences from the base are hunks. A hunk that is apart from all hunks of the other side is applied. Hunks that overlap, or
that have no unchanged line between them, are one region: if it became the same on both sides, that is what it becomes; if
not, it is a conflict.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from takeback.model.line_diff.effort import Effort
from takeback.model.line_diff.hunks import Hunk, line_diff

_CUT_IN_A_STEP = 8

Lines = Sequence[bytes]


class Region(NamedTuple):
    """Lines of the base that at least one side has changed, and what each side has there."""

    base: slice
    ours: slice
    theirs: slice
    by_us: bool
    by_them: bool


def merge_lines(base: bytes, theirs: bytes, ours: bytes, effort: Effort) -> bytes | None:
    """Both sides' changes to a text; None if they overlap, or if the effort ends before it is clear that they do not."""
    texts = _lines(base), _lines(ours), _lines(theirs)
    if not effort.take(sum(map(len, texts)) // _CUT_IN_A_STEP):
        return None
    ours_at, theirs_at = _hunks(*texts, Effort(0))
    if not _are_apart(*texts, ours_at, theirs_at):
        ours_at, theirs_at = _hunks(*texts, effort)
    return _applied(*texts, ours_at, theirs_at)


def regions(ours: Sequence[Hunk], theirs: Sequence[Hunk]) -> Iterator[Region]:
    """What the sides have changed, in order. Between two regions at least one line is unchanged."""
    start = end = 0
    moved, started, changed = [0, 0], [0, 0], [False, False]

    def region() -> Region:
        mine, other = (slice(first, end + by) for first, by in zip(started, moved, strict=True))
        return Region(slice(start, end), mine, other, *changed)

    for hunk, side in sorted([*((each, 0) for each in ours), *((each, 1) for each in theirs)]):
        if not any(changed) or hunk.a > end:
            if any(changed):
                yield region()
            start = end = hunk.a
            started, changed = [start + by for by in moved], [False, False]
        end = max(end, hunk.a_end)
        moved[side], changed[side] = hunk.b_end - hunk.a_end, True
    if any(changed):
        yield region()


def _hunks(base: Lines, ours: Lines, theirs: Lines, effort: Effort) -> tuple[list[Hunk], list[Hunk]]:
    return line_diff(base, ours, effort), line_diff(base, theirs, effort)


def _are_apart(base: Lines, ours: Lines, theirs: Lines, ours_at: Sequence[Hunk], theirs_at: Sequence[Hunk]) -> bool:
    """Whether the sides' changes, from each side's first to its last, certainly have nothing to do with each other: a line stands
    between them that is not among the lines of the first, so none of these could as well have been added or removed
    behind it. Most merges end here, and cost next to nothing."""
    if not ours_at or not theirs_at:
        return True
    (first, text), (second, _) = sorted([(ours_at[0], ours), (theirs_at[0], theirs)], key=lambda each: each[0])
    between = set(base[first.a_end : second.a])
    return not between <= {*base[first.a : first.a_end], *text[first.b : first.b_end]}


def _applied(
    base: Lines, ours: Lines, theirs: Lines, ours_at: Sequence[Hunk], theirs_at: Sequence[Hunk]
) -> bytes | None:
    made: list[bytes] = []
    at = 0
    for region in regions(ours_at, theirs_at):
        mine, other = ours[region.ours], theirs[region.theirs]
        if region.by_us and region.by_them and mine != other:
            return None
        made += base[at : region.base.start]
        made += mine if region.by_us else other
        at = region.base.stop
    return b"".join((*made, *base[at:]))


def _lines(text: bytes) -> list[bytes]:
    """Lines with their ends, cut only after a newline: a lone carriage return is a byte like any other."""
    *whole, last = text.split(b"\n")
    lines = [line + b"\n" for line in whole]
    return [*lines, last] if last else lines
