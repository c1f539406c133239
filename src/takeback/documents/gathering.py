"""What elements, or leaves of them, become: each container from its parts, and how many elements that are."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from takeback.documents import tags


def paired(items: list[Any]) -> dict[Any, Any]:
    if len(items) % 2:
        raise ValueError("a dictionary has a key without a value")
    found = dict(zip(items[::2], items[1::2], strict=True))
    if len(found) * 2 != len(items):
        raise ValueError("a dictionary has a key twice")
    return found


def distinct(kind: type, items: list[Any]) -> Any:
    found = kind(items)
    if len(found) != len(items):
        raise ValueError("a set has an element twice")
    return found


def _joined_list(parts: Iterable[list[Any]]) -> tuple[list[Any], int]:
    found: list[Any] = []
    for part in parts:
        found += part
    return found, len(found)


def _joined_dict(parts: Iterable[dict[str, Any]]) -> tuple[dict[str, Any], int]:
    found: dict[str, Any] = {}
    for part in parts:
        found |= part
    return found, len(found)


def _join_as(make: Callable[[list[Any]], Any]) -> Callable[[Iterable[list[Any]]], tuple[Any, int]]:
    def join(parts: Iterable[list[Any]]) -> tuple[Any, int]:
        value = make(_joined_list(parts)[0])
        return value, len(value)

    return join


GATHER: dict[Any, Callable[[Any], tuple[Any, int]]] = {
    tags.A_LIST: _joined_list,
    tags.A_TUPLE: _join_as(tuple),
    tags.A_DICT: _joined_dict,
    tags.A_MAP: _join_as(paired),
    tags.A_SET: _join_as(lambda items: distinct(set, items)),
    tags.A_FROZENSET: _join_as(lambda items: distinct(frozenset, items)),
}
