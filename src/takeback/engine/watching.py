"""A snapshot whenever the world has been quiet for a while: for those who have no hooks.

A watcher says when something changed, and never what: each look is a plain save. Under constant change, and if the
watcher tells of nothing at all, there is a look every so often, so no event that is lost costs more than that time. A
save that fails is told of and tried again, later and later, until the world is gone or the caller stops.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple, Protocol

from takeback.errors import InvalidInput, NotFound, TakebackError
from takeback.model.snapshot import Snapshot
from takeback.sources.workspace.watching import Gone

BY_WATCH = {"by": "watch"}
"""The context of such snapshots."""

_STEP = 0.25
_SHORTEST = 0.01


class Watching(Protocol):
    """What a source's watcher can do."""

    blind: str

    def wait(self, seconds: float, stop: threading.Event) -> bool: ...

    def looked(self) -> None: ...

    def close(self) -> None: ...


class Seen(NamedTuple):
    """A snapshot that was made, a look that failed, or that nothing can be watched."""

    snapshot: Snapshot | None = None
    problem: TakebackError | None = None
    blind: str = ""
    """Why nothing can be watched, so that there is only a look every so often."""


class Rhythm:
    """When to look, by the times at which something happened."""

    def __init__(self, quiet: float, at_most: float, now: float) -> None:
        self._quiet, self._at_most = quiet, at_most
        self._first: float | None = None
        self._last = now
        self._looked = now
        self._not_before = now
        self._delay = quiet

    def changed(self, now: float) -> None:
        if self._first is None:
            self._first = now
        self._last = now

    def due(self, now: float) -> bool:
        if now < self._not_before:
            return False
        if self._first is None:
            return now - self._looked >= self._at_most
        return now - self._last >= self._quiet or now - self._first >= self._at_most

    def looked(self, now: float) -> None:
        self._first = None
        self._looked = now
        self._delay = self._quiet

    def failed(self, now: float) -> None:
        """The look did not succeed, so there is still something to see: again after a while, and after a longer one."""
        self.changed(now)
        self._not_before = now + self._delay
        self._delay = min(2 * self._delay, self._at_most)


def check_times(quiet: float, at_most: float) -> None:
    if quiet < _SHORTEST:
        raise InvalidInput("nothing is ever quiet for so short a time", hints=["such as --quiet 2s"])
    if not quiet <= at_most <= threading.TIMEOUT_MAX:
        raise InvalidInput(
            "the longest time between two snapshots must not be shorter than the quiet one, and must come to its end",
            hints=["such as --quiet 2s --at-most 1m"],
        )


def watch(
    watcher: Watching,
    save: Callable[[], Snapshot],
    latest: str | None,
    quiet: float,
    at_most: float,
    stop: threading.Event,
) -> Iterator[Seen]:
    """Save now, then whenever it is time, and once more when ``stop`` is set; tells of each new snapshot and failure.

    The first failure is raised; so is that the world is gone, which ends it.
    """
    seen, blind = latest, ""

    def look() -> Iterator[Seen]:
        nonlocal seen
        watcher.looked()
        snapshot = save()
        if snapshot.id != seen and snapshot.context.get("by") == BY_WATCH["by"]:
            yield Seen(snapshot)
        seen = snapshot.id

    try:
        yield from look()
        rhythm = Rhythm(quiet, at_most, time.monotonic())
        step = max(_SHORTEST, min(_STEP, quiet / 4))
        while not stop.is_set():
            if blind != (blind := watcher.blind) and blind:
                yield Seen(blind=blind)
            if _wait(watcher, step, quiet, stop):
                rhythm.changed(time.monotonic())
            if rhythm.due(time.monotonic()) and not stop.is_set():
                try:
                    yield from look()
                    rhythm.looked(time.monotonic())
                except TakebackError as problem:
                    yield Seen(problem=problem)
                    rhythm.failed(time.monotonic())
        yield from look()
    finally:
        watcher.close()


def _wait(watcher: Watching, step: float, quiet: float, stop: threading.Event) -> bool:
    """Whether something changed; NotFound if the world is gone, and does not come back within a quiet time."""
    deadline = time.monotonic() + quiet
    while True:
        try:
            return watcher.wait(step, stop)
        except Gone:
            if time.monotonic() > deadline or stop.is_set():
                raise NotFound(
                    "what was watched is gone, so there is nothing more to save",
                    hints=["`takeback restore REF --to DIR` puts a snapshot elsewhere"],
                ) from None
            stop.wait(step)
