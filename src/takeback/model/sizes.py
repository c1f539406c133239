"""Sizes and durations as people write them: ``100MiB``, ``5m``."""

from __future__ import annotations

import math
import re

from takeback.errors import InvalidInput

_UNITS = {"": 1, "b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12}
_UNITS |= {"k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
_UNITS |= {"kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "tib": 1 << 40}
_WORDS = {
    0.001: "ms",
    1.0: " s sec secs second seconds",
    60.0: "m min mins minute minutes",
    3600.0: "h hr hrs hour hours",
    86400.0: "d day days",
    604800.0: "w week weeks",
}
_SECONDS = {word: seconds for seconds, words in _WORDS.items() for word in words.split(" ")}
_NUMBER = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*", re.IGNORECASE)


def parse_size(value: int | str) -> int:
    """Bytes; ``MiB`` and ``M`` are 1024-based, ``MB`` is 1000-based."""
    number, unit = _split(value, "size", "100MiB")
    if unit not in _UNITS:
        raise InvalidInput(f"{value!r} is not a size", hints=["write a number and a unit, such as 100MiB"])
    return int(_finite(number, _UNITS[unit], value, "size"))


def parse_seconds(value: float | str) -> float:
    """Seconds of a duration such as ``90``, ``5m``, ``1.5h`` or ``2d``."""
    number, unit = _split(value, "duration", "5m")
    if unit not in _SECONDS:
        raise InvalidInput(f"{value!r} is not a duration", hints=["write a number and one of ms, s, m, h, d, w"])
    return float(_finite(number, _SECONDS[unit], value, "duration"))


def format_size(size: float) -> str:
    """A size for people: ``512 B``, ``3.4 MiB``."""
    for unit in ("B", "KiB", "MiB", "GiB"):
        if abs(size) < 1024:
            return f"{size:.0f} B" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} TiB"


def _finite(number: float, unit: float, value: object, what: str) -> float:
    try:
        found = number * unit
        if found < math.inf:
            return found
    except OverflowError:
        pass
    raise InvalidInput(f"{str(value)[:40]!r} is too much for a {what}", hints=["write a smaller one"])


def _split(value: float | str, what: str, example: str) -> tuple[float, str]:
    """The number, never negative and never endless, and its unit; a plain number has none."""
    match = _NUMBER.fullmatch(value) if isinstance(value, str) else None
    if match is not None:
        number, unit = float(match[1]), match[2].lower()
    elif isinstance(value, int | float) and not isinstance(value, bool):
        number, unit = value, ""
    else:
        number, unit = math.nan, ""
    if not 0 <= number < math.inf:
        raise InvalidInput(f"{value!r} is not a {what}", hints=[f"write a number and a unit, such as {example}"])
    return number, unit
