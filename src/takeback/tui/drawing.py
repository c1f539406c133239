"""How one row of a timeline looks: a mark, when, who, what, and how much it changed.

Columns give way when the terminal is narrow: first the lines that were added and removed, then who, then when.
"""

from __future__ import annotations

import zlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from textual.content import Content

from takeback.model.kinds import DOCUMENTS
from takeback.tui.rowwords import brief, verb, what, who
from takeback.views.counts import Counts
from takeback.views.rows import Row
from takeback.views.text import clip, columns, count, pad

Piece = tuple[str, str]

_COLOURS = ("$primary", "$secondary", "$name", "$memory", "$team", "$success")
_VERBS = {"undo": "↶", "redo": "↷", "restore": "⟲", "promote": "⤴"}
_AGE, _WHO, _LINES, _LANE = 8, 12, 12, 14
_AGE_FROM, _WHO_FROM, _LINES_FROM = 44, 60, 66
KINDS = {
    "workspace": ("F", "$files"),
    "state": ("M", "$memory"),
    "container": ("C", "$container"),
    "team": ("T", "$team"),
}
"""Kinds of parts, as letters."""


@dataclass(frozen=True, slots=True)
class Around:
    """What a row is drawn with beside itself."""

    counts: Counts | None = None
    """None while they are not known."""
    kinds: Mapping[str, str] | None = None
    """The kind of each part in it."""
    lane: str = ""
    """The timeline's name, where there are several."""
    room: int = 0
    """The columns for it."""
    problem: str = ""
    """Why there are no counts."""
    now_ns: int | None = None


def row_line(row: Row, width: int, *, selected: bool, around: Around) -> Content:
    """The row in one line of that width."""
    left = [("▌" if selected else " ", "$accent"), *_mark(row)]
    if width >= _AGE_FROM:
        left.append((pad("now" if row.kind == "present" else brief(row.time_ns, around.now_ns), _AGE) + " ", "$quiet"))
    if width >= _WHO_FROM:
        left.append((pad(clip(who(row), _WHO), _WHO) + " ", _colour(row)))
    right = _amount(row, around, lines=width >= _LINES_FROM)
    room = width - _width(left) - _width(right) - 1
    return Content.assemble(*left, *_fitted(_about(row, around, room), room), *right)


def _mark(row: Row) -> list[Piece]:
    pin = ("⚑ ", "$warning") if row.pinned else ("  ", "")
    if row.kind == "present":
        return [("● ", "bold $accent"), pin]
    if row.open:
        return [("◌ ", "$success"), pin]
    if row.undone_by is not None:
        return [("⊘ ", "$quiet"), pin]
    if row.level == "action":
        return [("╰ ", "$quiet"), pin]
    if row.level == "takeback":
        return [(f"{_VERBS.get(verb(row), '↶')} ", "$warning"), pin]
    if row.kind == "original":
        return [("◆ ", "$accent"), pin]
    return [("○ " if row.kind == "move" else "· ", "$primary" if row.kind == "move" else "$quiet"), pin]


def _colour(row: Row) -> str:
    if row.kind == "present":
        return "$accent"
    if row.undone_by is not None or not (row.agent or row.session) or who(row) == "you":
        return "$quiet"
    return _one_of(row.agent or row.session)


def _one_of(name: str) -> str:
    """A colour for a name, always the same."""
    return _COLOURS[zlib.crc32(name.encode("utf-8", "surrogateescape")) % len(_COLOURS)]


def _about(row: Row, around: Around, room: int) -> list[Piece]:
    pieces: list[Piece] = []
    if around.lane:
        pieces += [(f"{pad(clip(around.lane, _LANE), around.room)}  ", _one_of(around.lane))]
    if row.level == "action":
        pieces += [("  ", "")]
    title = what(row)
    if row.kind == "present":
        pieces += _present(row, around, room - _width(pieces))
    elif row.undone_by is not None:
        pieces += [(clip(title, 500), "strike $quiet"), ("  taken back", "$quiet")]
    elif row.level in ("action", "takeback") or row.kind == "snapshot":
        pieces += [(clip(title, 500), "$quiet" if row.kind == "snapshot" else "")]
    else:
        pieces += [(clip(title, 500), "bold" if row.kind == "original" else "")]
    if row.open:
        pieces += [("  at work", "$success")]
    for label in row.labels:
        pieces += [("  ", ""), (f" {clip(label, 24)} ", "$background on $label")]
    for _, name in row.forks:
        pieces += [("  ", ""), (f"⑂ {clip(name, 24)}", "$secondary")]
    return pieces


