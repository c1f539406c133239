"""`Store`: a store as callers see it, from which timelines are had."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import TYPE_CHECKING, Any

from takeback.engine.line import Line, Registers
from takeback.engine.timeline import Timeline
from takeback.errors import Integrity, InvalidInput
from takeback.model.progress import Listener, Watch
from takeback.model.sizes import parse_size
from takeback.sources.protocol import Source
from takeback.store.blobstore import BlobStore, open_local, open_memory
from takeback.store.catalogue import snapshots, timelines
from takeback.store.catalogue.timelines import TimelineRow

if TYPE_CHECKING:
    from takeback.engine.copying.copied import Copied
    from takeback.engine.health import Health, Usage
    from takeback.engine.references import Reference
    from takeback.engine.relocate import Relocated
    from takeback.engine.repair import Repaired
    from takeback.engine.retention import Pruned
    from takeback.engine.upkeep import Upkept
    from takeback.model.policy import Policy
    from takeback.model.purged import Purged
    from takeback.store.collection.maintenance import Maintained

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
        root: str | os.PathLike[str] | None = None,
        listener: Listener | None = None,
        after_save: Callable[[str], None] | None = None,
        others: Callable[[str], Source | None] | None = None,
        expected: Iterable[str] = (),
        registers: Registers | None = None,
    ) -> Timeline:
        """The timeline of a root and a name; nothing is written before its first save.

        The root is that of the first source that has one. ``listener`` hears of the progress of long operations;
        ``after_save`` is called after each save, with its trigger. ``others`` gives sources, by part, that are not
        captured here but can be put back. ``expected`` are parts that only other programs can save: a snapshot without
        them is partial. ``registers`` is told of forks.
        """
        if not name.strip() or "\0" in name:
            raise InvalidInput("a timeline needs a name")
        given = _checked(sources)
        if root is None:
            root = next((source.root for source in given if source.root), "")
        root = os.fspath(root)
        line = Line(self.blobs, root, name, {}, others=others, expected=expected)
        line.registers = registers
        for source in given:
            line.add(source)
        return Timeline(line, listener=listener, after_save=after_save)

    def timelines(self) -> list[TimelineRow]:
        """Every timeline in the store."""
        with self.blobs.database.read() as tx:
            return timelines.every(tx)

    def verify(self, *, read_data: bool = False, listener: Listener | None = None) -> Health:
        """Check that everything that snapshots need is there; with ``read_data``, that every byte still is what it was."""
        from takeback.engine import health  # here as below: no save needs it, and what it loads takes time

        try:
            return health.verify(self.blobs, read_data, Watch(listener=listener))
        except Integrity as error:  # a row that cannot be read
            error.hints = error.hints or ("`takeback store repair` shows what can be brought back, and does it",)
            raise

    def stats(self, *, listener: Listener | None = None) -> Usage:
        """What uses the space, how that grew, and what deduplication and compression saved."""
        from takeback.engine import health

        return health.stats(self.blobs, Watch(listener=listener))

    def prune(
        self,
        policy: Policy,
        *,
        timeline: Timeline | None = None,
        dry_run: bool = False,
        listener: Listener | None = None,
    ) -> Pruned:
        """Let snapshots go that are beyond a policy's limits, of one timeline or of all; `maintain` frees their bytes.

        Pinned snapshots, the first and the latest of each timeline stay, and what open moves and unfinished restores
        need. Labels protect nothing. With ``dry_run`` nothing is changed.
        """
        from takeback.engine import retention

        line = timeline._line if timeline is not None else None
        return retention.prune(self.blobs, policy, line, dry_run, Watch(listener=listener))

    def undrop(self, snapshot: str) -> str:
        """Take back a drop, or what a prune let go, by the snapshot's id or the beginning of it; its whole id.

        It comes back to its place with its labels; moves that were joined stay so. NotFound once a maintenance has
        removed what it needs.
        """
        from takeback.engine.undrop import undrop

        return undrop(self.blobs, snapshot)

    def purge(
        self,
        path: str,
        *,
        part: str | None = None,
        copies: bool | None = None,
        dry_run: bool = False,
        listener: Listener | None = None,
    ) -> Purged:
        """Remove a path from every snapshot of every root, and its bytes from the store: `Timeline.purge` for all roots."""
        from takeback.engine.purge import purge

        return purge(self.blobs, path, None, copies, dry_run, Watch(listener=listener), part)

    def maintain(self, *, listener: Listener | None = None) -> Maintained:
        """Pack what was saved in small pieces and remove what no snapshot needs. Others can work meanwhile; if
        another maintenance is running, nothing is done."""
        from takeback.engine import maintenance

        return maintenance.maintain(self.blobs, Watch(listener=listener))

    def export(
        self,
        file: str | os.PathLike[str],
        *,
        timeline: Timeline | None = None,
        refs: Iterable[Reference] = (),
        listener: Listener | None = None,
    ) -> Copied:
        """Write a timeline, or those of its snapshots that ``refs`` name, or the whole store, into a new file."""
        from takeback.engine.copying import exchange

        references = list(refs)
        if references and timeline is None:
            raise InvalidInput("references need the timeline that they are of", hints=["give timeline="])
        line = timeline._line if timeline is not None else None
        return exchange.export(self.blobs, os.fspath(file), line, references, Watch(listener=listener))

    def import_(
        self,
        file: str | os.PathLike[str],
        *,
        root: str | os.PathLike[str] | None = None,
        listener: Listener | None = None,
    ) -> Copied:
        """Bring in what an export file holds: only what is missing, verified, all of it or nothing.

        Timelines keep the roots that they had, unless ``root`` names another one. What is there already is left
        alone; a timeline that has gone on by itself here gets the other's snapshots as a fork beside it.
        """
        from takeback.engine.copying import exchange

        place = None if root is None else os.fspath(root)
        return exchange.import_(self.blobs, os.fspath(file), place, Watch(listener=listener))

    def push(
        self,
        other: Store,
        *,
        timeline: Timeline | None = None,
        root: str | os.PathLike[str] | None = None,
        listener: Listener | None = None,
    ) -> Copied:
        """Bring a timeline of this store, or all of them, into another one, as `import_` does."""
        from takeback.engine.copying import exchange

        line, place = timeline._line if timeline is not None else None, None if root is None else os.fspath(root)
        return exchange.send(self.blobs, other.blobs, line, place, Watch(listener=listener))

    def pull(
        self,
        other: Store,
        *,
        timeline: Timeline | None = None,
        root: str | os.PathLike[str] | None = None,
        listener: Listener | None = None,
    ) -> Copied:
        """Bring a timeline of another store (``other.timeline(…)``), or all of them, into this one."""
        return other.push(self, timeline=timeline, root=root, listener=listener)

    def count(self, timeline: TimelineRow) -> int:
        """How many snapshots a timeline has."""
        with self.blobs.database.read() as tx:
            return snapshots.count(tx, timeline.number)

    def relocate(self, old: str | os.PathLike[str], new: str | os.PathLike[str]) -> tuple[Relocated, ...]:
        """A project was moved: its timelines, and those of roots below it, belong to ``new`` from now on.

        Conflict, and nothing changed, if ``new`` has one of the same name; NotFound if there is none to move.
        """
        from takeback.engine.relocate import relocate

        return relocate(self.blobs, os.fspath(old), os.fspath(new))

    def repair(self, *, apply: bool = False, listener: Listener | None = None) -> Repaired:
        """Bring back all that can be of a damaged store; without ``apply`` only what would be done is told.

        `takeback.engine.repair.repair` does the same for one that cannot even be opened. Locked while anybody else, or
        another part of this process, is at work in it.
        """
        from takeback.engine.repair import Repaired, repair

        if self.blobs.path is None:
            return Repaired()  # what is in memory has no bytes that could be damaged
        self.blobs.database.disconnect()
        return repair(self.blobs.path, apply=apply, listener=listener)

    def upkeep(
        self, policy: Policy | None = None, *, min_free: int | str = 0, listener: Listener | None = None
    ) -> Upkept:
        """Maintain the store, and let snapshots go as a policy says where it does not hold, or where less than
        ``min_free`` is left of the disk. `takeback.here` and the command do this by themselves, in the background."""
        from takeback.engine.upkeep import keep_up
        from takeback.model.limits import Limits

        return keep_up(self.blobs, Limits(policy, parse_size(min_free)), Watch(listener=listener))

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


def _checked(sources: Any) -> tuple[Source, ...]:
    """InvalidInput for what is no list of sources: one source alone, or the very object that shall be captured."""
    given = tuple(sources) if isinstance(sources, Iterable) else None
    if given is None or not all(hasattr(each, "capture") for each in given):
        raise InvalidInput(
            f"sources is a list of sources, which {sources!r} is not",
            hints=["sources=[tb.Workspace('.'), tb.State('memory', agent)]"],
        )
    return given
