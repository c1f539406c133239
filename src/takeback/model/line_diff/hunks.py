"""Hunks: where two texts differ; and the same as the opcodes that difflib has."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence

from takeback.model.line_diff.compaction import Hunk, compacted
from takeback.model.line_diff.effort import Effort
from takeback.model.line_diff.pairs import paired
from takeback.model.line_diff.runs import longest, longest_before

__all__ = ["Hunk", "Opcode", "grouped", "line_diff", "opcodes"]

Opcode = tuple[str, int, int, int, int]
"""``equal``, ``replace``, ``delete`` or ``insert``, and the lines of both texts."""


def line_diff(a: Sequence[Hashable], b: Sequence[Hashable], effort: Effort | None = None) -> list[Hunk]:
    """Where two texts differ, in order. Between two hunks at least one line is the same in both. Without any effort it is one hunk,
    from the first difference to the last."""
    a, b, effort = list(a), list(b), Effort() if effort is None else effort
    start = longest(a, 0, b, 0, min(len(a), len(b)))
    end = longest_before(a, len(a), b, len(b), min(len(a), len(b)) - start)
    a_end, b_end = len(a) - end, len(b) - end
    if start == a_end and start == b_end:
        return []
    hunks = [Hunk(start, a_end, start, b_end)]
    if not hunks[0].is_one_sided:
        hunks = _between(paired(a[start:a_end], b[start:b_end], effort), hunks[0])
    return compacted(hunks, a, b, effort)


def opcodes(a: Sequence[Hashable], b: Sequence[Hashable], effort: Effort | None = None) -> list[Opcode]:
    """Both texts from the beginning to the end, in stretches that are equal or differ."""
    made: list[Opcode] = []
    i = j = 0
    for hunk in line_diff(a, b, effort):
        if i < hunk.a:
            made.append(("equal", i, hunk.a, j, hunk.b))
        tag = "replace" if not hunk.is_one_sided else "insert" if hunk.a == hunk.a_end else "delete"
        made.append((tag, *hunk))
        i, j = hunk.a_end, hunk.b_end
    return [*made, ("equal", i, len(a), j, len(b))] if i < len(a) else made


def grouped(codes: Sequence[Opcode], context: int) -> Iterator[list[Opcode]]:
    """What differs, with so many equal lines around it. What is near to each other is in one group."""
    group: list[Opcode] = []
    for number, (tag, i, i_end, j, j_end) in enumerate(codes):
        if tag != "equal":
            group.append((tag, i, i_end, j, j_end))
            continue
        after = context if group else 0
        before = context if number + 1 < len(codes) else 0
        if group and before and i_end - i <= before + after:
            group.append((tag, i, i_end, j, j_end))
            continue
        if group:
            shown = min(after, i_end - i)
            yield [*group, (tag, i, i + shown, j, j + shown)] if shown else group
        shown = min(before, i_end - i)
        group = [(tag, i_end - shown, i_end, j_end - shown, j_end)] if shown else []
    if any(tag != "equal" for tag, *_ in group):
        yield group


def _between(pairs: Sequence[int], whole: Hunk) -> list[Hunk]:
    """The hunks that are left of a ``whole`` one. ``pairs`` are the lines of b that are the lines of a; -1 for none."""
    hunks = []
    i, j = whole.a, whole.b
    for at, number in enumerate(pairs, whole.a):
        if number >= 0:
            other = whole.b + number
            if i < at or j < other:
                hunks.append(Hunk(i, at, j, other))
            i, j = at + 1, other + 1
    last = Hunk(i, whole.a_end, j, whole.b_end)
    return hunks if i == whole.a_end and j == whole.b_end else [*hunks, last]