def _present(row: Row, around: Around, room: int) -> list[Piece]:
    counts = around.counts
    if row.before is None:  # all that was saved is dropped
        return [("the present", "bold"), ("  nothing is saved", "$quiet")]
    if around.problem:
        return [("the present", "bold"), ("  ", ""), (clip(around.problem, 200), "$warning")]
    if counts is None:
        return [("the present", "bold"), ("  looking …", "$quiet")]
    changed = [count(counts.files, "file")] if counts.files else []
    changed += [f"{part}" for part, number in counts.parts.items() if number and not _is_files(part, around)]
    if not changed:
        same = [("the present", "bold"), ("  as in the latest snapshot", "$quiet")]
        return same if _width(same) <= room else [same[0], ("  as last saved", "$quiet")]
    said = [("the present", "bold"), ("  ", ""), (f"{', '.join(changed)} changed", "$accent")]
    whole = [*said, (" since the latest snapshot", "$quiet")]
    return whole if _width(whole) <= room else said


def _is_files(part: str, around: Around) -> bool:
    return (around.kinds or {}).get(part, part) == "workspace"


def _amount(row: Row, around: Around, *, lines: bool) -> list[Piece]:
    """How much it changed, right-aligned: letters of parts, lines added and removed, files."""
    counts = around.counts
    letters = _letters(counts, around.kinds or {})
    gap = [("  ", "")]
    if row.kind == "original" or (counts is None and not row.changed):
        return [*gap, *letters, (" " * (1 + (_LINES if lines else 5)), "")]
    if not lines:
        files = counts.files if counts is not None else row.changed
        return [*gap, *letters, (f"{_short(files) if files else '':>5} ", "$quiet")]
    if counts is None:
        return [
            *gap,
            *letters,
            (f"{_short(row.changed) + (' file' if row.changed == 1 else ' files'):>{_LINES}} ", "$quiet"),
        ]
    if counts.added is None or counts.removed is None:
        return [*gap, *letters, (f"{count(counts.files, 'file'):>{_LINES}} ", "$quiet")]
    plus = f"+{_short(counts.added)}" if counts.added else ""
    minus = f"−{_short(counts.removed)}" if counts.removed else ""
    return [*gap, *letters, (f"{plus:>6}", "$plus"), (f"{minus:>6} ", "$minus")]


def _letters(counts: Counts | None, kinds: Mapping[str, str]) -> list[Piece]:
    """One letter for each kind of part that differs, each at its place."""
    there = {} if counts is None else {kinds.get(part, part) for part, number in counts.parts.items() if number}
    grouped = {"team" if kind == "worktree" else "state" if kind in DOCUMENTS else kind for kind in there}
    return [
        (letter if kind in grouped else "·", colour if kind in grouped else "$rule")
        for kind, (letter, colour) in KINDS.items()
    ]


def lane_room(names: Collection[str]) -> int:
    """The columns that names of timelines need."""
    return min(_LANE, max(map(columns, names), default=0))


def _short(number: int) -> str:
    """At most five characters."""
    for limit, unit, name in ((10_000, 1, ""), (1_000_000, 1000, "k"), (1_000_000_000, 1_000_000, "M")):
        if number < limit:
            return f"{number // unit:,}{name}" if unit == 1 else f"{number // unit}{name}"
    return f"{number // 1_000_000_000}G"


def _width(pieces: list[Piece]) -> int:
    return sum(columns(text) for text, _ in pieces)


def _fitted(pieces: list[Piece], room: int) -> list[Piece]:
    """The pieces cut or filled to a width. A title gives way before the chips after it do."""
    over = _width(pieces) - room
    if over > 0 and pieces:
        longest = max(range(len(pieces)), key=lambda place: columns(pieces[place][0]))
        text, style = pieces[longest]
        wanted = max(min(columns(text), 8), columns(text) - over)
        pieces = [*pieces[:longest], (_cut(text, wanted), style), *pieces[longest + 1 :]]
    fitted: list[Piece] = []
    left = max(room, 0)
    for text, style in pieces:
        if columns(text) > left:
            text = _cut(text, left)
        fitted.append((text, style))
        left -= columns(text)
    return [*fitted, (" " * (left + 1), "")]


def _cut(text: str, width: int) -> str:
    """The text in a width, with the spaces that it begins with."""
    if columns(text) <= width:
        return text
    while text and columns(text) > width - 1:
        text = text[:-1]
    return f"{text.rstrip()}…" if width > 0 else ""
