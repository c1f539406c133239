"""Printing for people: lines of styled pieces. rich is only loaded when they go to a terminal that shows colours."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from typing import IO, TYPE_CHECKING

from takeback.cli import progress
from takeback.cli.text import columns, pad, visible

if TYPE_CHECKING:
    from rich.console import Console

Piece = str | tuple[str, str]
"""Text, or text with one of the styles below."""

Line = Sequence[Piece]

STYLES = {
    "id": "yellow",
    "head": "bold",
    "quiet": "dim",
    "good": "green",
    "warn": "yellow",
    "bad": "bold red",
    "name": "cyan",
    "label": "magenta",
    "plus": "green",
    "minus": "red",
}


def say(*lines: Line | str, stream: IO[str] | None = None) -> None:
    """Print lines; a plain string is a line of one piece."""
    stream = stream or sys.stdout
    progress.clear()
    if is_colourful(stream):
        _say_in_colour(lines, stream)
        return
    for line in lines:
        stream.write(plain(line) + "\n")


def plain(line: Line | str) -> str:
    return "".join(visible(text) for text, _ in _pieces(line)).rstrip()


def is_colourful(stream: IO[str]) -> bool:
    """Whether a stream is a terminal on which colours are wanted."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM", "") not in ("", "dumb")


def table(rows: Iterable[Line], gap: int = 2, indent: int = 0) -> list[Line]:
    """Rows of pieces with their columns aligned."""
    cells = [[(visible(text), style) for text, style in _pieces(row)] for row in rows]
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


def _pieces(line: Line | str) -> list[tuple[str, str]]:
    if isinstance(line, str):
        return [(line, "")]
    return [(piece, "") if isinstance(piece, str) else piece for piece in line]


_CONSOLES: dict[IO[str], Console] = {}


def _say_in_colour(lines: Iterable[Line | str], stream: IO[str]) -> None:
    from rich.console import Console
    from rich.text import Text

    if stream not in _CONSOLES:
        _CONSOLES[stream] = Console(file=stream, highlight=False, markup=False, emoji=False)
    for line in lines:
        text = Text()
        for piece, style in _pieces(line):
            text.append(visible(piece), STYLES.get(style, style))
        _CONSOLES[stream].print(text, soft_wrap=True)
