"""Where in a value something is, as a person would write it: ``agent.tools[3].client``."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from types import SimpleNamespace
from typing import Any

from takeback.documents.holes import Hole, Record
from takeback.documents.plain import SCALARS
from takeback.documents.shapes import shape_of, take_apart
from takeback.documents.shortening import shown

Step = int | str | tuple[Any]
"""An index, a piece of text, or a dictionary's key."""


def path_text(steps: Iterable[Step]) -> str:
    return "".join(
        each if isinstance(each, str) else f"[{each}]" if isinstance(each, int) else f"[{_shortened(each[0])}]"
        for each in steps
    )


def holes_in(value: Any, name: str) -> list[tuple[str, str]]:
    """Where the holes of a value are, and the type of what was there."""
    return [(path_text(path), each.type) for path, each in walk(value, name) if isinstance(each, Hole)]


def path_to(root: Any, wanted: Any, name: str) -> str:
    """Where in a value something is."""
    return next((path_text(path) for path, each in walk(root, name) if each is wanted), name)


def walk(root: Any, name: str) -> Iterator[tuple[tuple[Step, ...], Any]]:
    """Everything that a value leads to, with one path to it; what has no parts may come more than once."""
    seen: set[int] = set()
    waiting: list[tuple[tuple[Step, ...], Any]] = [((name,), root)]
    while waiting:
        path, value = waiting.pop()
        if type(value) not in SCALARS:
            if id(value) in seen:
                continue
            seen.add(id(value))
            waiting += reversed([((*path, step), each) for step, each in _inside(value)])
        yield path, value


def _inside(value: Any) -> Iterator[tuple[Step, Any]]:
    if isinstance(value, Record):
        yield from ((f".{name}", each) for name, each in value.fields.items())
        value = value.content
    elif isinstance(value, SimpleNamespace):
        yield from ((f".{name}", each) for name, each in vars(value).items())
    elif type(value) is not Hole and (shape := shape_of(type(value))) is not None:
        kept = take_apart(shape, value)
        private, extra, _ = kept.pydantic or (None, None, [])
        for fields in (kept.fields, kept.slots, private, extra):
            yield from ((f".{name}", each) for name, each in (fields or {}).items())
        value = kept.content
    if isinstance(value, dict):
        yield from (((key,), each) for key, each in value.items())
    elif isinstance(value, list | tuple | deque):
        yield from enumerate(value)
    elif isinstance(value, set | frozenset):
        yield from (("{…}", each) for each in value)


def _shortened(key: Any) -> str:
    text = shown(key) if type(key) in SCALARS else type(key).__name__
    return text if len(text) <= 60 else f"{text[:59]}…"
