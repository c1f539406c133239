"""JSON text piece by piece, exactly as Persist's serialiser (serde_json) writes it: compact, UTF-8, its way of writing
floats. So what is hashed here is what Persist hashes, and a large agent's text is never whole in memory.

Python's encoder in C does the work, for as much of the value at a time as is small.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

_SMALL = 2048
"""What is encoded at once: about so many values, or 32 times as many characters."""
_PIECE = 1 << 16

_FLOATS = re.compile(r'"(?:[^"\\]|\\.)*"|-?[0-9.]+e[+-][0-9]+')
"""Strings, to pass over them, and Python's way of writing floats with an exponent."""

_encode: dict[bool, Callable[[Any], str]] = {
    sort: json.JSONEncoder(ensure_ascii=False, allow_nan=False, sort_keys=sort, separators=(",", ":")).encode
    for sort in (False, True)
}


def pieces(value: Any, *, sort: bool) -> Iterator[bytes]:
    """The text of plain data, keys in their own or in sorted order: the length is the same."""
    gathered: list[str] = []
    size = 0
    for text in _texts(value, sort):
        gathered.append(text)
        size += len(text)
        if size >= _PIECE:
            yield "".join(gathered).encode()
            gathered, size = [], 0
    yield "".join(gathered).encode()


def _texts(value: Any, sort: bool) -> Iterator[str]:
    if not isinstance(value, dict | list) or _left(value, _SMALL) >= 0:
        yield _text(value, sort)
    elif isinstance(value, dict):
        mark = "{"
        for key, inner in sorted(value.items()) if sort else value.items():
            yield f"{mark}{_text(key, sort)}:"
            yield from _texts(inner, sort)
            mark = ","
        yield "}"
    else:
        yield from _list(value, sort)


def _list(value: list[Any], sort: bool) -> Iterator[str]:
    """Its small elements many at a time."""
    together: list[Any] = []
    left, mark = _SMALL, "["
    for inner in value:
        after = _left(inner, left)
        if after < 0 and together:
            yield mark + _text(together, sort)[1:-1]
            together, left, mark = [], _SMALL, ","
            after = _left(inner, left)
        if after < 0:
            yield mark
            yield from _texts(inner, sort)
            mark = ","
        else:
            together.append(inner)
            left = after
    if together:
        yield mark + _text(together, sort)[1:-1]
    yield "]"


def _left(value: Any, left: int) -> int:
    """What is left of an allowance after ``value``; below zero as soon as it is too much."""
    if isinstance(value, str):
        return left - 1 - len(value) // 32
    if isinstance(value, dict):
        for key, inner in value.items():
            left = _left(inner, left - 1 - len(key) // 32)
            if left < 0:
                break
    elif isinstance(value, list):
        for inner in value:
            left = _left(inner, left - 1)
            if left < 0:
                break
    return left - 1


def _text(value: Any, sort: bool) -> str:
    text = _encode[sort](value)
    return _FLOATS.sub(_float, text) if "e-" in text or "e+" in text else text


def _float(found: re.Match[str]) -> str:
    """``1e+16`` is ``1e16`` for Persist, ``1.5e-05`` is ``0.000015``, and ``1e-07`` is ``1e-7``."""
    text = found[0]
    if text[0] == '"':
        return text
    mantissa, _, exponent = text.partition("e")
    if int(exponent) != -5:
        return f"{mantissa}e{int(exponent)}"
    sign = "-" if mantissa[0] == "-" else ""
    return f"{sign}0.0000{mantissa.lstrip('-').replace('.', '')}"
