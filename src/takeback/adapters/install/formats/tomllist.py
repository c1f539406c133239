"""Patterns added to a list of a TOML file, as text. The result is only taken if TOML says that nothing else changed."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Sequence
from typing import Any

from takeback.adapters.install.formats.text import Insertion, insert, newline
from takeback.errors import InvalidInput

_HEAD = re.compile(r"(?:[ \t]*#[^\r\n]*\r?\n)+[ \t]*\r?\n")
"""Comments at the very top that are about the whole file: a blank line follows them."""


def extend(text: str, key: str, values: Sequence[str]) -> str:
    """The text with values added to the list under a top-level key, which is made if it is missing."""
    before = _load(text)
    listed = before.get(key, [])
    if not isinstance(listed, list):
        raise InvalidInput(f"`{key}` is no list")
    new = [value for value in values if value not in listed]
    if not new:
        return text
    wanted = {**before, key: [*new, *listed]}
    for place in _places(text, key, new) if key in before else [_line(text, key, new)]:
        after, _ = insert(text, [place])
        try:
            if tomllib.loads(after) == wanted:
                return after
        except tomllib.TOMLDecodeError:
            pass  # what looks like the key is inside a string
    raise InvalidInput(f"`{key}` is written in a way that cannot be added to", hints=[f"add {json.dumps(new)} to it"])


def _line(text: str, key: str, values: Sequence[str]) -> Insertion:
    """A line of its own: at the top, where no table has begun yet."""
    head = _HEAD.match(text)
    return Insertion(head.end() if head else 0, f"{key} = {json.dumps(values, ensure_ascii=False)}{newline(text)}")


def _places(text: str, key: str, values: Sequence[str]) -> list[Insertion]:
    """Behind every bracket that may be the one that opens the list."""
    shown = json.dumps(values, ensure_ascii=False)[1:-1]
    places = []
    for found in re.finditer(rf"^[ \t]*[\"']?{re.escape(key)}[\"']?[ \t]*=[ \t]*\[", text, re.MULTILINE):
        rest = text[found.end() :]
        empty = rest.lstrip(" \t\r\n").startswith("]")
        separator = "" if empty else "," if rest[:1] in "\r\n" else ", "
        places.append(Insertion(found.end(), shown + separator))
    return places


def _load(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise InvalidInput(f"it is not TOML: {error}") from None
