"""How much a tool may say: a model reads all of it, so what is long is cut, and how much is missing is said.

Every list of an answer ends after `MOST` items or `LIST_CHARACTERS`, whichever comes first; ``more`` says how many of
each are left out. Text, which a name may hold in any encoding, is made such that every client can read it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from takeback.shapes import Shape

MOST = 200
LIST_CHARACTERS = 16_000
TEXT_BYTES = 32_000
_LONGEST = 2_000
"""Characters of one string that is no file's content."""


def bounded(shape: Shape, *, texts: Iterable[str] = ()) -> Shape:
    """An answer, cut; ``texts`` are keys whose strings were already cut as they should be."""
    whole = frozenset(texts)
    made: Shape = {}
    more: dict[str, int] = {}
    for key, value in shape.items():
        if isinstance(value, list):
            kept = _first([readable(each) for each in value])
            if len(kept) < len(value):
                more[key] = len(value) - len(kept)
            made[key] = kept
        elif isinstance(value, dict):
            kept_items = dict(_first([[readable(name), readable(each)] for name, each in value.items()]))
            if len(kept_items) < len(value):
                more[key] = len(value) - len(kept_items)
            made[key] = kept_items
        else:
            made[key] = readable(value, cut=key not in whole)
    if more:
        made["left_out"] = more
    return made


def readable(value: Any, *, cut: bool = True) -> Any:
    """The same with all text valid, and short unless it may be long."""
    if isinstance(value, str):
        text = value.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
        return text if not cut or len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
    if isinstance(value, dict):
        return {readable(key): readable(each, cut=cut) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [readable(each, cut=cut) for each in value]
    return value


def text_of(data: bytes, *, whole: bool) -> str | None:
    """Bytes as text; None if they are none. A character that is cut in two at the end is left out unless ``whole``."""
    for missing in range(1 if whole else 4):
        try:
            text = data[: len(data) - missing].decode("utf-8")
        except UnicodeDecodeError:
            continue
        return None if "\0" in text else text
    return None


def _first(items: list[Any]) -> list[Any]:
    size = 0
    for number, each in enumerate(items[:MOST]):
        size += len(json.dumps(each))
        if size > LIST_CHARACTERS:
            return items[:number]
    return items[:MOST]
