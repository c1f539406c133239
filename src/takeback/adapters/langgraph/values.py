"""How channel values become plain data for `takeback.documents`: every value goes through the serializer.

A list's elements go through it one by one, so that the document can cut the list between them and a conversation that
grew shares all but its end with the one before. Forms: ``(type, data)``; for a list ``(type, [data, …])``, or ``(None,
[[type, data], …])`` where the elements' types differ; with a third item for the list inside a delta channel's snapshot.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from langgraph.checkpoint.serde.base import SerializerProtocol
from langgraph.checkpoint.serde.types import _DeltaSnapshot

from takeback.adapters.langgraph.memo import Memo
from takeback.adapters.langgraph.serializing import StrictSerializer
from takeback.errors import Integrity

Packed = tuple[Any, ...]
_DELTA = "delta"


class Values:
    """Packs and unpacks with one serializer."""

    def __init__(self, serde: SerializerProtocol, memo: Memo) -> None:
        self._dump: Callable[[Any], tuple[str, bytes]] = serde.dumps_typed
        self._load: Callable[[tuple[str, bytes]], Any] = serde.loads_typed
        self._dump_all: Callable[[list[Any]], list[tuple[str, bytes]]] = lambda values: list(map(self._dump, values))
        self._ours = type(serde) is StrictSerializer
        if self._ours:  # another one may well give other bytes every time, and means to
            self._dump, self._dump_all = memo.over(serde.dumps_typed), memo.all_over(serde.dumps_typed)

    def pack(self, value: Any) -> Packed:
        if type(value) is list:
            return self._elements(value)
        if type(value) is _DeltaSnapshot and type(value.value) is list:
            return (*self._elements(value.value), _DELTA)
        return self.whole(value)

    def whole(self, value: Any) -> Packed:
        kind, data = self._dump(value)
        return kind, bytes(data)

    def unpack(self, packed: Any) -> Any:
        try:
            kind, data, *more = packed
            if not isinstance(data, list) and not more:
                return self._load((kind, data))
            found = self._load_all(kind, data)
        except (TypeError, ValueError, RecursionError) as error:
            raise _unreadable() from error
        if more not in ([], [_DELTA]):
            raise _unreadable()
        return _DeltaSnapshot(found) if more else found

    def _load_all(self, kind: Any, data: list[Any]) -> list[Any]:
        if kind is None:
            return [self._load((each, more)) for each, more in data]
        if kind != "msgpack" or not self._ours:
            return [self._load((kind, each)) for each in data]
        # Values of msgpack behind the head of an array are an array: one call into C instead of one for each.
        found: list[Any] = self._load((kind, b"".join([b"\xdd", len(data).to_bytes(4), *data])))
        if len(found) != len(data):
            raise ValueError("an element is not one value")
        return found

    def _elements(self, values: list[Any]) -> Packed:
        if not values:
            return "null", []
        kinds, data = zip(*self._dump_all(values), strict=True)
        if len(set(kinds)) > 1:
            return None, [[kind, bytes(each)] for kind, each in zip(kinds, data, strict=True)]
        return kinds[0], list(map(bytes, data))


def _unreadable() -> Integrity:
    return Integrity("a checkpoint holds a value that cannot be read", hints=["takeback verify"])
