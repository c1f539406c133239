"""Which elements of two lists are the same one: for a restore, which keeps them, and for a diff, which tells of the others.

Elements are the same if they have the same bytes; of the rest, those with the same ``id``, as messages have; what is left
between two such pairs is paired in order.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

from takeback.documents.encoding import local_keys, put
from takeback.documents.memory import Nowhere
from takeback.documents.plain import SCALARS, containers_in, pack
from takeback.errors import InvalidInput


def twins(a: Any, b: Any) -> tuple[list[Any], list[Any]] | None:
    """All lists and dictionaries of two plain values that are exactly the same, in one order; None if they are not."""
    if type(a) is not type(b) or type(a) not in (list, dict):
        return None
    new, old = containers_in(a), containers_in(b)
    if new is None or old is None or len(new) != len(old):
        return None
    try:
        return (new, old) if pack(a) == pack(b) else None
    except (OverflowError, UnicodeEncodeError):
        return None


class Aligned(NamedTuple):
    """Pairs of places, each in order of the first: elements that are exactly the same, and those that were once."""

    same: list[tuple[int, int]]
    changed: list[tuple[int, int]]


def align(a: Sequence[Any], b: Sequence[Any]) -> Aligned:
    (keys, exact), (others, exact_too) = _keys(a), _keys(b)
    same = _same(keys, others)
    pairs = dict(same)
    taken = set(pairs.values())
    by_name = {name: at for at, name in enumerate(map(_name, b)) if name is not None and at not in taken}
    for at, each in enumerate(a):
        if at not in pairs and (name := _name(each)) is not None and name in by_name:
            pairs[at] = by_name.pop(name)
    pairs.update(_between(pairs, a, b))
    if not (exact and exact_too):
        return Aligned([], sorted(pairs.items()))
    return Aligned(sorted(same), sorted(pairs.items() - set(same)))


def _same(a: Sequence[Any], b: Sequence[Any]) -> list[tuple[int, int]]:
    """Places with equal keys: from the front, from the back, and in between each with the next one that is free."""
    front = 0
    while front < min(len(a), len(b)) and a[front] == b[front]:
        front += 1
    back = 0
    while back < min(len(a), len(b)) - front and a[-1 - back] == b[-1 - back]:
        back += 1
    pairs = [(at, at) for at in range(front)]
    pairs += [(len(a) - at, len(b) - at) for at in range(1, back + 1)]
    where: dict[Any, list[int]] = {}
    for at in range(len(b) - back - 1, front - 1, -1):
        where.setdefault(b[at], []).append(at)
    for at in range(front, len(a) - back):
        if where.get(a[at]):
            pairs.append((at, where[a[at]].pop()))
    return pairs


def _between(pairs: dict[int, int], a: Sequence[Any], b: Sequence[Any]) -> dict[int, int]:
    """What is left on both sides, in order, as far as the types agree."""
    taken = set(pairs.values())
    left = iter([at for at in range(len(b)) if at not in taken])
    found = {}
    for at in range(len(a)):
        if at in pairs:
            continue
        other = next(left, None)
        if other is None:
            break
        if type(a[at]) is type(b[other]) and (_name(a[at]) is None or _name(b[other]) is None):
            found[at] = other
    return found


def _keys(items: Sequence[Any]) -> tuple[list[Any], bool]:
    """What is equal for elements that are exactly the same, and whether it is for no others."""
    if containers_in(list(items)) is not None:
        try:
            return list(map(pack, items)), True
        except (OverflowError, UnicodeEncodeError):
            pass
    try:
        return local_keys(items)
    except (InvalidInput, RecursionError):
        return [key_of(each) for each in items], True


def key_of(value: Any) -> Any:
    """What is equal for values that are exactly the same, and for no others."""
    if type(value) in SCALARS:
        return (float, pack(value)) if type(value) is float else (type(value), value)
    try:
        return put(Nowhere(), value, holes=True).id
    except (InvalidInput, RecursionError):
        return object()


def _name(value: Any) -> Hashable | None:
    """What a message, or anything else that has one, calls itself."""
    if isinstance(value, dict):
        found = value.get("id")
    elif type(value) in SCALARS:
        return None
    else:
        fields = getattr(value, "__dict__", None)
        found = fields.get("id") if isinstance(fields, dict) else None
    return found if isinstance(found, str | int) else None
