"""Beside `Source`: what a source knows of a part that is one value, more than its document says. Only diff, show and
`Timeline.value` ask."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Protocol, runtime_checkable

from takeback.model.diff import Difference
from takeback.model.snapshot import Part
from takeback.store.reader import Reader


@runtime_checkable
class Valued(Protocol):
    """A source with an object, whose classes it knows."""

    def compare(self, reader: Reader, a: Part, b: Part) -> Iterator[Difference]:
        """Every place in it that differs."""

    def value(self, reader: Reader, part: Part, types: Iterable[type] = ()) -> Any:
        """What a part holds, made anew."""
