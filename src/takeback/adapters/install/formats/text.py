"""Texts that are only ever added to, and the inverse of that.

A configuration is somebody's own text. So an edit of it is a list of insertions, everything else keeps its bytes, and
taking the insertions out again is exact by construction.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

BOM = "\ufeff"


class Insertion(NamedTuple):
    """Text that goes in front of the character at an offset."""

    at: int
    text: str


class Span(NamedTuple):
    """A stretch of a text, or of its bytes."""

    start: int
    end: int


def insert(text: str, insertions: Iterable[Insertion]) -> tuple[str, tuple[Span, ...]]:
    """The text with the insertions made, and where their bytes are in it. Those at one offset keep their order."""
    pieces: list[str] = []
    spans: list[Span] = []
    done = length = 0
    for insertion in sorted(insertions, key=lambda each: each.at):
        kept = text[done : insertion.at]
        start = length + len(kept.encode())
        end = start + len(insertion.text.encode())
        pieces += (kept, insertion.text)
        spans.append(Span(start, end))
        done, length = insertion.at, end
    pieces.append(text[done:])
    return "".join(pieces), tuple(spans)


def without_bytes(data: bytes, spans: Iterable[Sequence[int]]) -> bytes:
    """The bytes without these stretches."""
    pieces = []
    done = 0
    for start, end in sorted((each[0], each[1]) for each in spans):
        pieces.append(data[done:start])
        done = end
    return b"".join([*pieces, data[done:]])


def without(text: str, spans: Iterable[Span]) -> str:
    """The text without these stretches, which may overlap."""
    pieces = []
    done = 0
    for start, end in sorted(spans):
        pieces.append(text[done : max(done, start)])
        done = max(done, end)
    return "".join([*pieces, text[done:]])


def newline(text: str) -> str:
    """How the text ends its lines."""
    first = text.find("\n")
    return "\r\n" if first > 0 and text[first - 1] == "\r" else "\n"


def indentation(text: str, offset: int) -> str:
    """The blanks that the line of an offset begins with."""
    start = max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1
    end = start
    while end < len(text) and text[end] in " \t":
        end += 1
    return text[start:end]


def line_of(text: str, offset: int) -> int:
    """The number of an offset's line, from 1."""
    return text.count("\n", 0, offset) + 1
