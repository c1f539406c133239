"""What a long operation tells its caller while it runs, and how long it may take."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

from takeback.errors import OutOfTime


class Progress(NamedTuple):
    """One event: how far a phase (``scan``, ``store``, ``apply``, ``place``, ``check``) has come, or whom it waits for
    (``wait``). What is told to be put in place (``place``) is not stopped any more."""

    phase: str
    done: int
    total: int | None = None
    size: int = 0
    text: str = ""


Listener = Callable[[Progress], None]


class Watch:
    """A deadline and a listener; `tick` is cheap enough to call for every file."""

    INTERVAL = 0.1

    def __init__(self, budget: float | None = None, listener: Listener | None = None) -> None:
        self._budget = budget
        self._deadline = None if budget is None else time.monotonic() + budget
        self._listener = listener
        self._next = time.monotonic() + self.INTERVAL

    def tick(self, phase: str, done: int, total: int | None = None, size: int = 0) -> None:
        """Raise OutOfTime past the deadline; tell the listener now and then."""
        now = time.monotonic()
        if self._deadline is not None and now > self._deadline:
            raise OutOfTime(
                f"gave up after {self._budget:g} s, the time that was allowed: {done} files were looked at. "
                "Nothing was recorded and nothing was changed.",
                hints=["raise `time_budget`, or exclude what need not be kept; `takeback config show` shows both"],
            )
        if self._listener is not None and now >= self._next:
            self._next = now + self.INTERVAL
            self._listener(Progress(phase, done, total, size))

    def begin(self, phase: str, total: int) -> None:
        """Tell the listener of a phase that tells no more of itself, now."""
        if self._listener is not None:
            self._listener(Progress(phase, total))
