"""Hot frames that are needed soon, had from the catalogue many at a time: a query for each costs more than opening it."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from takeback.store.catalogue import blobs
from takeback.store.catalogue.database import Database

AT_ONCE = 64
"""A commit keeps no more than 256 KiB in hot rows, so these are 16 MiB at the very most."""


class HotAhead:
    """Frames by number, in the order in which they will mostly be asked for."""

    def __init__(self, database: Database, frames: Iterable[int]) -> None:
        self._database = database
        self._waiting = dict.fromkeys(frames)
        self._ready: dict[int, tuple[bytes, int]] = {}

    def take(self, frame: int) -> tuple[bytes, int] | None:
        """A frame's sealed bytes and its raw length, once; None if it was not announced, or is no longer there."""
        if frame in self._waiting:
            del self._waiting[frame]
            some = [frame, *islice(self._waiting, AT_ONCE - 1)]
            for each in some[1:]:
                del self._waiting[each]
            with self._database.read() as tx:
                self._ready.update(blobs.hot_frames(tx, some))
        return self._ready.pop(frame, None)
