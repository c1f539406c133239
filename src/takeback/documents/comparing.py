"""What differs between two values, place by place: messages are told apart by their id or content, fields by their name.

Two values whose bytes differ never have an empty list of differences: where no place can be named, the whole is.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from types import SimpleNamespace
from typing import Any

from takeback.documents.aligning import align, key_of
from takeback.documents.blobs import Reads
from takeback.documents.decoding import get
from takeback.documents.holes import Record
from takeback.documents.paths import path_text
from takeback.documents.plain import SCALARS
from takeback.documents.shortening import cut
from takeback.documents.shortening import shown as shown_value
from takeback.model.diff import Difference

_DEEPEST = 200


def compare(reads_a: Reads, a: bytes, reads_b: Reads, b: bytes, part: str = "") -> Iterator[Difference]:
    """What differs between two documents; classes need not be at hand."""
    if a == b:
        return
    before, after = get(reads_a, a, unknown="record"), get(reads_b, b, unknown="record")
    yield from differences(before, after, part)


def differences(a: Any, b: Any, part: str = "") -> Iterator[Difference]:
    """What differs between two values that are not the same."""
    found = False
    for path, status, before, after in _Walk().values(a, b, ()):
        found = True
        yield Difference(part, path_text(path).removeprefix("."), status, _text(before), _text(after))
    if not found:
        yield Difference(part, "", "changed", shown(a), f"{shown(b)}, in which other objects are the same one")


_Found = tuple[tuple[Any, ...], str, Any, Any]
_NOTHING = object()


class _Walk:
    def __init__(self) -> None:
        self._seen: set[tuple[int, int]] = set()

    def values(self, a: Any, b: Any, path: tuple[Any, ...]) -> Iterator[_Found]:
        if type(a) is not type(b) or _is_leaf(a) or len(path) > _DEEPEST:
            if key_of(a) != key_of(b):
                yield path, "changed", a, b
            return
        if (id(a), id(b)) in self._seen:
            return
        self._seen.add((id(a), id(b)))
        if isinstance(a, Record):
            yield from self._records(a, b, path)
        elif isinstance(a, dict):
            yield from self._mappings(a, b, path, lambda key: (key,))
        elif isinstance(a, SimpleNamespace):
            yield from self._mappings(vars(a), vars(b), path, lambda name: f".{name}")
        else:
            yield from self._lists(list(a), list(b), path)

    def _records(self, a: Record, b: Record, path: tuple[Any, ...]) -> Iterator[_Found]:
        if a.type != b.type:
            yield path, "changed", a, b
            return
        yield from self._mappings(a.fields, b.fields, path, lambda name: f".{name}")
        if a.content is not None or b.content is not None:
            yield from self.values(a.content, b.content, path)

    def _mappings(
        self, a: Mapping[Any, Any], b: Mapping[Any, Any], path: tuple[Any, ...], step: Any
    ) -> Iterator[_Found]:
        for key, value in a.items():
            if key not in b:
                yield (*path, step(key)), "removed", value, _NOTHING
            else:
                yield from self.values(value, b[key], (*path, step(key)))
        for key, value in b.items():
            if key not in a:
                yield (*path, step(key)), "added", _NOTHING, value
        if a.keys() == b.keys() and list(a) != list(b):
            yield path, "changed", _order(a), _order(b)

    def _lists(self, a: list[Any], b: list[Any], path: tuple[Any, ...]) -> Iterator[_Found]:
        same, changed = align(a, b)
        old, new = {at for at, _ in (*same, *changed)}, {at for _, at in (*same, *changed)}
        for at, value in enumerate(a):
            if at not in old:
                yield (*path, at), "removed", value, _NOTHING
        for at, other in changed:
            yield from self.values(a[at], b[other], (*path, other))
        for at, value in enumerate(b):
            if at not in new:
                yield (*path, at), "added", _NOTHING, value
        yield from self._moves(a, b, sorted((*same, *changed)), path)

    def _moves(
        self, a: list[Any], b: list[Any], pairs: list[tuple[int, int]], path: tuple[Any, ...]
    ) -> Iterator[_Found]:
        """Elements that others of the same list have overtaken."""
        furthest = -1
        for at, other in pairs:
            if other < furthest:
                yield (*path, other), "moved", _Said(f"at [{at}]"), b[other]
            furthest = max(furthest, other)


def _is_leaf(value: Any) -> bool:
    return type(value) in SCALARS or not isinstance(value, dict | list | tuple | deque | Record | SimpleNamespace)


class _Said(str):
    """Not a value, but something about one."""


def _text(value: Any) -> str | None:
    return None if value is _NOTHING else shown(value)


def shown(value: Any) -> str:
    return cut(value) if isinstance(value, _Said) else shown_value(value)


def _order(keys: Iterable[Any]) -> _Said:
    return _Said(f"the order {', '.join(shown(key) for key in islice(keys, 20))}")
