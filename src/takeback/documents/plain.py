"""Plain data: what msgpack has for itself. It is told from the rest, and written, by C and not element by element.

Whether a value is plain is asked a level at a time: the types of everything on a level are one set. Only exact types
count, because msgpack would make a list of a tuple, and a string of an enumeration.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import Any

from msgspec.msgpack import Encoder

from takeback.documents.tags import DEEP

SCALARS = frozenset({type(None), bool, int, float, str, bytes})
_CONTAINERS = frozenset({list, dict})
_PLAIN = SCALARS | _CONTAINERS
_STRINGS = frozenset({str, bytes})
_HUGE = 1 << 16
_DEEPEST = DEEP // 2
"""What is nested deeper is looked at one by one: it may be too deep to be written in one piece."""

_FEW = 256
"""So many on a level may be the same one: it is not worth looking."""

pack = Encoder().encode
"""The bytes of plain data; OverflowError and UnicodeEncodeError for integers and strings that msgpack has not."""


def containers_in(value: list[Any] | dict[Any, Any]) -> list[Any] | None:
    """Every list and dictionary in a plain value, itself first; None if it is not plain, or should not be written in one
    piece: a huge string may be in it a thousand times. What is reached twice may be listed twice, or be a reason for None,
    because lists that hold each other would have no end."""
    found: list[Any] = [value]
    level: list[Any] = found
    for _ in range(_DEEPEST):
        below = _below(level)
        if below is None:
            return None
        kinds = set(map(type, below))
        if not kinds <= _PLAIN or (not kinds.isdisjoint(_STRINGS) and _is_huge(below, kinds)):
            return None
        if kinds.isdisjoint(_CONTAINERS):
            return found
        if not kinds <= _CONTAINERS:
            below = [each for each in below if type(each) in _CONTAINERS]
        if len(below) > _FEW and len(set(map(id, below))) < len(below):
            return None
        found = [*found, *below]
        level = below
    return None


def _is_huge(values: list[Any], kinds: set[type]) -> bool:
    """Whether there is a huge string among some values."""
    strings = values if kinds <= _STRINGS else [each for each in values if type(each) in _STRINGS]
    return max(map(len, strings)) > _HUGE


def _below(level: list[Any]) -> list[Any] | None:
    """What lists and dictionaries hold; None if a key is no string."""
    kinds = set(map(type, level))
    if kinds == {list}:
        return list(chain.from_iterable(level))
    dicts = level if kinds == {dict} else [each for each in level if type(each) is dict]
    if not _are_strings(chain.from_iterable(dicts)):
        return None
    values = chain.from_iterable(map(dict.values, dicts))
    if dicts is level:
        return list(values)
    return [*chain.from_iterable(each for each in level if type(each) is list), *values]


def _are_strings(keys: Iterable[Any]) -> bool:
    return set(map(type, keys)) <= {str}
