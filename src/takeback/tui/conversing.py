"""Conversations and other differences in memory as lines: before on the left, after on the right, wrapped to the width."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from takeback.model.diff import Difference
from takeback.tui.painting import wrapped
from takeback.views.lines import Line, Piece
from takeback.views.messages import Conversation, Message, MessagePair
from takeback.views.text import count, pad, visible

BAND = "bold on $panel"
_GROUNDS = {"old": "on $minus 12%", "new": "on $plus 12%"}
_LONGEST = 200
"""So many lines of one message are shown; what is left out is said."""
_NARROW = 60
"""With fewer columns the sides stand below each other."""

_ROLES = {"user": "$name", "human": "$name", "assistant": "$label", "ai": "$label", "system": "$warning"}
_ROLES |= {"tool": "$id", "function": "$id"}

Side = list[tuple[str, str]]


def conversation_lines(conversations: Sequence[Conversation], width: int) -> Iterator[Line]:
    """Every conversation below a head that says whose it is."""
    for each in conversations:
        changed = sum(pair.status not in ("same", "gap") for pair in each.pairs)
        where = f"{each.part}.{each.path}" if each.path else each.part
        told = f" {visible(where)}  {count(changed, 'message')} differ{'s' if changed == 1 else ''}"
        yield [(pad(told, width), BAND)]
        half = (width - 3) // 2
        yield [(pad(" before", half), "quiet"), (" │ ", "quiet"), (" after", "quiet")]
        for pair in each.pairs:
            yield from _pair(pair, width)
        yield []


def _pair(pair: MessagePair, width: int) -> Iterator[Line]:
    if pair.status == "gap":
        told = f" {count(pair.index, 'message')} the same "
        yield [(f"{told:┄^{width}}", "quiet")]
        return
    if width < _NARROW:
        yield from ([(f" {text}", style)] for text, style in _one_below_the_other(pair, width - 2))
        return
    half = (width - 3) // 2
    left = _side(pair.before, pair.status, half - 1, "old", pair.index)
    right = _side(pair.after, pair.status, width - half - 4, "new", pair.index)
    for old, new in zip_longest(left, right):
        yield [*_cell(old, half, pair.before, pair.status, "old"), (" │ ", "quiet"),
               *_cell(new, width - half - 3, pair.after, pair.status, "new")]  # fmt: skip
    yield [(" " * (half + 1), ""), ("│", "quiet")]


def _one_below_the_other(pair: MessagePair, width: int) -> Side:
    if pair.status == "same":
        return _side(pair.after, pair.status, width, "new", pair.index)
    return [
        *_side(pair.before, pair.status, width, "old", pair.index),
        *_side(pair.after, pair.status, width, "new", pair.index),
    ]


def _side(message: Message | None, status: str, width: int, fill: str, index: int) -> Side:
    if message is None:
        return []
    ground = "" if status == "same" else _GROUNDS[fill]
    role = visible(message.role) or "?"
    lines: Side = [(f"{role} · {index + 1}", f"bold {_ROLES.get(role, '$quiet')} {ground}")]
    text = list(wrapped(message.text, width))
    lines += [(line, ground or "$quiet") for line in text[:_LONGEST]]
    if len(text) > _LONGEST:
        lines.append((f"… and {count(len(text) - _LONGEST, 'line')} more", f"$quiet {ground}"))
    return lines


def _cell(line: tuple[str, str] | None, width: int, message: Message | None, status: str, fill: str) -> list[Piece]:
    if line is None:
        return [(" " * width, _GROUNDS[fill] if message is not None and status != "same" else "")]
    return [(pad(f" {line[0]}", width), line[1])]


def difference_lines(state: Sequence[Difference], width: int) -> Iterator[Line]:
    """Other places that differ, as a table: where, before, after."""
    for part in dict.fromkeys(each.part for each in state):
        some = [each for each in state if each.part == part]
        yield [(pad(f" {visible(part)}  {count(len(some), 'difference')}", width), BAND)]
        first = max(12, min(36, max(len(visible(each.path)) for each in some) + 1, width // 3))
        half = max(8, (width - first - 5) // 2)
        yield [(pad(" where", first + 1), "quiet"), (pad("  before", half + 2), "quiet"), ("  after", "quiet")]
        for each in some:
            yield from _row(each, first, half)
        yield []


def _row(each: Difference, first: int, half: int) -> Iterator[Line]:
    cells = (
        wrapped(each.path or "all of it", first - 1),
        wrapped(each.before, half) if each.before is not None else (),
        wrapped(each.after, half) if each.after is not None else (),
    )
    style = {"added": "plus", "removed": "minus", "moved": "name"}.get(each.status, "name")
    for path, before, after in zip_longest(*cells, fillvalue=""):
        yield [(pad(f" {path}", first + 1), style), "  ", (pad(before, half), "minus"), "  ", (after, "plus")]
