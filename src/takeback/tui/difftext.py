"""One file's differences, coloured, unified or side by side. Lines are drawn when they come on the screen, so that a diff of
any length scrolls alike; line numbers stay where they are when long lines are scrolled sideways."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from takeback.errors import TakebackError
from takeback.tui import diffrows
from takeback.tui.painting import Painted, ground, ink, shown, strip
from takeback.views.colouring import Spans
from takeback.views.lines import Line, pieces
from takeback.views.sides import FileSides

_INKS = {"k": "keyword", "s": "string", "c": "comment", "n": "number", "f": "function", "b": "builtin"}
_INKS |= {"o": "operator", "t": "tag", "no": "line-number", "head": "head", "plus": "plus", "minus": "minus"}
_INKS |= {"quiet": "quiet", "absent": "absent"}
_GROUNDS = {"@": "head", "-": "removed", "+": "added", "/": "absent"}
_WORDS = ("removed-word", "added-word")
WIDE = 120
"""So many columns are enough to see both sides beside each other."""


class DiffText(ScrollView, can_focus=True):
    COMPONENT_CLASSES: ClassVar[set[str]] = {f"diff--{name}" for name in (*_INKS.values(), *_GROUNDS.values(), *_WORDS)}
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "scroll_down", "Down", show=False),
        Binding("up,k", "scroll_up", "Up", show=False),
        Binding("left,h", "sideways(-8)", "Left", show=False),
        Binding("right,l", "sideways(8)", "Right", show=False),
        Binding("g,home", "edge(-1)", "Top", show=False),
        Binding("G,end", "edge(1)", "Bottom", show=False),
        Binding("pagedown,ctrl+f,space", "page_down", "Page down", show=False),
        Binding("pageup,ctrl+b", "page_up", "Page up", show=False),
    ]

    class Past(Message):
        """There is no further hunk in that direction."""

        def __init__(self, direction: int) -> None:
            super().__init__()
            self.direction = direction

    def __init__(self, *, id: str | None = None, split: bool | None = None) -> None:
        """``split`` is whether both sides stand beside each other; None where there is room for that."""
        super().__init__(id=id)
        self._sides: FileSides | None = None
        self._said: list[Line] = []
        self._split = split
        self._rows = diffrows.rows((), split=False)
        self._hunk, self._hunk_top = -1, 0
        self._inks: dict[str, Style] = {}
        self._drawn: dict[int, Strip] = {}

    @property
    def is_split(self) -> bool:
        """Side by side: if somebody said so, or else where there is room for it. A file that is on one side only has no other."""
        if self._sides is not None and self._sides.status in ("added", "deleted"):
            return False
        return self._wants_split

    @property
    def _wants_split(self) -> bool:
        return self.app.size.width >= WIDE if self._split is None else self._split

    @property
    def sides(self) -> FileSides | None:
        return self._sides

    @property
    def hunk(self) -> int:
        """The number of the hunk that was gone to last, from 0; -1 if there is none."""
        return self._hunk

    def show(self, sides: FileSides | None, said: list[Line] | None = None, *, hunk: int = 0) -> None:
        """Show a file from its first hunk, or its last (-1); ``said`` are lines to show where there is no text."""
        self._sides, self._said = sides, said or []
        self._lay_out()
        self.scroll_to(0, 0, animate=False, immediate=True)
        self._hunk, self._hunk_top = 0 if self._rows.hunks else -1, 0
        if hunk < 0 and self._rows.hunks:
            self._to_hunk(len(self._rows.hunks) - 1)

    def toggle_split(self) -> bool:
        """Switch between unified and side by side, at the same hunk; which of them it is now, where a file has two sides."""
        at = self._hunk_here()
        self._split = not self._wants_split
        self._lay_out()
        if at >= 0:
            self._to_hunk(at)
        return self._split

    def to_hunk(self, direction: int) -> None:
        """Go to the next hunk, or the one before; `Past` if there is none."""
        at = self._hunk_here() + direction
        if 0 <= at < len(self._rows.hunks):
            self._to_hunk(at)
        else:
            self.post_message(self.Past(direction))

    def _hunk_here(self) -> int:
        """The hunk that was gone to, if nobody scrolled since; else the one at the top."""
        if self._hunk >= 0 and self.scroll_offset.y == self._hunk_top:
            return self._hunk
        top = self.scroll_offset.y
        return sum(begin <= top for begin in self._rows.hunks) - 1

    def _to_hunk(self, number: int) -> None:
        self.scroll_to(y=self._rows.hunks[number], animate=False, immediate=True)
        self._hunk, self._hunk_top = number, self.scroll_offset.y
        self._drawn.clear()
        self.refresh()

    def action_sideways(self, by: int) -> None:
        self.scroll_to(x=self.scroll_offset.x + by, animate=False, immediate=True)

    def action_edge(self, direction: int) -> None:
        self.scroll_to(x=0, y=0 if direction < 0 else self.max_scroll_y, animate=False, immediate=True)

    def on_resize(self, event: events.Resize) -> None:
        self._lay_out()

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._inks.clear()
        self._drawn.clear()

    def watch_scroll_x(self, old_value: float, new_value: float) -> None:
        self._drawn.clear()
        super().watch_scroll_x(old_value, new_value)

    def _lay_out(self) -> None:
        hunks = self._sides.hunks if self._sides is not None else ()
        self._rows = diffrows.rows(hunks, split=self.is_split)
        self._drawn.clear()
        width = self.scrollable_content_region.width
        beyond = max(0, self._rows.widest + 1 - self._text_width(width))
        self.virtual_size = Size(width + beyond if hunks else width, len(self._rows.rows) or len(self._said))
        self.refresh()

    def _text_width(self, width: int) -> int:
        """Columns for the text of a line, of one side where there are two."""
        number = self._rows.digits + 1
        return max(1, (width - 1) // 2 - number - 2 if self.is_split else width - 2 * number - 2)

    def render_line(self, y: int) -> Strip:
        index, width = self.scroll_offset.y + y, self.scrollable_content_region.width
        if not self._rows.rows:
            said = pieces(self._said[index]) if index < len(self._said) else []
            return strip(((shown(text), self._ink(style)) for text, style in said), width, self.rich_style)
        if index >= len(self._rows.rows):
            return Strip.blank(width, self.rich_style)
        if index not in self._drawn:
            if len(self._drawn) > 1000:
                self._drawn.clear()
            self._drawn[index] = self._draw(index, width)
        return self._drawn[index]

    def _draw(self, index: int, width: int) -> Strip:
        row = self._rows.rows[index]
        if row.sides is None:
            here = 0 <= self._hunk < len(self._rows.hunks) and self._rows.hunks[self._hunk] == index
            mark = "▶ " if here else "  "
            return strip([(mark + shown(row.head), self._ink("head"))], width, self._ground("@"))
        sides = row.sides
        if not self.is_split:
            spans = sides.left if row.kind == "-" else sides.right
            old = None if row.kind == "+" else sides.left_no
            new = None if row.kind == "-" else sides.right_no
            return Strip.join([self._numbers(row.kind, old, new), self._text(row.kind, spans, self._text_width(width))])
        left = "/" if sides.left_no is None else " " if row.kind == " " else "-"
        right = "/" if sides.right_no is None else " " if row.kind == " " else "+"
        half = self._text_width(width)
        rest = width - 2 * (self._rows.digits + 3) - half - 1
        return Strip.join(
            [
                self._numbers(left, sides.left_no),
                self._text(left, sides.left, half),
                strip([("│", self._ink("no"))], 1, self.rich_style),
                self._numbers(right, sides.right_no),
                self._text(right, sides.right, rest),
            ]
        )

    def _numbers(self, kind: str, *numbers: int | None) -> Strip:
        digits = self._rows.digits
        told = "".join(f"{'' if number is None else number:>{digits}} " for number in numbers)
        sign = kind if kind in "+-" else " "
        style = self._ink({"+": "plus", "-": "minus"}.get(kind, "no"))
        if kind == "/":
            return self._text(kind, (), len(told) + 2)
        return strip([(told, self._ink("no")), (f"{sign} ", style)], len(told) + 2, self._ground(kind))

    def _text(self, kind: str, spans: Spans, width: int) -> Strip:
        base = self._ground(kind)
        if kind == "/":
            return strip([("╱" * width, self._ink("absent"))], width, base)
        return strip(self._painted(kind, spans), width, base, self.scroll_offset.x)

    def _painted(self, kind: str, spans: Spans) -> Iterator[Painted]:
        column = 0
        for style, text in spans:
            made = shown(text, column)
            column += len(made)
            painted = self._ink(style.lstrip("!"))
            if style.startswith("!") and kind in "+-":
                painted += self._word(kind)
            yield made, painted

    def _ink(self, name: str) -> Style:
        if name not in self._inks:
            self._inks[name] = ink(self, f"diff--{_INKS[name]}") if name in _INKS else Style.null()
        return self._inks[name]

    def _word(self, kind: str) -> Style:
        """The ground of what differs inside of a changed line."""
        key = f"word {kind}"
        if key not in self._inks:
            self._inks[key] = ground(self, f"diff--{'added' if kind == '+' else 'removed'}-word")
        return self._inks[key]

    def _ground(self, name: str) -> Style:
        key = f"ground {name}"
        if key not in self._inks:
            component = _GROUNDS.get(name)
            self._inks[key] = (
                self.rich_style if component is None else self.rich_style + ground(self, f"diff--{component}")
            )
        return self._inks[key]


def why_nothing(sides: FileSides) -> list[Line]:
    """What is said of a file of which there are no lines to show."""
    if sides.hunks:
        return []
    return [[], [f"  {sides.note or 'no line differs'}"]]


def not_shown(error: TakebackError) -> list[Line]:
    """What is said of a file that cannot be read."""
    return [[], [("  cannot be shown: ", "bad"), error.message], *([f"  hint: {hint}"] for hint in error.hints)]
