"""Several processes at one store."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Sequence
from operator import methodcaller
from typing import Any, TypeVar

import takeback as tb
from takeback.adapters.remembering import Remembered, Room

T = TypeVar("T")


def remembered(store: tb.Store, session: str) -> Remembered:
    return Room(store, "test").remembered(session, f"session:{session}", list)


def add(place: str, session: str, who: str, many: int) -> None:
    """Add to one session, again and again."""
    with tb.open(place) as store:
        part = remembered(store, session)
        for number in range(many):
            part.change(methodcaller("append", [who, number]))()


def to_and_fro(place: str, session: str, many: int) -> list[Any]:
    """Add to a session of one's own and take it back, again and again; what is left."""
    with tb.open(place) as store:
        part = remembered(store, session)
        for number in range(many):
            part.change(methodcaller("append", number))()
            part.line.undo()
        return part.now(list)


def all_at_once(work: Callable[..., T], calls: Sequence[tuple[Any, ...]]) -> list[T]:
    with multiprocessing.get_context("spawn").Pool(len(calls)) as pool:
        return pool.starmap(work, calls, chunksize=1)
