"""Both sides of a file, line by line: the same rows make a unified diff and one side by side."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING

from takeback.engine import patch
from takeback.errors import InvalidInput, NotFound
from takeback.model.line_diff.effort import Effort
from takeback.model.line_diff.hunks import grouped, line_diff, opcodes
from takeback.model.sizes import format_size
from takeback.views.colouring import Spans, coloured
from takeback.views.differences import is_image
from takeback.views.text import visible

if TYPE_CHECKING:
    from takeback.engine.timeline import Timeline
    from takeback.model.diff import Change
    from takeback.model.plan import Plan
    from takeback.views.desk import Desk
    from takeback.views.differences import Differences

_LONGEST = 2000
"""Characters of a line that is shown."""
_AROUND = 80
"""Characters before what differs, in a line that is too long to be shown from its beginning."""
_MARKED = 600
"""Longer lines are not compared word by word."""
_MARKED_ROWS = 1000
"""So many lines of a file are."""
_MARKING = 10_000
"""What comparing two lines word by word may cost."""
_ALIKE = 0.35
_MOST_CONTEXT = 1_000_000
_WORDS = re.compile(r"\w+|\s+|[^\w\s]")

Row = tuple[str, int | None, int | None]
"""Kind, and the numbers of the lines (from 0) on each side."""


@dataclass(frozen=True, slots=True)
class SideRow:
    """A line on one side, or on both."""

    kind: str
    """`` `` the same, ``~`` changed, ``-`` only before, ``+`` only after."""
    left_no: int | None
    left: Spans
    right_no: int | None
    right: Spans


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines that differ, with some around them."""

    head: str
    rows: tuple[SideRow, ...]


@dataclass(frozen=True, slots=True)
class FileSides:
    """A file on both sides."""

    part: str
    path: str
    status: str
    binary: bool
    too_large: bool
    image: bool
    hunks: tuple[Hunk, ...]
    added: int
    removed: int
    before_size: int | None
    after_size: int | None
    note: str = ""
    """Why no lines are shown, or what differs beside them."""


def file_sides(desk: Desk, lane: int, diff: Differences, part: str, path: str, context: int = 3) -> FileSides:
    """A file, or a path of a container or a team, as two snapshots have it."""
    if not 0 <= context <= _MOST_CONTEXT:
        raise InvalidInput(f"{context} is not a number of lines from 0 to {_MOST_CONTEXT:,}")
    change = _changes(diff).get((part, path))
    if change is None:
        problem = f"{path!r} of {part} is the same on both sides"
        raise NotFound(problem, hints=["look at the list of what differs again"])
    with _both(desk, lane, diff) as line:
        return _shown(patch.sides(line, diff.raw, change), context, _unseen(line, part) if diff.b is None else "")


def effect_sides(desk: Desk, lane: int, plan: Plan, part: str, path: str, context: int = 3) -> FileSides:
    """What a plan finds at a path, as its groups have it, and what it leaves there."""
    told = (each for each in plan.effects if each.part == part and each.shown is not None and each.shown[1] == path)
    effect = next(told, None)
    if effect is None:
        raise NotFound(f"nothing would be done to {path!r} of {part}")
    with desk.act(lane or None) as line:
        return _shown(patch.effect_sides(line, effect), context, _unseen(line, part))


def line_counts(
    desk: Desk, lane: int, diff: Differences, paths: Iterable[tuple[str, str]]
) -> Iterator[tuple[tuple[str, str], tuple[int, int] | None]]:
    """For parts and paths, one after the other, how many lines were added and removed; None where that is no text. Of what
    cannot be read yet nothing is said."""
    changes = _changes(diff)
    with _both(desk, lane, diff) as line:
        for each in paths:
            pair = patch.sides(line, diff.raw, changes[each])
            if pair.binary and diff.b is None and _unseen(line, each[0]):
                continue
            yield each, None if pair.binary else pair.counts()


def _both(desk: Desk, lane: int, diff: Differences) -> AbstractContextManager[Timeline]:
    """A timeline that knows both sides."""
    return desk.act(lane) if diff.b is None else nullcontext(desk.look(lane))


def _changes(diff: Differences) -> dict[tuple[str, str], Change]:
    every = (*diff.raw.files, *diff.container, *diff.team)
    return {(change.part, change.path): change for change in every if not change.is_directory}


def _unseen(line: Timeline, part: str) -> str:
    """Why the present of a part cannot be read, if that is so."""
    source = line.sources.get(part)
    return "its lines can be compared once it is saved" if source is not None and not source.root else ""


def _shown(pair: patch.Sides, context: int, unseen: str = "") -> FileSides:
    change = pair.change
    sizes = [None if entry is None else entry.size for entry in (change.before, change.after)]
    too_large = any(size is not None and size > patch.LARGEST for size in sizes)
    hunks: tuple[Hunk, ...] = ()
    if pair.before is not None and pair.after is not None:
        hunks = tuple(hunked(_lines(pair.before), _lines(pair.after), change.path, context))
    rows = [row for hunk in hunks for row in hunk.rows]
    return FileSides(
        part=change.part,
        path=change.path,
        status=change.status,
        binary=pair.binary and not too_large,
        too_large=too_large,
        image=is_image(change.path),
        hunks=hunks,
        added=sum(row.kind in "+~" for row in rows),
        removed=sum(row.kind in "-~" for row in rows),
        before_size=sizes[0],
        after_size=sizes[1],
        note=unseen if unseen and pair.binary else _note(change, pair.binary, too_large, bool(hunks)),
    )


