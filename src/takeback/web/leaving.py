"""Whoever asked may go before there is an answer: a browser closes the connection when its page is left. Then nothing is worked
on any more."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any


@asynccontextmanager
async def while_there(receive: Any, gone: Callable[[], None] | None = None) -> AsyncIterator[None]:
    """The block, which ends where it waits when whoever asked has gone; with ``gone``, that is called instead."""
    from anyio import create_task_group

    raised: Exception | None = None
    async with create_task_group() as tasks:

        async def watch() -> None:
            while (await receive())["type"] != "http.disconnect":
                pass
            (gone or tasks.cancel_scope.cancel)()

        tasks.start_soon(watch)
        try:
            yield
        except Exception as error:  # as it is, and not in a group: who asked knows nothing of tasks
            raised = error
        tasks.cancel_scope.cancel()
    if raised is not None:
        raise raised
