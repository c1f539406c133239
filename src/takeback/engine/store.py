"""`Store`: a store as callers see it, from which timelines are had."""

from __future__ import annotations

import os
from collections.abc import Iterable
from types import TracebackType

from takeback.engine.health import Health, Usage, stats, verify
from takeback.engine.line import Line
from takeback.engine.timeline import Timeline
from takeback.errors import InvalidInput
from takeback.model.progress import Listener, Watch
from takeback.sources.protocol import Source
from takeback.store.blobstore import BlobStore, open_local, open_memory
from takeback.store.catalogue import timelines
from takeback.store.catalogue.timelines import TimelineRow

MEMORY = ":memory:"


class Store:
    """Where everything is kept. Safe to use from threads, and after a fork; close it, or use it in a ``with`` block."""

    def __init__(self, blobs: BlobStore) -> None:
        self.blobs = blobs

    def __repr__(self) -> str:
        return f"<Store {str(self.blobs.path or MEMORY)!r}>"

    def timeline(
        self,
        name: str = "main",
        sources: Iterable[Source] = (),
        *,
        root: str | None = None,
        listener: Listener | None = None,
    ) -> Timeline:
        """The timeline of a root and a name; nothing is written before its first save.

        The root is that of the first source that has one. ``listener`` hears of the progress of long operations.
        """
        if not name.strip() or "\0" in name:
            raise InvalidInput("a timeline needs a name")
        named: dict[str, Source] = {}
        for source in sources:
            if source.name in named:
                raise InvalidInput(f"two sources are called {source.name!r}", hints=["give one of them another name="])
            named[source.name] = source
        if root is None:
            root = next((source.root for source in named.values() if source.root), "")
        return Timeline(Line(self.blobs, root, name, named), listener=listener)

    def timelines(self) -> list[TimelineRow]:
        """Every timeline in the store."""
        with self.blobs.database.read() as tx:
            return timelines.every(tx)

    def verify(self, *, read_data: bool = False, listener: Listener | None = None) -> Health:
        """Check that everything that snapshots need is there; with ``read_data``, that every byte still is what it was."""
        return verify(self.blobs, read_data, Watch(listener=listener))

    def stats(self) -> Usage:
        """What uses the space, and what deduplication and compression saved."""
        return stats(self.blobs)

    def close(self) -> None:
        self.blobs.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def open_store(place: str | os.PathLike[str], *, create: bool = True, readonly: bool = False) -> Store:
    """Open the store at a place, or one that lives in memory; it is made if there is none."""
    where = os.fspath(place)
    if where == MEMORY:
        return Store(open_memory())
    return Store(open_local(where, create=create, readonly=readonly))
