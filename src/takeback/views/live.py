"""What arrives while somebody looks: asked of the catalogue several times a second, which costs next to nothing."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from takeback.engine import listing
from takeback.errors import TakebackError

if TYPE_CHECKING:
    from takeback.views.desk import Desk


class Heard(NamedTuple):
    """Something was written to the store."""

    lanes: tuple[int, ...]
    """Timelines that have another latest snapshot than before."""
    marks: bool
    """Whether it was something else: a label, a pin, a move that ended, snapshots or timelines that are gone."""
    operation: int
    """The number of the newest operation."""


class Live:
    """Tells ``heard`` of all that is written to a desk's store, by whomever, from a thread of its own."""

    def __init__(self, desk: Desk, heard: Callable[[Heard], None], every: float = 0.5) -> None:
        self._desk, self._heard, self._every = desk, heard, every
        self._stop, self._listens = threading.Event(), threading.Event()
        self._thread: threading.Thread | None = None
        self._heads, self._operation = listing.heads(desk.store.blobs)

    def start(self) -> None:
        """Begin to listen: what is written from now on is told, and nothing that was there before."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="live", daemon=True)
            self._thread.start()
            self._listens.wait()

    def stop(self) -> None:
        """Tell of nothing any more, and wait until that is so."""
        self._stop.set()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join()

    def _run(self) -> None:
        seen: int | None = None
        while not self._stop.is_set():
            try:
                now = self._desk.store.blobs.database.changes()
                if now != seen:
                    self._look(is_certain=seen is not None)
                    seen = now
            except TakebackError:
                seen = None  # busy, or being repaired: ask again
            self._listens.set()
            self._stop.wait(self._every)

    def _look(self, *, is_certain: bool) -> None:
        """Tell what is new. Where it is not certain that something was written, only another latest snapshot or operation is."""
        heads, operation = listing.heads(self._desk.store.blobs)
        lanes = tuple(number for number, head in heads.items() if self._heads.get(number) != head)
        gone = bool(self._heads.keys() - heads.keys())
        is_new = is_certain or bool(lanes) or gone or operation != self._operation
        self._heads, self._operation = heads, operation
        if is_new and not self._stop.is_set():
            self._heard(Heard(lanes, marks=not lanes or gone, operation=operation))
