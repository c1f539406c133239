"""Lines for people: pieces of text, each with a style that the face knows how to show."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from takeback.views.text import columns, pad, visible

Piece = str | tuple[str, str]
"""Text, or text with one of `STYLES`."""

Line = Sequence[Piece]

STYLES = ("id", "head", "quiet", "good", "warn", "bad", "name", "label", "plus", "minus")


def plain(line: Line | str) -> str:
    return "".join(visible(text) for text, _ in pieces(line)).rstrip()


def table(rows: Iterable[Line], gap: int = 2, indent: int = 0) -> list[Line]:
    """Rows of pieces with their columns aligned."""
    cells = [[(visible(text), style) for text, style in pieces(row)] for row in rows]
    widths: list[int] = []
    for row in cells:
        widths += [0] * (len(row) - len(widths))
        for number, (text, _) in enumerate(row):
            widths[number] = max(widths[number], columns(text))
    made: list[Line] = []
    for row in cells:
        line: list[Piece] = [" " * indent]
        for number, (text, style) in enumerate(row):
            last = number == len(row) - 1
            line.append((text if last else pad(text, widths[number] + gap), style))
        made.append(line)
    return made


def pieces(line: Line | str) -> list[tuple[str, str]]:
    """The pieces of a line, each with its style."""
    if isinstance(line, str):
        return [(line, "")]
    return [(piece, "") if isinstance(piece, str) else piece for piece in line]
