"""Source text in colours: each line as pieces, with one of a few styles that every face can show."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pygments.token import _TokenType

Spans = tuple[tuple[str, str], ...]
"""Style and text. Styles: ``k`` keyword, ``s`` string, ``c`` comment, ``n`` number, ``f`` name of a function or class,
``b`` builtin, ``o`` operator, ``t`` tag or decorator; empty for all else. A ``!`` before it marks what differs."""

_LARGEST = 256 << 10
"""Longer texts are shown without colours."""
_PATIENCE = 0.5
"""Seconds of a processor. A few bytes, again and again, keep some lexers busy for hours, and everybody else waiting."""

_STYLES = {
    "Comment": "c",
    "Keyword": "k",
    "Literal.String": "s",
    "Literal.Number": "n",
    "Name.Builtin": "b",
    "Name.Function": "f",
    "Name.Class": "f",
    "Name.Namespace": "f",
    "Name.Decorator": "t",
    "Name.Tag": "t",
    "Name.Attribute": "t",
    "Name.Label": "t",
    "Operator.Word": "k",
    "Operator": "o",
    "Generic.Heading": "f",
    "Generic.Subheading": "f",
    "Generic.Strong": "k",
    "Generic.Emph": "s",
}


def coloured(lines: list[str], path: str) -> list[Spans]:
    """The lines of a text, each in pieces; the language is told from the path. Lines hold no line ends."""
    if sum(map(len, lines)) > _LARGEST:
        return [_plain(line) for line in lines]
    from time import thread_time

    from pygments.lexers import get_lexer_for_filename
    from pygments.util import ClassNotFound

    try:
        lexer = get_lexer_for_filename(path.rpartition("/")[2], stripnl=False, ensurenl=False)
    except ClassNotFound:
        return [_plain(line) for line in lines]
    made: list[list[tuple[str, str]]] = [[]]
    end = thread_time() + _PATIENCE
    for kind, text in lexer.get_tokens("\n".join(lines)):
        if thread_time() > end:
            return [_plain(line) for line in lines]
        style = _style(kind)
        for number, piece in enumerate(text.split("\n")):
            if number:
                made.append([])
            if piece:
                made[-1].append((style, piece))
    if ["".join(text for _, text in line) for line in made] != lines:
        return [_plain(line) for line in lines]  # a lexer that does not give back what it got
    return [tuple(line) for line in made]


def _plain(line: str) -> Spans:
    return (("", line),) if line else ()


def _style(kind: _TokenType) -> str:
    name = str(kind).removeprefix("Token.")
    while name:
        if name in _STYLES:
            return _STYLES[name]
        name = name.rpartition(".")[0]
    return ""
