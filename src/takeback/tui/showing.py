"""Lines of `takeback.views` as Textual shows them. Text is text here: markup in it is never read, and whatever a terminal
could obey is written as an escape."""

from __future__ import annotations

from collections.abc import Iterable

from textual.content import Content

from takeback.views.lines import Line, pieces
from takeback.views.text import visible

STYLES = {
    "id": "$id",
    "head": "bold",
    "quiet": "$quiet",
    "good": "$success",
    "warn": "$warning",
    "bad": "bold $error",
    "name": "$name",
    "label": "$label",
    "plus": "$plus",
    "minus": "$minus",
}
"""Styles of views by name; any other style is one of Textual's."""


def shown(line: Line | str) -> Content:
    """One line."""
    return Content.assemble(*((visible(text), STYLES.get(style, style)) for text, style in pieces(line)))


def paragraphs(lines: Iterable[Line | str]) -> Content:
    """Several lines."""
    return Content("\n").join([shown(line) for line in lines])
