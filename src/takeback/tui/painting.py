"""Pieces of text as strips of cells: nothing in them is obeyed by the terminal or read as markup, and all are as wide as asked.

Everything that was written by agents, or stands in a file, goes through `shown` before it is drawn.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rich.cells import cell_len, chop_cells
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip
from textual.widget import Widget

from takeback.views.text import visible

TAB = 4
"""Columns from one tab stop to the next."""

Painted = tuple[str, Style]


def shown(text: str, column: int = 0) -> str:
    """Text as a terminal can show it; tabs go to the next stop, counted from the column at which the text begins."""
    if "\t" not in text:
        return visible(text)
    made = ""
    for number, piece in enumerate(text.split("\t")):
        if number:
            made += " " * (TAB - (column + cell_len(made)) % TAB)
        made += visible(piece)
    return made


def strip(pieces: Iterable[Painted], width: int, base: Style, start: int = 0) -> Strip:
    """Pieces on a ground that fills the width; those before the column ``start`` are scrolled away."""
    segments = [Segment(text, base + style) for text, style in pieces if text]
    return Strip(segments).crop_extend(start, start + width, base)


def ink(widget: Widget, component: str) -> Style:
    """The style of a component without its ground, so that it can stand on any."""
    full = widget.get_component_rich_style(component)
    return Style(color=full.color, bold=full.bold, italic=full.italic, underline=full.underline, strike=full.strike)


def ground(widget: Widget, component: str) -> Style:
    """The ground of a component alone."""
    return widget.get_component_rich_style(component).background_style


def clipped(text: str, width: int) -> str:
    """The end of a path, which says most of it, in a width."""
    if cell_len(text) <= width:
        return text
    if width < 2:
        return "…"[:width]
    return "…" + chop_cells(text[::-1], width - 1)[0][::-1]


def wrapped(text: str, width: int) -> Iterator[str]:
    """Lines of a text, broken at spaces where that is possible; always at least one. The text may hold newlines."""
    width = max(1, width)
    for line in text.split("\n"):
        yield from _broken(shown(line.rstrip("\r")), width)


def _broken(line: str, width: int) -> Iterator[str]:
    while cell_len(line) > width:
        first = chop_cells(line, width)[0] or line[0]
        space = first.rfind(" ")
        cut = space + 1 if line[len(first) : len(first) + 1] != " " and space > width // 3 else len(first)
        yield line[:cut].rstrip()
        line = line[cut:].lstrip(" ")
    yield line
