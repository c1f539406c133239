"""Small values of the standard library that never change: each is a name and arguments.

=============  ========================================================================================================
name           arguments
=============  ========================================================================================================
complex        the real and the imaginary part
decimal        its text, as ``str`` writes it
fraction       numerator and denominator
uuid           its 16 bytes
date           year, month, day
time           hour, minute, second, microsecond, fold, zone or nil
datetime       year, month, day, hour, minute, second, microsecond, fold, zone or nil
timedelta      days, seconds, microseconds
timezone       the offset as a timedelta, and its name, if it was given one, or nil
zone           a key of the IANA database, such as ``Europe/Berlin``
path           the kind (``posix``, ``pure-posix``, ``pure-windows``), and the path's bytes
range          start, stop, step
slice          start, stop, step
pattern        a regular expression (a string or bytes), and those of its flags that change what it matches
ellipsis       none
scalar         of numpy: its type, as ``dtype.str`` has it, and its bytes
=============  ========================================================================================================
"""

from __future__ import annotations

import datetime as dt
import os
import pathlib
import re
import sys
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from takeback.errors import Unavailable

_REDUCED_AGAIN = 1 << 10
"""Fractions of so many bits are known to be in lowest terms after they were read."""
_MATCHING = int(re.ASCII | re.IGNORECASE | re.LOCALE | re.MULTILINE | re.DOTALL | re.UNICODE | re.VERBOSE)
"""Flags of a regular expression without re.DEBUG and re.TEMPLATE, which make `re.compile` print and warn."""

Taken = tuple[str, tuple[Any, ...]]


def take(value: Any) -> Taken | None:
    """The name and the arguments of a value; None if it is none of these."""
    found = _TAKE.get(type(value))
    if found is not None:
        return found(value)
    numpy = sys.modules.get("numpy")  # whoever has one of its values has loaded it
    if numpy is not None and isinstance(value, numpy.generic) and not value.dtype.hasobject:
        return "scalar", (_dtype(value.dtype), value.tobytes())
    return None


def make(name: str, arguments: list[Any]) -> Any:
    """The value of a name and arguments; ValueError or TypeError if there is none."""
    if name not in _MAKE:
        raise ValueError(f"there is no value called {name!r:.40}")
    return _MAKE[name](*arguments)


def _dtype(dtype: Any) -> str:
    if dtype.names is not None or dtype.hasobject:
        raise TypeError(f"numpy's type {dtype} cannot be written down")
    return str(dtype.str)


def array_parts(value: Any) -> tuple[str, list[int], bytes]:
    """A numpy array as its type, its shape and its bytes in C order; TypeError if it holds objects or records."""
    return _dtype(value.dtype), list(value.shape), value.tobytes()


def make_array(dtype: str, shape: list[int], data: bytes) -> Any:
    numpy = _numpy()
    kind = _numpy_type(numpy, dtype)
    if type(shape) is not list or not all(type(each) is int and each >= 0 for each in shape):
        raise ValueError("the shape of an array is a list of lengths")
    return numpy.frombuffer(data, kind).reshape(tuple(shape)).copy()


def _numpy() -> Any:
    try:
        import numpy
    except ImportError:
        raise Unavailable(
            "the state holds values of numpy, which is not installed", hints=["pip install numpy"]
        ) from None
    return numpy


def _scalar(dtype: str, data: bytes) -> Any:
    numpy = _numpy()
    kind = _numpy_type(numpy, dtype)
    if not kind.itemsize and not any(data[:5]):  # an empty string, of which there is no array
        return kind.type("" if kind.kind == "U" else b"")
    found = numpy.frombuffer(data, kind)
    if len(found) != 1:
        raise ValueError("a scalar has one element")
    return found[0]


def _numpy_type(numpy: Any, text: Any) -> Any:
    if not isinstance(text, str) or not re.fullmatch(r"[<>|=][biufcmMSUV?]\d*(\[\w+\])?", text):
        raise ValueError(f"{text!r:.40} is no type of numpy's")
    return numpy.dtype(text)


def _take_time(value: dt.time) -> Taken:
    return "time", (value.hour, value.minute, value.second, value.microsecond, value.fold, value.tzinfo)


def _take_datetime(value: dt.datetime) -> Taken:
    day = (value.year, value.month, value.day)
    return "datetime", (*day, value.hour, value.minute, value.second, value.microsecond, value.fold, value.tzinfo)


def _take_timezone(value: dt.timezone) -> Taken:
    offset = value.utcoffset(None)
    name = value.tzname(None)
    return "timezone", (offset, None if name == dt.timezone(offset).tzname(None) else name)


def _take_zone(value: ZoneInfo) -> Taken:
    if not _is_zone_key(value.key):  # made from a file
        raise TypeError("it has no key of the database")
    return "zone", (value.key,)


def _take_path(kind: str) -> Callable[[pathlib.PurePath], Taken]:
    def take(value: pathlib.PurePath) -> Taken:
        return "path", (kind, str(value).encode("utf-8", "surrogatepass") if "windows" in kind else os.fsencode(value))

    return take


