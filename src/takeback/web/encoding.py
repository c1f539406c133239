"""Values as JSON that every browser can read.

Frozen values of `takeback.views` and `takeback.model` become objects with their fields. A time, which is a field whose name
ends in ``_ns``, is a string of digits, because JavaScript cannot hold it as a number, and beside it, without ``_ns``, an ISO
8601 time. Text that is not UTF-8 has lone surrogates, which are escaped: JSON can hold what HTTP cannot. What JSON cannot
say (a number that is none, bytes) is said in words, and nothing is deeper than a parser follows.
"""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Mapping, Set
from functools import cache
from typing import Any

from takeback.shapes import iso

_DEEPEST = 60
_LARGEST = 2**63
_ITSELF = frozenset({type(None), bool, str})


def encoded(value: Any) -> bytes:
    return json.dumps(plain(value), ensure_ascii=True, allow_nan=False, separators=(",", ":")).encode("ascii")


def plain(value: Any, depth: int = 0) -> Any:
    """The same, of nothing but what JSON has."""
    if type(value) in _ITSELF or value == ():
        return value
    if isinstance(value, int):
        return int(value) if -_LARGEST <= value < _LARGEST else hex(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, bytes | bytearray):
        return value.hex()
    if depth >= _DEEPEST:
        return "…"
    if (names := _names(type(value))) is not None:  # type: ignore[arg-type] # a class is hashable
        return _fields(names, value, depth)
    if isinstance(value, Mapping):
        return {key if isinstance(key, str) else str(key): plain(each, depth + 1) for key, each in value.items()}
    if isinstance(value, list | tuple | Set):
        return [plain(each, depth + 1) for each in value]
    return str(value)


@cache
def _names(kind: type) -> tuple[tuple[str, str], ...] | None:
    """The fields of a value of ours, and of a time what it is called in words; looked up once for thousands of rows."""
    if dataclasses.is_dataclass(kind):
        names = tuple(each.name for each in dataclasses.fields(kind))
    elif issubclass(kind, tuple) and hasattr(kind, "_fields"):
        names = kind._fields
    else:
        return None
    return tuple((name, name.removesuffix("_ns") if name.endswith("_ns") else "") for name in names)


def _fields(names: tuple[tuple[str, str], ...], value: Any, depth: int) -> dict[str, Any]:
    made: dict[str, Any] = {}
    values = value if isinstance(value, tuple) else [getattr(value, name) for name, _ in names]
    for (name, in_words), each in zip(names, values, strict=True):
        if in_words and (each is None or isinstance(each, int)):
            made[name] = None if each is None else str(each)
            made[in_words] = moment(each)
        else:
            made[name] = each if type(each) in _ITSELF else plain(each, depth + 1)
    return made


def moment(time_ns: int | None) -> str | None:
    """ISO 8601; None for a time that no calendar has."""
    try:
        return iso(time_ns)
    except (OverflowError, ValueError, OSError):
        return None
