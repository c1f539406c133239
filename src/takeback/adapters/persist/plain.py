"""Plain data: what JSON gives back as it was. Everything else is refused when it is written, with its place.

A dict that LangChain would take for one of its own is wrapped as LangChain wraps it, so that it stays data.
"""

from __future__ import annotations

import math
from typing import Any

from takeback.adapters.persist.errors import PersistConfigurationError
from takeback.adapters.persist.places import Place

DEEPEST = 100
"""How deep an agent is nested at most."""
_WRAPPED = "__lc_escaped__"
_NOT_BACK: dict[type, str] = {
    tuple: "a tuple, which JSON gives back as a list",
    set: "a set, which JSON cannot hold",
    frozenset: "a frozenset, which JSON cannot hold",
    bytes: "bytes, which JSON cannot hold",
}


def is_scalar(value: object) -> bool:
    return value is None or type(value) in (str, bool, int, float)


def scalar(value: Any, place: Place) -> Any:
    """A value that is neither list nor dict, if it comes back as it is."""
    if type(value) is str:
        if not value.isascii():
            try:
                value.encode()
            except UnicodeEncodeError:
                raise refused(place, "a text that cannot be written as UTF-8") from None
    elif type(value) is float and not math.isfinite(value):
        raise refused(place, f"{value}, which JSON cannot hold")
    elif type(value) is int and value.bit_length() > 10_000:
        raise refused(place, "a number with thousands of digits")
    elif not is_scalar(value):
        raise refused(place, _NOT_BACK.get(type(value), f"a {type(value).__qualname__}, which JSON cannot hold"))
    return value


def key(value: Any, place: Place) -> str:
    if type(value) is not str:
        raise PersistConfigurationError(
            f"cannot take a snapshot: {place} has the key {value!r}, of which JSON makes a text", hints=["use a text"]
        )
    return str(scalar(value, place))


def data(value: Any, place: Place) -> Any:
    """Data that is not LangChain's at any depth: checked, and given back as it is."""
    check_depth(place)
    if type(value) is dict:
        for name, inner in value.items():
            data(inner, place.item(key(name, place)))
    elif type(value) is list:
        for index, inner in enumerate(value):
            data(inner, place.item(index))
    else:
        scalar(value, place)
    return value


def must_be_wrapped(value: dict[str, Any]) -> bool:
    return "lc" in value or is_wrapped(value)


def wrapped(value: dict[str, Any]) -> dict[str, Any]:
    return {_WRAPPED: value}


def is_wrapped(value: dict[str, Any]) -> bool:
    return len(value) == 1 and _WRAPPED in value


def unwrapped(value: dict[str, Any]) -> Any:
    return value[_WRAPPED]


def check_depth(place: Place) -> None:
    if place.depth > DEEPEST:
        raise PersistConfigurationError(
            f"the agent is nested more than {DEEPEST} deep, or holds itself", hints=["make it flatter"]
        )


def refused(place: Place, what: str) -> PersistConfigurationError:
    name = place.name or None
    return PersistConfigurationError(
        f"cannot take a snapshot: {place} is {what}",
        hints=["give it another form" + (f", or leave it out: leave_out=[{name!r}]" if name else "")],
    )
