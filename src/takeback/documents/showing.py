"""Values for people and for JSON: every part of them, whatever its type; what cannot be said in JSON is said in words.

A container that is inside of itself, or deeper than anybody reads, is named instead of entered.
"""

from __future__ import annotations

import math
from base64 import b64encode
from collections.abc import Iterator, Mapping
from types import SimpleNamespace
from typing import Any

from takeback.documents.holes import Hole, Record

_DEEPEST = 100
_MOST_BYTES = 60


def lines(value: Any) -> Iterator[str]:
    """A value as an indented outline. The text is as it was captured: whoever prints it makes it safe for a terminal."""
    way: list[tuple[Any, Iterator[tuple[str, Any]]]] = []
    head, inside = _outlined(value)
    yield head
    way.append((value, inside))
    while way:
        entered = next(way[-1][1], None)
        if entered is None:
            way.pop()
            continue
        label, each = entered
        head, inside = _outlined(each)
        again = any(each is above for above, _ in way) and _is_container(each)
        if again or len(way) >= _DEEPEST:
            head, inside = f"… ({'the same as above' if again else 'and deeper'})", iter(())
        yield f"{'  ' * len(way)}{label}{head}"
        way.append((each, inside))


def as_json(value: Any) -> Any:
    """A value as JSON can have it: bytes in base64, records with their class's name, keys that are no text as it."""
    return _json(value, ())


def _outlined(value: Any) -> tuple[str, Iterator[tuple[str, Any]]]:
    """What a value is called, and what is in it, with labels."""
    if isinstance(value, Record):
        inner = [] if value.content is None else [("content: ", value.content)]
        return value.type, iter([*((f"{name}: ", each) for name, each in value.fields.items()), *inner])
    if isinstance(value, SimpleNamespace):
        return "SimpleNamespace", ((f"{name}: ", each) for name, each in vars(value).items())
    if isinstance(value, Mapping):
        return _counted(value), ((f"{key!r}: ", each) for key, each in value.items())
    if isinstance(value, list | tuple | set | frozenset):
        return _counted(value), (("- ", each) for each in value)
    return _scalar(value), iter(())


def _counted(value: Any) -> str:
    return f"{type(value).__name__} of {len(value)}" if len(value) else f"empty {type(value).__name__}"


def _scalar(value: Any) -> str:
    if isinstance(value, bytes | bytearray) and len(value) > _MOST_BYTES:
        return f"{bytes(value[:_MOST_BYTES])!r}… ({len(value):,} bytes)"
    return repr(value)


def _is_container(value: Any) -> bool:
    return isinstance(value, Record | SimpleNamespace | Mapping | list | tuple | set | frozenset)


def _json(value: Any, way: tuple[int, ...]) -> Any:
    if value is None or isinstance(value, bool | int | str):
        return value if type(value) in (type(None), bool, int, str) else repr(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else repr(value)
    if isinstance(value, bytes | bytearray):
        return {"bytes": b64encode(value).decode("ascii")}
    if isinstance(value, Hole):
        return {"not captured": value.type}
    if not _is_container(value):
        return repr(value)
    if id(value) in way or len(way) >= _DEEPEST:
        return "…"
    inner = (*way, id(value))
    if isinstance(value, Record):
        made = {"type": value.type, "fields": {name: _json(each, inner) for name, each in value.fields.items()}}
        return made if value.content is None else {**made, "content": _json(value.content, inner)}
    if isinstance(value, SimpleNamespace):
        return {name: _json(each, inner) for name, each in vars(value).items()}
    if isinstance(value, Mapping):
        return {key if isinstance(key, str) else repr(key): _json(each, inner) for key, each in value.items()}
    return [_json(each, inner) for each in value]
