"""The verbs of a timeline for async callers: the same names, run in a thread."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, ParamSpec, TypeVar

if TYPE_CHECKING:
    from takeback.engine.timeline import Timeline

P = ParamSpec("P")
T = TypeVar("T")


class AsyncTimeline:
    """``await line.aio.save()`` is ``line.save()`` without blocking the event loop."""

    def __init__(self, line: Timeline) -> None:
        self.save = _in_thread(line.save)
        self.log = _in_thread(line.log)
        self.show = _in_thread(line.show)
        self.read = _in_thread(line.read)
        self.diff = _in_thread(line.diff)
        self.plan = _in_thread(line.plan)
        self.plan_undo = _in_thread(line.plan_undo)
        self.undo_choices = _in_thread(line.undo_choices)
        self.plan_redo = _in_thread(line.plan_redo)
        self.apply = _in_thread(line.apply)
        self.restore = _in_thread(line.restore)
        self.undo = _in_thread(line.undo)
        self.redo = _in_thread(line.redo)
        self.fork = _in_thread(line.fork)
        self.forks = _in_thread(line.forks)
        self.plan_promote = _in_thread(line.plan_promote)
        self.promote = _in_thread(line.promote)
        self.label = _in_thread(line.label)
        self.pin = _in_thread(line.pin)
        self.unpin = _in_thread(line.unpin)
        self.drop = _in_thread(line.drop)
        self.value = _in_thread(line.value)
        self.sync = _in_thread(line.sync)


def _in_thread(verb: Callable[P, T]) -> Callable[P, Awaitable[T]]:
    async def call(*args: P.args, **kwargs: P.kwargs) -> T:
        return await asyncio.to_thread(verb, *args, **kwargs)

    return call