def _time(hour: int, minute: int, second: int, microsecond: int, fold: int, zone: dt.tzinfo | None) -> dt.time:
    return dt.time(hour, minute, second, microsecond, zone, fold=fold)


def _datetime(*arguments: Any) -> dt.datetime:
    year, month, day, hour, minute, second, microsecond, fold, zone = arguments
    return dt.datetime(year, month, day, hour, minute, second, microsecond, zone, fold=fold)


def _timezone(offset: dt.timedelta, name: str | None) -> dt.timezone:
    return dt.timezone(offset) if name is None else dt.timezone(offset, name)


def _is_zone_key(key: Any) -> bool:
    """Whether it is a name, and not a way out of the directory of the database."""
    return (
        isinstance(key, str) and re.fullmatch(r"(?=.{1,100}\Z)[A-Za-z0-9_+-]+(/[A-Za-z0-9_+-]+){0,3}", key) is not None
    )


def _zone(key: str) -> ZoneInfo:
    if not _is_zone_key(key):
        raise ValueError("the key of a time zone is a name such as Europe/Berlin")
    try:
        return ZoneInfo(key)
    except (ZoneInfoNotFoundError, OSError):
        raise Unavailable(
            f"the state holds a time in the zone {key!r:.60}, which this machine does not know",
            hints=["pip install tzdata"],
        ) from None


def _path(kind: str, data: bytes) -> pathlib.PurePath:
    if kind == "pure-windows":
        return pathlib.PureWindowsPath(data.decode("utf-8", "surrogatepass"))
    kinds: dict[str, type[pathlib.PurePath]] = {"posix": pathlib.Path, "pure-posix": pathlib.PurePosixPath}
    return kinds[kind](os.fsdecode(data))


def _integers(kind: Callable[..., Any], optional: bool = False) -> Callable[..., Any]:
    def make(*arguments: Any) -> Any:
        if not all(type(each) is int or (optional and each is None) for each in arguments):
            raise TypeError("an argument is no integer")
        return kind(*arguments)

    return make


def _complex(real: float, imaginary: float) -> complex:
    if type(real) is not float or type(imaginary) is not float:
        raise TypeError("a complex number is two floats")
    return complex(real, imaginary)


def _fraction(numerator: int, denominator: int) -> Fraction:
    """As it was reduced when it was written: to reduce it again takes hours if an enemy wrote two very long numbers."""
    if type(numerator) is not int or type(denominator) is not int or denominator < 1:
        raise ValueError("a fraction is two integers, the second of them positive")
    if max(numerator.bit_length(), denominator.bit_length()) <= _REDUCED_AGAIN:
        return Fraction(numerator, denominator)
    value = Fraction()
    value._numerator, value._denominator = numerator, denominator  # type: ignore[attr-defined]
    return value


def _decimal(text: str) -> Decimal:
    if not isinstance(text, str):
        raise TypeError("a decimal is written as a string")
    return Decimal(text)


def _pattern(pattern: str | bytes, flags: int) -> re.Pattern[Any]:
    return re.compile(pattern, flags & _MATCHING)


def _uuid(data: bytes) -> UUID:
    return UUID(bytes=data)


_TAKE: dict[type, Callable[[Any], Taken]] = {
    complex: lambda value: ("complex", (value.real, value.imag)),
    Decimal: lambda value: ("decimal", (str(value),)),
    Fraction: lambda value: ("fraction", (value.numerator, value.denominator)),
    UUID: lambda value: ("uuid", (value.bytes,)),
    dt.date: lambda value: ("date", (value.year, value.month, value.day)),
    dt.time: _take_time,
    dt.datetime: _take_datetime,
    dt.timedelta: lambda value: ("timedelta", (value.days, value.seconds, value.microseconds)),
    dt.timezone: _take_timezone,
    ZoneInfo: _take_zone,
    pathlib.PosixPath: _take_path("posix"),
    pathlib.PurePosixPath: _take_path("pure-posix"),
    pathlib.PureWindowsPath: _take_path("pure-windows"),
    range: lambda value: ("range", (value.start, value.stop, value.step)),
    slice: lambda value: ("slice", (value.start, value.stop, value.step)),
    re.Pattern: lambda value: ("pattern", (value.pattern, value.flags & _MATCHING)),
    type(...): lambda value: ("ellipsis", ()),
}

TYPES = frozenset(_TAKE)
"""Some of them are written in Python, and yet nobody may look into them: they never change."""

_MAKE: dict[str, Callable[..., Any]] = {
    "complex": _complex,
    "decimal": _decimal,
    "fraction": _fraction,
    "uuid": _uuid,
    "date": _integers(dt.date),
    "time": _time,
    "datetime": _datetime,
    "timedelta": _integers(dt.timedelta),
    "timezone": _timezone,
    "zone": _zone,
    "path": _path,
    "range": _integers(range),
    "slice": slice,
    "pattern": _pattern,
    "ellipsis": lambda: ...,
    "scalar": _scalar,
}
