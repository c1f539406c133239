"""A value as a person reads it, in one short line; however large it is, only its beginning is looked at."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from takeback.documents.holes import Hole, Record

_WIDEST = 80
_MOST = 20
_DEEPEST = 8
_LONGEST_INTEGER = 1 << 12


def shown(value: Any) -> str:
    text = ""
    for piece in _pieces(value, _DEEPEST):
        text += piece
        if len(text) > 2 * _WIDEST:
            break
    return cut(text)


def cut(text: str) -> str:
    text = " ".join(text[: 4 * _WIDEST].split())
    return text if len(text) <= _WIDEST else f"{text[: _WIDEST - 1]}…"


def _pieces(value: Any, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        yield repr(value[: _WIDEST + 1])
    elif isinstance(value, bytes):
        yield repr(value) if len(value) <= _WIDEST else f"{len(value):,} bytes"
    elif isinstance(value, int) and value.bit_length() > _LONGEST_INTEGER:
        yield f"an integer of {value.bit_length():,} bits"
    elif depth == 0:
        yield "…"
    elif isinstance(value, list | tuple | set | frozenset | dict) and len(value) > _MOST:
        yield f"{type(value).__name__} of {len(value):,}"
    elif type(value) in _BRACKETS:
        begin, end = _BRACKETS[type(value)]
        yield begin
        yield from _joined((("", each) for each in value), depth)
        yield ",)" if type(value) is tuple and len(value) == 1 else end
    elif type(value) is dict:
        yield "{"
        for number, (key, each) in enumerate(value.items()):
            yield ", " if number else ""
            yield from _pieces(key, depth - 1)
            yield ": "
            yield from _pieces(each, depth - 1)
        yield "}"
    elif isinstance(value, Record):
        yield f"{value.type.rpartition(':')[2]}("
        yield from _joined(((f"{name}=", each) for name, each in value.fields.items()), depth)
        if value.content is not None:
            yield ", " if value.fields else ""
            yield from _pieces(value.content, depth - 1)
        yield ")"
    else:
        yield repr(value) if isinstance(value, Hole) else _repr(value)


_BRACKETS: dict[type, tuple[str, str]] = {list: ("[", "]"), tuple: ("(", ")")}


def _joined(items: Iterable[tuple[str, Any]], depth: int) -> Iterator[str]:
    for number, (before, each) in enumerate(items):
        yield f"{', ' if number else ''}{before}"
        yield from _pieces(each, depth - 1)


def _repr(value: Any) -> str:
    try:
        return repr(value)
    except Exception:  # of an author's own class, or of something too deep or too long inside
        return f"a {type(value).__name__}"
