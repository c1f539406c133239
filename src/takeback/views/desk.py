"""What a face that stays open works on: a place's store, opened once, and its timelines. Safe to use from threads."""

from __future__ import annotations

import os
import shlex
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from takeback import locate
from takeback.errors import Cancelled, NotFound, TakebackError, Unavailable

if TYPE_CHECKING:
    from takeback.engine.store import Store
    from takeback.engine.timeline import Timeline
    from takeback.locate import Place
    from takeback.model.progress import Listener, Progress
    from takeback.model.snapshot import Part
    from takeback.store.catalogue.timelines import TimelineRow

T = TypeVar("T")

_REMEMBERED = 8192
_HINTS = 5
_PATIENCE = 3600.0
"""Seconds for which a lock is waited for where somebody sees that, and can stop it."""


@dataclass(frozen=True, slots=True)
class Lane:
    """A timeline of the store, as it is drawn."""

    number: int
    root: str
    name: str
    head: str | None
    fork_of: str | None
    """The snapshot that it was forked from."""
    created_ns: int
    is_own: bool
    """Whether it is of the root that the face was started in, or a fork of one that is."""
    is_here: bool
    """Whether it is the very one that the face was started on."""


class Desk:
    """A place's store and its timelines. ``more`` gives a timeline that is acted on what else was named for it."""

    def __init__(self, place: Place, *, more: Callable[[Timeline], None] | None = None) -> None:
        self.place = place
        self._more = more
        self._looking: dict[int, Timeline] = {}
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._known: OrderedDict[tuple[Hashable, ...], Any] = OrderedDict()
        try:
            self.store: Store = locate.open(place["store"], create=False)
        except NotFound as error:
            hints = ["`takeback save` makes the first snapshot", "`takeback install` has agents make them"]
            raise NotFound("nothing was recorded yet, so there is nothing to see", hints=hints) from error
        with self.act() as line:
            self._key = (line.root, line.name)
        self._check_timeline()

    def _check_timeline(self) -> None:
        """NotFound if a person asked for a timeline by a name that none of this directory's has: another's would be shown."""
        root, name = self._key
        others = [row.name for row in self.store.timelines() if row.root == root]
        if self.place.settings["timeline"].origin not in ("flag", "environment") or name in others or not others:
            return
        self.store.close()
        raise NotFound(
            f"there is no timeline {name!r} of {root}",
            hints=[f"there is {each!r}: --timeline {shlex.quote(each)}" for each in others[:_HINTS]],
        )

    @property
    def here(self) -> int:
        """The number of the timeline that the face was started on; 0 before its first snapshot."""
        return next((row.number for row in self.store.timelines() if (row.root, row.name) == self._key), 0)

    def lanes(self) -> list[Lane]:
        """Every timeline of the store: the one that is here first, then its root's and its forks, then the others."""
        rows = self.store.timelines()
        own = self._own(rows)
        lanes = [
            Lane(
                row.number,
                row.root,
                row.name,
                row.head,
                row.fork_of,
                row.created_ns,
                is_own=row.number in own,
                is_here=(row.root, row.name) == self._key,
            )
            for row in rows
        ]
        return sorted(lanes, key=lambda lane: (not lane.is_here, not lane.is_own, lane.number))

    def lane(self, number: int | None = None) -> Lane:
        """One of them; NotFound if there is none of that number."""
        wanted = self.here if number is None else number
        for lane in self.lanes():
            if lane.number == wanted:
                return lane
        raise NotFound(
            f"there is no timeline {wanted} in this store" if number else "nothing was recorded here yet",
            hints=[] if number else ["`takeback save` makes the first snapshot"],
        )

    def look(self, lane: int | None = None) -> Timeline:
        """A timeline to look at: its snapshots, and what differs between them."""
        found = self.lane(lane)
        with self._lock:
            if found.number not in self._looking:
                listener = self._heard_by(None)
                self._looking[found.number] = self.store.timeline(found.name, root=found.root, listener=listener)
            return self._looking[found.number]

    @contextmanager
    def act(self, lane: int | None = None, listener: Listener | None = None) -> Iterator[Timeline]:
        """A timeline with all that it captures: to save, to see the present, to plan and to apply. Who listens sees whom it
        waits for, and can stop it, so it does not give up by itself."""
        line = self._with_sources(lane, self._heard_by(listener))
        if listener is not None:
            line.patience = _PATIENCE
        try:
            yield line
        finally:
            for source in line.sources.values():
                if (daemon := getattr(source, "daemon", None)) is not None:
                    daemon.close()

    def stop(self) -> None:
        """Have all looks at the world end, and what has not begun to put anything in place: whoever wanted it has gone."""
        self._stop.set()

    @property
    def stopped(self) -> bool:
        return self._stop.is_set()

    def _heard_by(self, listener: Listener | None) -> Listener:
        def hear(progress: Progress) -> None:
            if self._stop.is_set():
                raise Cancelled("stopped: nothing was changed")
            if listener is not None:
                listener(progress)

        return hear

    def _with_sources(self, lane: int | None, listener: Listener | None) -> Timeline:
        found = None if lane in (None, 0) else self.lane(lane)
        if found is None or found.is_here:
            line = locate.timeline(self.store, self.place, listener=listener)
            if self._more is not None:
                self._more(line)
            return line
        if not found.root:
            return self.store.timeline(found.name, root="", listener=listener)
        if not os.path.isdir(found.root):
            raise Unavailable(
                f"the directory of the timeline {found.name!r} is not there: {found.root}",
                hints=["what was recorded can be looked at", "was it moved? `takeback store relocate OLD NEW`"],
            )
        where = locate.place(found.root, store=self.place["store"], timeline=found.name)
        return locate.timeline(self.store, where, listener=listener)

    def parts(self, id: str) -> Mapping[str, Part]:
        """The parts of a snapshot of any timeline, by its whole id; none of one that is gone or harmed."""
        from takeback.engine.history import parts_of

        def read() -> Mapping[str, Part]:
            try:
                return parts_of(self.store.blobs, id)
            except TakebackError:
                return {}  # verify tells of it

        return self.remembered("parts", id, make=read)

    def remembered(self, *key: Hashable, make: Callable[[], T]) -> T:
        """What was made for a key before, as long as not too much else was: for what is known of snapshots, which do not
        change."""
        with self._lock:
            if key in self._known:
                self._known.move_to_end(key)
                found: T = self._known[key]
                return found
        made = make()
        with self._lock:
            self._known[key] = made
            if len(self._known) > _REMEMBERED:
                self._known.popitem(last=False)
        return made

    def _own(self, rows: list[TimelineRow]) -> set[int]:
        """The timelines of this root, and their forks, and those of these."""
        own = {row.number for row in rows if row.root == self._key[0]}
        forks = [row for row in rows if row.fork_of is not None and row.number not in own]
        if forks:
            from takeback.engine.family import parents

            above = parents(self.store.blobs)
            grew = True
            while grew:
                more = {row.number for row in forks if above.get(row.number) in own} - own
                own |= more
                grew = bool(more)
        return own

    def close(self) -> None:
        self.store.close()

    def __enter__(self) -> Desk:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
