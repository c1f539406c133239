"""Lines of styled pieces, wrapped to a width; what goes on below is indented a little further than where it began."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from rich.cells import cell_len, chop_cells

from takeback.tui.painting import shown
from takeback.views.lines import Line, Piece, pieces

_WORD = re.compile(r"\s+|\S+")
_FURTHER = 2


def fitted(lines: Iterable[Line], width: int) -> list[Line]:
    """All lines, each as one or more that fit."""
    return [made for line in lines for made in wrap(line, max(width, 8))]


def wrap(line: Line, width: int) -> Iterator[Line]:
    told = [(shown(text), style) for text, style in pieces(line)]
    whole = "".join(text for text, _ in told)
    if cell_len(whole) <= width:
        yield told
        return
    indent = " " * min(len(whole) - len(whole.lstrip()) + _FURTHER, width // 2)
    made: list[Piece] = []
    used, is_first = 0, True
    for word, style in _words(told, width - len(indent)):
        if used + cell_len(word) > width and word.strip():
            yield made
            made, used, is_first = [indent], len(indent), False
        if word.strip() or is_first or used > len(indent):
            made.append((word, style))
            used += cell_len(word)
    yield made


def _words(told: Iterable[tuple[str, str]], most: int) -> Iterator[tuple[str, str]]:
    for text, style in told:
        for word in _WORD.findall(text):
            if cell_len(word) <= most:
                yield word, style
            else:
                yield from ((piece, style) for piece in chop_cells(word, most))