def hunked(before: Sequence[str], after: Sequence[str], path: str, context: int) -> Iterator[Hunk]:
    """The lines that differ, in colours, with some around them."""
    groups = list(grouped(opcodes(before, after), context))
    if not groups:
        return
    sides = _Sides(before, after, path)
    for group in groups:
        (_, a, _, b, _), (_, _, a_end, _, b_end) = group[0], group[-1]
        head = f"@@ -{_range(a, a_end)} +{_range(b, b_end)} @@"
        yield Hunk(head, tuple(sides.row(each) for each in _rows(group)))


def _rows(group: Sequence[tuple[str, int, int, int, int]]) -> Iterator[Row]:
    for tag, a, a_end, b, b_end in group:
        if tag == "equal":
            yield from ((" ", a + at, b + at) for at in range(a_end - a))
            continue
        both = min(a_end - a, b_end - b)
        yield from (("~", a + at, b + at) for at in range(both))
        yield from (("-", at, None) for at in range(a + both, a_end))
        yield from (("+", None, at) for at in range(b + both, b_end))


class _Sides:
    """Both texts as they are shown. What is compared is what they are: two lines that differ may look the same."""

    def __init__(self, before: Sequence[str], after: Sequence[str], path: str) -> None:
        self._before, self._after = [_safe(line) for line in before], [_safe(line) for line in after]
        self._left, self._right = (coloured(list(map(_clipped, some)), path) for some in (self._before, self._after))
        self._marked = 0

    def row(self, row: Row) -> SideRow:
        kind, a, b = row
        old, new = (() if a is None else self._left[a]), (() if b is None else self._right[b])
        if kind == "~" and a is not None and b is not None:
            old, new = self._changed(self._before[a], self._after[b], old, new)
        return SideRow(kind, None if a is None else a + 1, old, None if b is None else b + 1, new)

    def _changed(self, a: str, b: str, old: Spans, new: Spans) -> tuple[Spans, Spans]:
        if a == b:
            return _mark(old, set(range(len(a)))), _mark(new, set(range(len(b))))
        if _clipped(a) == _clipped(b):
            first = next((at for at, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
            cut = max(0, first - _AROUND)
            return _plain(_clipped(f"…{a[cut:]}")), _plain(_clipped(f"…{b[cut:]}"))
        self._marked += 1
        return _marked(a, b, old, new) if self._marked <= _MARKED_ROWS else (old, new)


def _marked(a: str, b: str, old: Spans, new: Spans) -> tuple[Spans, Spans]:
    """Two lines with what differs between them marked, word by word, if they have enough in common."""
    if max(len(a), len(b)) > _MARKED:
        return old, new
    words, others = _WORDS.findall(a), _WORDS.findall(b)
    hunks = line_diff(words, others, Effort(_MARKING))
    differ = sum(hunk.a_end - hunk.a + hunk.b_end - hunk.b for hunk in hunks)
    if 1 - differ / (len(words) + len(others)) < _ALIKE:
        return old, new
    gone, come = set[int](), set[int]()
    for hunk in hunks:
        gone |= _places(words, hunk.a, hunk.a_end)
        come |= _places(others, hunk.b, hunk.b_end)
    return _mark(old, gone), _mark(new, come)


def _places(words: Sequence[str], first: int, last: int) -> set[int]:
    start = sum(map(len, words[:first]))
    return set(range(start, start + sum(map(len, words[first:last]))))


def _mark(spans: Spans, places: set[int]) -> Spans:
    made: list[tuple[str, str]] = []
    at = 0
    for style, text in spans:
        for letter in text:
            name = f"!{style}" if at in places else style
            at += 1
            if made and made[-1][0] == name:
                made[-1] = (name, made[-1][1] + letter)
            else:
                made.append((name, letter))
    return tuple(made)


def _lines(data: bytes) -> list[str]:
    lines = data.decode("utf-8", "surrogateescape").split("\n")
    if lines and not lines[-1]:
        lines.pop()
    return lines


def _safe(line: str) -> str:
    """A line that is safe to show; a carriage return in it is one that can be seen."""
    return visible(line.replace("\r", "␍"), keep="\t")


def _clipped(line: str) -> str:
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"


def _plain(text: str) -> Spans:
    return (("", text),)


def _range(start: int, end: int) -> str:
    length = end - start
    return f"{start + 1 if length else start}" + (f",{length}" if length != 1 else "")


def _note(change: Change, binary: bool, too_large: bool, shown: bool) -> str:
    said = []
    before, after = change.before, change.after
    if before is not None and after is not None and before.mode != after.mode:
        said.append(f"mode {before.mode & 0o7777:o} → {after.mode & 0o7777:o}")
    if before is not None and after is not None and before.kind != after.kind:
        said.append("it is of another kind now")
    if binary or too_large:
        sizes = " → ".join(format_size(entry.size) if entry is not None else "nothing" for entry in (before, after))
        said.append(f"{'too large to compare by lines' if too_large else 'no text'}: {sizes}")
    elif not shown and not said and change.is_directory:
        said.append("a directory")
    elif not shown and not said:
        said.append("only what ends its last line differs" if change.status == "modified" else "it is empty")
    return "; ".join(said)
