"""What is reached more than once in a value: those objects are written once, and referred to.

Only what can change is looked at: that two tuples are one tells nobody anything, that two lists are one does.
"""

from __future__ import annotations

import datetime as dt
from collections import deque
from enum import Enum
from types import SimpleNamespace
from typing import Any

from takeback.documents.known import custom
from takeback.documents.mutables import MUTABLE, is_array
from takeback.documents.plain import SCALARS, containers_in
from takeback.documents.shapes import Shape, shape_of, take_apart


class Survey:
    """Everything mutable that a value leads to. It holds what it has seen, so that no identity is used twice."""

    def __init__(self, value: Any) -> None:
        self.shared: set[int] = set()
        """Identities of what is reached twice."""
        self.plain: set[int] = set()
        """Identities of lists and dictionaries that are plain data, and hold nothing shared."""
        self.types: set[type] = set()
        """The classes of all objects and enumerations, and classes that are values themselves."""
        self._seen: set[int] = set()
        self._looked_into: set[int] = set()
        self._looked_into_twice: set[int] = set()
        self._blocks: list[list[Any]] = []
        self._held: list[Any] = []
        self._waiting: list[Any] = [value]
        while self._waiting:
            self._look(self._waiting.pop())
        for block in self._blocks:
            if not self.shared or self.shared.isdisjoint(map(id, block)):
                self.plain.add(id(block[0]))

    def _look(self, value: Any) -> None:
        kind = type(value)
        if kind in SCALARS:
            return
        if kind is tuple or kind is frozenset:
            if not set(map(type, value)) <= SCALARS and self._is_worth(value):
                self._waiting += value
        elif kind in MUTABLE:
            if self._is_new(value) and not self._take_plain(value):
                self._waiting += inside(value)
        elif is_array(value):
            self._is_new(value)
        elif isinstance(value, Enum):
            self.types.add(kind)
        elif isinstance(value, type):
            self.types.add(value)
        elif custom(kind) is not None:
            self.types.add(kind)
        elif kind is dt.datetime or kind is dt.time:
            self._waiting.append(value.tzinfo)
        else:
            shape = shape_of(kind)
            if shape is not None and (self._is_worth(value) if shape.immutable else self._is_new(value)):
                self.types.add(kind)
                self._take_apart(shape, value)

    def _is_worth(self, value: Any) -> bool:
        """Whether to look into what cannot change: the second time, too, because then all that is inside is reached twice,
        but no more often, because tuples can hold each other many times over."""
        if id(value) in self._looked_into_twice:
            return False
        if id(value) in self._looked_into:
            self._looked_into_twice.add(id(value))
        else:
            self._looked_into.add(id(value))
            self._held.append(value)
        return True

    def _is_new(self, value: Any) -> bool:
        if id(value) in self._seen:
            self.shared.add(id(value))
            return False
        self._seen.add(id(value))
        self._held.append(value)
        return True

    def _take_plain(self, value: Any) -> bool:
        """Take a whole plain value, or all attributes of an object, at once, if nothing in it is reached twice."""
        block = containers_in(value) if type(value) is list or type(value) is dict else None
        if block is None:
            return False
        if len(block) > 1:
            ids = set(map(id, block))
            ids.discard(id(value))  # which has been noted just now
            if len(ids) < len(block) - 1 or not self._seen.isdisjoint(ids):
                return False
            if len(ids) > len(self._seen):
                ids, self._seen = self._seen, ids  # the smaller one is added to the larger
            self._seen |= ids
        self._blocks.append(block)
        return True

    def _take_apart(self, shape: Shape, value: Any) -> None:
        kept = take_apart(shape, value)
        if not self._take_plain(kept.fields):
            self._waiting += kept.fields.values()
        self._waiting += (kept.slots or {}).values()
        if kept.content is not None:
            self._held.append(kept.content)
            self._waiting += inside(kept.content)
        if kept.pydantic is not None:
            private, extra, _ = kept.pydantic
            self._waiting += (private or {}).values()
            self._waiting += (extra or {}).values()


def inside(value: Any) -> list[Any]:
    """What a container holds, keys too."""
    if isinstance(value, dict):
        return [*value.keys(), *value.values()]
    if isinstance(value, SimpleNamespace):
        return list(vars(value).values())
    return list(value) if isinstance(value, list | tuple | set | frozenset | deque) else []
