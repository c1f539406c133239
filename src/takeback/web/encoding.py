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
from typing import Any

from takeback.shapes import iso

_DEEPEST = 60
_LARGEST = 2**63


def encoded(value: Any) -> bytes:
    return json.dumps(plain(value), ensure_ascii=True, allow_nan=False, separators=(",", ":")).encode("ascii")


def plain(value: Any, depth: int = 0) -> Any:
    """The same, of nothing but what JSON has."""
    if value is None or type(value) in (bool, str):
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
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _fields({each.name: getattr(value, each.name) for each in dataclasses.fields(value)}, depth)
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return _fields(value._asdict(), depth)
    if isinstance(value, Mapping):
        return {key if isinstance(key, str) else str(key): plain(each, depth + 1) for key, each in value.items()}
    if isinstance(value, list | tuple | Set):
        return [plain(each, depth + 1) for each in value]
    return str(value)


def _fields(fields: Mapping[str, Any], depth: int) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for name, value in fields.items():
        if name.endswith("_ns") and (value is None or isinstance(value, int)):
            made[name] = None if value is None else str(value)
            made[name.removesuffix("_ns")] = moment(value)
        else:
            made[name] = plain(value, depth + 1)
    return made


def moment(time_ns: int | None) -> str | None:
    """ISO 8601; None for a time that no calendar has."""
    try:
        return iso(time_ns)
    except (OverflowError, ValueError, OSError):
        return None
