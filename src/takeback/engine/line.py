"""What every verb works on: one timeline's place in a store, its sources, and the lock on what it looks at."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import partial
from types import MappingProxyType
from typing import NamedTuple, Protocol

from blake3 import blake3

from takeback.engine import windows
from takeback.engine.at_once import hold_at_once
from takeback.engine.manifest import lacks_something, load_snapshot
from takeback.engine.together import Holding, holds, look
from takeback.errors import Integrity, InvalidInput, NotFound, TakebackError
from takeback.model.kinds import DOCUMENTS, FOLLOWING, TREES
from takeback.model.progress import Watch
from takeback.model.snapshot import Part, Snapshot
from takeback.model.tree import name_bytes
from takeback.sources.protocol import Looks, Source
from takeback.store.blobstore import BlobStore
from takeback.store.catalogue import snapshots, timelines
from takeback.store.catalogue.database import Transaction
from takeback.store.catalogue.snapshots import SnapshotRow
from takeback.store.catalogue.timelines import TimelineRow
from takeback.store.locks import named_lock, root_lock
from takeback.store.reader import Reader
from takeback.store.writer import Writer


class Registers(Protocol):
    """Remembers, outside of any store, what the directories of forks are."""

    @property
    def directory(self) -> str:
        """Where it is noted what a fork that is being made has made so far."""

    def enter(self, origin: Line, fork: Line) -> None:
        """There will be this fork: what is looked at in its directory is its own."""

    def leave(self, root: str, name: str) -> None:
        """There will be no fork of that name in a directory after all."""


ADVICE = "; "
"""Stands between why a part was missed and what to do about it."""


class Present(NamedTuple):
    """The world as it was just captured, beside the latest snapshot."""

    head: SnapshotRow | None
    latest: Snapshot | None
    parts: Mapping[str, Part]
    missed: Mapping[str, TakebackError] = MappingProxyType({})
    """Why a part is not there, or is only as the latest snapshot has it."""

    @property
    def changed(self) -> bool:
        """Whether anything differs from the latest snapshot, or what was pending or missed there is not so any more."""
        if self.latest is None or self.latest.missed.keys() != self.missed.keys():
            return True
        before = self.latest.parts
        return any(
            not part.same_state(before.get(name)) or part.pending != (name in before and before[name].pending)
            for name, part in self.parts.items()
        )

    @property
    def reasons(self) -> dict[str, str]:
        """Why parts are missed, in words, and the first thing to do about it."""
        return {name: ADVICE.join((error.message, *error.hints[:1])) for name, error in self.missed.items()}


class Line:
    """A timeline by root and name. Its row is made by the first save; looking at it writes nothing."""

    patience = 10.0
    """Seconds for which the lock of a root is waited for."""

    def __init__(
        self,
        blobs: BlobStore,
        root: str,
        name: str,
        sources: Mapping[str, Source],
        waiting: Callable[[str], None] | None = None,
        others: Callable[[str], Source | None] | None = None,
        expected: Iterable[str] = (),
    ) -> None:
        self.blobs = blobs
        self.waiting = waiting
        """Is told who holds a root's lock, if that takes long."""
        self.root = root
        self.name = name
        self.sources = dict(sources)
        self.others = others
        """Gives a source that only puts a part back, by its name: nothing of it is captured here."""
        self.expected = tuple(expected)
        """Parts that every snapshot should have, also those of objects that only other processes can look at."""
        self.unsettled: Mapping[str, TakebackError] = {}
        """Parts of which an interrupted restore could not be taken back yet, and why: nobody looks at these."""
        self._still = _Still()
        self.notes: tuple[str, ...] = ()
        """What one should know of a fork that was just made."""
        self.registers: Registers | None = None
        """Is told of the forks of this timeline."""

    def looking_only_at(self, names: Collection[str]) -> Line:
        """The same timeline, with some of its sources, and no patience: for who only wants a quick look."""
        some = {name: source for name, source in self.sources.items() if name in names}
        line = Line(self.blobs, self.root, self.name, some, self.waiting, self.others, self.expected)
        line.patience = 0.5
        return line

    def add(self, source: Source) -> None:
        if source.name in self.sources:
            raise InvalidInput(f"two sources are called {source.name!r}", hints=["give one of them another name="])
        self.sources = {**self.sources, source.name: source}  # another thread may be walking over the old ones

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep everybody else from looking at, or changing, the same roots and what has the same lock, whatever store
        they use."""
        with ExitStack() as stack:
            for root in sorted(self.roots()):
                gone = root != self.root and not os.path.isdir(name_bytes(root))
                lock = partial(named_lock, f"directory {root}") if gone else partial(root_lock, root)
                stack.enter_context(lock(self.patience, self.waiting))
            for name in sorted({source.lock for source in self.sources.values() if source.lock}):
                stack.enter_context(named_lock(name, self.patience, self.waiting))
            yield

    def roots(self) -> set[str]:
        """The directories that are locked."""
        roots = {source.root for source in self.sources.values() if source.root}
        return roots | {root for source in self.sources.values() for root in getattr(source, "inner_roots", ())}

    @contextmanager
    def still(self) -> Iterator[None]:
        """Keep what can be kept still as it is from the next look on, so that nothing comes between that and a restore."""
        with ExitStack() as stack:
            stack.callback(setattr, self._still, "until", self._still.until)
            stack.callback(setattr, self._still, "begun", self._still.begun)
            self._still.until, self._still.begun = stack, False
            yield

    @contextmanager
    def _held(self) -> Iterator[None]:
        """The same for as long as this lasts; in a `still` of this thread it is that which ends it."""
        with ExitStack() as stack:
            lasting = self._still.until
            if lasting is None or not self._still.begun:
                self._still.begun = lasting is not None
                for source in self.sources.values():
                    if (keeps := holds(source)) is not None:
                        (lasting or stack).enter_context(keeps())
                hold_at_once(self.sources.values())
            yield

    def permit(self, parts: Iterable[str]) -> None:
        """Let sources object to a change that somebody has asked for; once it has begun, nobody asks again."""
        for name in parts:
            permit = getattr(self.sources.get(name), "permit", None)
            if permit is not None:
                permit()

    @contextmanager
    def writer(self) -> Iterator[Writer]:
        """A writer whose derived files are this timeline's own."""
        with self.blobs.writer() as writer:
            if self.sources:
                writer.scope = self.scope()
            yield writer

    @contextmanager
    def looking(self) -> Iterator[Writer]:
        """A writer to capture into, and to abandon: what diff and every plan use, also where the store can only be
        read. The roots are locked meanwhile."""
        with self.locked(), self.blobs.scratch() if self.blobs.readonly else self.blobs.writer() as writer:
            writer.scope = self.scope()
            yield writer

    def scope(self) -> str:
        """What tells this timeline's derived files from others'."""
        return blake3(self.name.encode()).hexdigest()[:16]

    def row(self, tx: Transaction) -> TimelineRow:
        """The timeline's row; NotFound if nothing has been saved yet."""
        row = timelines.find(tx, self.root, self.name)
        if row is None:
            where = f" of {self.root}" if self.root else ""
            raise NotFound(
                f"nothing has been saved on the timeline {self.name!r}{where}",
                hints=self.nearby(tx) or ["`takeback save` makes the first snapshot"],
            )
        return row

    def nearby(self, tx: Transaction) -> list[str]:
        """Where else somebody who finds nothing here may have meant: other timelines of the root, roots around it, and
        the root that it may have been before it was moved here."""
        hints = []
        gone = []
        for row in timelines.every(tx):
            if row.root == self.root and row.name != self.name:
                hints.append(f"this root has a timeline {row.name!r}: add --timeline {_typed(row.name)}")
            elif self.root and not row.root:
                what = "memory, or a container, is on the timeline"
                hints.append(f"an agent's {what} {row.name!r}: add --timeline {_typed(row.name)}")
            elif row.root and self.root.startswith(row.root.rstrip("/") + "/"):
                hints.append(f"{row.root}, above, has snapshots: add -C {_typed(row.root)}")
            elif row.root and self.root and not os.path.isdir(name_bytes(row.root)):
                gone.append(row.root)
        if not hints:
            same = [root for root in gone if os.path.basename(root) == os.path.basename(self.root)]
            hints = [f"was it moved here? takeback store relocate {_typed(root, self.root)}" for root in same or gone]
        return list(dict.fromkeys(hints))[:5]

    def row_or_new(self, tx: Transaction, fork_of: str | None = None) -> TimelineRow:
        found = timelines.find(tx, self.root, self.name)
        return found or timelines.create(tx, self.root, self.name, time.time_ns(), fork_of)

    def head(self) -> SnapshotRow | None:
        """The latest snapshot's row."""
        with self.blobs.database.read() as tx:
            row = timelines.find(tx, self.root, self.name)
            return snapshots.by_id(tx, row.head) if row is not None and row.head is not None else None

    def load(self, reader: Reader, row: SnapshotRow) -> Snapshot:
        return load_snapshot(reader, row)

    def capture(self, writer: Writer, watch: Watch) -> Present:
        """Look at every source. Parts whose source is not at hand stay as the latest snapshot has them."""
        head = self.head()
        latest = self.latest(writer.reader, head) if head is not None else None
        parts = dict(latest.parts) if latest is not None else {}
        if not self.sources and not any(part.kind in DOCUMENTS for part in parts.values()):
            raise InvalidInput(
                f"the timeline {self.name!r} has no sources, so there is nothing to look at",
                hints=_at_hand(*parts.values()) or ["store.timeline(name, sources=[takeback.Workspace('.')])"],
            )
        sources = [source for name, source in self.sources.items() if name not in self.unsettled]
        if not sources and self.unsettled:
            raise next(iter(self.unsettled.values()))
        if any(hasattr(source, "heed") for source in sources):
            self.heed(agents_at_work=self.agents_at_work())
        found = look(sources, writer, watch, parts, Holding(self._held, self._still.until is not None))
        parts |= {name: found.parts[name] for name in self.sources if name in found.parts}
        unsaved = {name: _unsaved(name) for name in self.expected if name not in parts and name not in found.missed}
        return Present(head, latest, parts, {**self.unsettled, **found.missed, **unsaved})

    def agents_at_work(self) -> bool:
        """Whether what changed since the latest snapshot may be an agent's doing."""
        with self.blobs.database.read() as tx:
            row = timelines.find(tx, self.root, self.name)
            return row is not None and windows.agents_at_work(tx, row.number)

    def heed(
        self, *, agents_at_work: bool, origin: Mapping[str, Callable[[], Part | None]] = MappingProxyType({})
    ) -> None:
        """Tell the sources that ask whose doing it is if the rules of what is captured have changed; ``origin`` gives, by
        name, the part that is being brought back."""
        for name, source in self.sources.items():
            heed = getattr(source, "heed", None)
            if heed is not None:
                heed(agents_at_work=agents_at_work, origin=origin.get(name))

    def latest(self, reader: Reader, head: SnapshotRow) -> Snapshot | None:
        """The latest snapshot; None if a repair had to give up a part of it, so that all is recorded anew."""
        try:
            return self.load(reader, head)
        except Integrity:
            if lacks_something(reader, head):
                return None
            raise

    def find_source(self, name: str, parts: Mapping[str, Part]) -> Source | None:
        """The source of a part. That of a value whose object lives in another process is found by what is known of the
        parts."""
        source = self.sources.get(name)
        if source is None and self.others is not None:
            source = self.others(name)
            if source is not None and name in parts and parts[name].kind != source.kind:
                source = None
        if source is None and name in parts and parts[name].kind in DOCUMENTS:
            from takeback.sources.state.absent import Absent  # no save needs it

            source = Absent(name, parts[name].kind)
        return source

    def looker(self, name: str, *parts: Part | None) -> Looks | None:
        """What can look into a part and compare it: its source, or something that knows only what is stored of it. None
        for a conversation or a value that has no source here."""
        source = self.sources.get(name)
        kind = next(part.kind for part in parts if part is not None)
        if source is not None and source.kind == kind:
            return source
        if kind not in TREES - FOLLOWING:
            return source
        from takeback.sources.stored import Stored  # no save needs it

        return Stored(name, kind)

    def source(self, name: str, parts: Mapping[str, Part]) -> Source:
        source = self.find_source(name, parts)
        if source is None:
            known = ", ".join(sorted(self.sources)) or "none"
            raise InvalidInput(
                f"there is no source for the part {name!r} here (known: {known})",
                hints=_at_hand(*([parts[name]] if name in parts else [])),
            )
        return source

    def part(self, name: str, parts: Mapping[str, Part]) -> Part:
        """A part as it is known. A conversation can be put back where there is none any more: an empty one stands for it."""
        known = parts.get(name)
        return known if known is not None else Part(name, self.source(name, parts).kind, {}, {})

    def is_absent(self, name: str, parts: Mapping[str, Part]) -> bool:
        """Whether a part is a value that has no source here."""
        return name not in self.sources and name in parts and parts[name].kind in DOCUMENTS

    def is_elsewhere(self, name: str, parts: Mapping[str, Part]) -> bool:
        """Whether a part is a value whose object lives in another process, which has to put in place what is recorded."""
        return self.is_absent(name, parts) and not parts[name].remembered and not parts[name].filed


class _Still(threading.local):
    """What a thread keeps still, and until when."""

    until: ExitStack | None = None
    begun = False


def _unsaved(name: str) -> NotFound:
    return NotFound(
        f"no program has saved {name} yet", hints=[f"a program does, with takeback.State({name!r}, …) on this timeline"]
    )


def _at_hand(*parts: Part) -> list[str]:
    """How parts that are not at hand come to be."""
    from takeback.engine.naming import options

    missing = options(parts)
    return [f"add {missing}"] if missing else []


def _typed(*words: str) -> str:
    """Words as a shell takes them."""
    import shlex

    return shlex.join(words)
