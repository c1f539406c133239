"""A message that was serialized before is not serialized again, unless it was changed since.

What is remembered of a message is what it held: its fields in the same msgpack that the serializer writes, made in one call
into C, and only of plain data. They are made anew and compared each time, so a message that was changed in place is
seen; one that holds anything but plain data is serialized anew each time.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import is_
from typing import Any, NamedTuple

import ormsgpack
from langchain_core import messages

Dumped = tuple[str, bytes]

_MESSAGES = frozenset(
    {
        messages.AIMessage,
        messages.ChatMessage,
        messages.FunctionMessage,
        messages.HumanMessage,
        messages.SystemMessage,
        messages.ToolMessage,
    }
)
"""Exactly these: a subclass may say anything of itself."""

_PLAIN = (
    ormsgpack.OPT_NON_STR_KEYS
    | ormsgpack.OPT_PASSTHROUGH_DATACLASS
    | ormsgpack.OPT_PASSTHROUGH_DATETIME
    | ormsgpack.OPT_PASSTHROUGH_ENUM
    | ormsgpack.OPT_PASSTHROUGH_SUBCLASS
    | ormsgpack.OPT_PASSTHROUGH_UUID
)
_BYTES = 32 << 20
_RUNS = (32, 8)


class Remembered(NamedTuple):
    message: Any
    """Kept, so that no other object can have its address."""
    fields: bytes
    dumped: Dumped


class Run(NamedTuple):
    """Neighbours in a list, looked at in one go."""

    messages: list[Any]
    kinds: list[type]
    fields: bytes
    dumped: list[Dumped]


class Memo:
    """Remembers serialized messages, about so many bytes of them; may be shared by threads."""

    def __init__(self, limit: int = _BYTES) -> None:
        self._limit = limit
        self._young: dict[int, Remembered] = {}
        self._old: dict[int, Remembered] = {}
        self._runs: dict[int, Run] = {}
        self._size = 0

    def all_over(self, dump: Callable[[Any], Dumped]) -> Callable[[list[Any]], list[Dumped]]:
        """The same for whole lists: conversations, most of which was there before."""
        one = self.over(dump)

        def dumped(values: list[Any]) -> list[Dumped]:
            found: list[Dumped] = []
            for size in _RUNS:
                while len(values) - len(found) >= size:
                    found += self._run(values[len(found) : len(found) + size], one)
            return found + list(map(one, values[len(found) :]))

        return dumped

    def _run(self, messages: list[Any], one: Callable[[Any], Dumped]) -> list[Dumped]:
        kinds = list(map(type, messages))
        if not _MESSAGES.issuperset(kinds):
            return list(map(one, messages))
        known = self._runs.get(id(messages[0]))
        fields = _fields(messages)
        if known is not None and fields is not None:
            if fields == known.fields and kinds == known.kinds and all(map(is_, messages, known.messages)):
                return known.dumped
        dumped = list(map(one, messages))
        if fields is not None and fields == _fields(messages):
            self._size += len(fields)
            self._runs[id(messages[0])] = Run(list(messages), kinds, fields, dumped)
        return dumped

    def over(self, dump: Callable[[Any], Dumped]) -> Callable[[Any], Dumped]:
        """The same as ``dump``, sooner."""

        def dumped(value: Any) -> Dumped:
            kind = type(value)
            if kind not in _MESSAGES:
                return dump(value)
            try:
                fields = ormsgpack.packb((kind.__name__, value.__dict__, value.__pydantic_extra__), option=_PLAIN)
            except ormsgpack.MsgpackEncodeError:
                return dump(value)
            place = id(value)
            known = self._young.get(place)
            if known is not None and known[0] is value and known[1] == fields:
                return known[2]
            known = self._old.get(place)
            if known is None or known[0] is not value or known[1] != fields:
                known = Remembered(value, fields, dump(value))
            self._keep(place, known)
            return known[2]

        return dumped

    def _keep(self, place: int, known: Remembered) -> None:
        if self._size > self._limit:
            self._old, self._young, self._size = self._young, {}, 0
            self._runs = {}
        self._young[place] = known
        self._size += 2 * len(known.fields)


def _fields(messages: list[Any]) -> bytes | None:
    """What some messages hold; None if that is not all plain data."""
    try:
        held = [(message.__dict__, message.__pydantic_extra__) for message in messages]
        return ormsgpack.packb(held, option=_PLAIN)
    except ormsgpack.MsgpackEncodeError:
        return None
