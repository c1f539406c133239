"""How a coroutine waits for what blocks."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Callable
from functools import partial
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


async def finished(call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run a call in a thread. A cancellation goes on when the call has ended: whoever is told of it must not find that
    something was saved later. No task of its own, because a loop that ends cancels all tasks that it knows of."""
    context = contextvars.copy_context()
    work = asyncio.get_running_loop().run_in_executor(None, partial(context.run, call, *args, **kwargs))
    cancelled: asyncio.CancelledError | None = None
    while not work.done():
        try:
            await asyncio.wait({work})
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None:
        work.exception()  # looked at, so that nobody complains of it
        raise cancelled
    return work.result()
