"""Printing for people: lines of styled pieces. rich is only loaded when they go to a terminal that shows colours."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from typing import IO, TYPE_CHECKING

from takeback.cli import progress
from takeback.views.lines import Line, pieces, plain
from takeback.views.text import visible

if TYPE_CHECKING:
    from rich.console import Console

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


def is_colourful(stream: IO[str]) -> bool:
    """Whether a stream is a terminal on which colours are wanted."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM", "") not in ("", "dumb")


_CONSOLES: dict[IO[str], Console] = {}


def _say_in_colour(lines: Iterable[Line | str], stream: IO[str]) -> None:
    from rich.console import Console
    from rich.text import Text

    if stream not in _CONSOLES:
        _CONSOLES[stream] = Console(file=stream, highlight=False, markup=False, emoji=False)
    for line in lines:
        text = Text()
        for piece, style in pieces(line):
            text.append(visible(piece), STYLES.get(style, style))
        _CONSOLES[stream].print(text, soft_wrap=True)
