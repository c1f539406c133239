"""Snapshots every so often, while something else goes on."""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import TracebackType

from takeback.errors import InvalidInput, TakebackError

_MOST = 100
"""So many failures are remembered; who saves every second on a full disk has more."""


def check_interval(seconds: float) -> None:
    """InvalidInput if no save could ever be made so often."""
    if seconds <= 0:
        raise InvalidInput("an interval must be longer than nothing", hints=["such as 5m"])
    if seconds > threading.TIMEOUT_MAX:
        raise InvalidInput("an interval that long never comes to its end", hints=["such as 5m"])


class Interval:
    """Calls ``save`` from a thread of its own. A save that fails is remembered in ``problems``, and the next is tried."""

    def __init__(self, seconds: float, save: Callable[[], object]) -> None:
        check_interval(seconds)
        self._seconds = seconds
        self._save = save
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="takeback-interval", daemon=True)
        self.problems: list[TakebackError] = []

    def __enter__(self) -> Interval:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._thread.join()

    async def __aenter__(self) -> Interval:
        return self.__enter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        import asyncio

        await asyncio.to_thread(self.__exit__, kind, error, trace)

    def _run(self) -> None:
        while not self._stop.wait(self._seconds):
            try:
                self._save()
            except Exception as error:
                self._note(error)

    def _note(self, error: Exception) -> None:
        if len(self.problems) >= _MOST:
            return
        if not isinstance(error, TakebackError):  # a thread that ended because of it would end all further saves
            error = TakebackError(f"this is a bug in takeback: {type(error).__name__}: {error}")
        self.problems.append(error)
