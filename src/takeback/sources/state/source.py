"""The state source: an object of this process, captured whole and restored in place."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

from takeback import documents
from takeback.documents.holes import Allowed
from takeback.errors import Conflict, InvalidInput, Locked, NotFound
from takeback.model.plan import Effect, Kept
from takeback.model.snapshot import NotCaptured, Part
from takeback.sources.protocol import Proposal
from takeback.sources.state import content
from takeback.sources.state.holding import Held, Lock, held_here
from takeback.store.reader import Reader
from takeback.store.writer import Writer

if TYPE_CHECKING:
    from takeback.model.diff import Change, Difference
    from takeback.model.progress import Watch
    from takeback.sources.protocol import Made, Staged, Step

_TRIES = 5


class State:
    """Any object that can change in place: an agent, its memory, a list of messages.

    ``lock`` is held while the object is read or restored: give the one that keeps others from changing it meanwhile.
    ``holes`` says where something may be left out that cannot be held (a client, a lock): nowhere, anywhere (True), or at
    paths such as ``memory.tools[*].client``; a restore keeps what is there. ``types`` are classes that may come back
    although neither the object nor its annotations name them just now.
    """

    kind = content.KIND
    root = ""
    lock = ""
    steady = True
    """Nothing of it changes while it is kept still."""

    def __init__(
        self, name: str, obj: Any, lock: Lock | None = None, *, holes: Allowed = False, types: Iterable[type] = ()
    ) -> None:
        if not name.strip() or not name.isprintable():
            raise InvalidInput(f"{name!r:.60} cannot be the name of a state", hints=["tb.State('memory', agent)"])
        if not documents.can_change(obj):
            raise InvalidInput(
                f"a {type(obj).__qualname__} cannot be restored in place, so it can be no state",
                hints=["give the object or the list that holds it"],
            )
        self.name = name
        self.object = obj
        self._lock = lock
        self._holes = holes
        self._types = {*types}
        self._made: documents.Put | None = None
        """What was made of the object when it was last captured."""
        self._captured: bytes | None = None
        """The same document, for as long as no restore has changed the object."""
        self._placed: bytes | None = None
        """What the last restore put in place, and has read back."""
        self._left_out: dict[bytes, tuple[NotCaptured, ...]] = {}
        """The holes of what is planned."""
        self._keeping = _Keeping()

    def __repr__(self) -> str:
        return f"<State {self.name!r} of a {type(self.object).__qualname__}>"

    def capture(self, writer: Writer, previous: Part | None, watch: Watch) -> Part:
        watch.tick("scan", 0)
        with self._locked():
            made = self._written(writer, previous)
        self._placed = None
        self._types |= made.types
        self._made, self._captured = made, made.id
        return content.part(self.name, made, documents.default_name(type(self.object)))

    def plan(self, reader: Reader, present: Part, target: Part, paths: Sequence[str] | None) -> Proposal:
        _check_no_paths(paths)
        self._left_out = {target.content: target.not_captured}
        return Proposal(content.between(present, target))

    def revert(self, reader: Reader, present: Part, steps: Sequence[Step]) -> Proposal:
        self._left_out = {step.before.content: step.before.not_captured for step in steps}
        return content.taken_back(present, steps)

    def moved(self, reader: Reader, present: Part, effects: Sequence[Effect]) -> tuple[str, ...]:
        return content.moved(present, effects)

    def plan_at(self, reader: Reader, place: object, part: Part, paths: Sequence[str] | None) -> Proposal:
        raise self._nowhere_else()

    def make_at(self, reader: Reader, place: object, part: Part, paths: Sequence[str] | None, *, durable: bool) -> Made:
        raise self._nowhere_else()

    def _nowhere_else(self) -> InvalidInput:
        return InvalidInput(
            f"{self.name} is the state of an object, which no directory can take",
            hints=[f"line.value(REF, {self.name!r}) gives what it was"],
        )

    def stage(self, reader: Reader, effects: Sequence[Effect], *, durable: bool = True) -> Staged:
        return StagedState(self, reader, effects)

    def unfinished(self, effects: Sequence[Effect]) -> tuple[Effect, ...]:
        """Read the object again; but right after a restore, which has read it while nobody could change it."""
        wanted = [each for each in effects if each.after is None or each.after.id != self._placed]
        if not wanted:
            return ()
        with self._locked():
            now = documents.put(documents.Nowhere(), self.object, holes=True, name=self.name).id
        return tuple(each for each in wanted if each.after is None or each.after.id != now)

    def amend(self, writer: Writer, present: Part, effects: Sequence[Effect]) -> Part:
        return content.amended(writer.reader, present, effects, self._left_out)

    def diff(
        self, reader: Reader, a: Part | None, b: Part | None, paths: Sequence[str] | None = None
    ) -> Iterator[Change]:
        return content.changes(self.name, a, b)

    def compare(self, reader: Reader, a: Part, b: Part) -> Iterator[Difference]:
        return content.differences(reader, a, b)

    def count(self, reader: Reader, part: Part) -> int:
        return 1

    def state_at(self, reader: Reader, part: Part, path: str) -> object | None:
        return part.content if path == self.name else None

    def read(self, reader: Reader, part: Part, path: str) -> Iterator[bytes]:
        if path != self.name:
            raise NotFound(f"{path!r} is not in {self.name}, which is the state of an object")
        raise InvalidInput(
            f"{self.name} is the state of an object, and has no bytes", hints=[f"line.value(REF, {self.name!r})"]
        )

    def value(self, reader: Reader, part: Part, types: Iterable[type] = ()) -> Any:
        """What a part holds, new."""
        known = (*types, *self._types, *documents.types_in(self.object))
        return documents.get(reader, part.content, types=known)

    @property
    def still(self) -> Callable[[], AbstractContextManager[None]] | None:
        """From the next look on the lock is held by this thread, until this ends; None where there is no lock."""
        return None if self._lock is None else self._kept_still

    @contextmanager
    def _kept_still(self) -> Iterator[None]:
        self._keeping.wanted = True
        try:
            yield
        finally:
            self._keeping.wanted = False
            self.give_lock()

    def take_lock(self, *, wait: bool) -> bool:
        """Have the lock that is kept now, and not only at the next look; False if it is somebody else's, and nobody is to
        ``wait``."""
        if self._lock is None or not self._keeping.wanted or self._keeping.held is not None:
            return True
        taken = False
        try:
            self._keeping.held = held_here(self._lock)
            taken = self._keeping.held.take(self, wait=wait)
        finally:
            if not taken:
                self.give_lock()
        return taken

    def give_lock(self) -> None:
        """Give it back; the next look takes it again, as long as it is kept."""
        held, self._keeping.held = self._keeping.held, None
        if held is not None:
            held.give_back(self)

    def _locked(self) -> AbstractContextManager[Any]:
        if self._lock is None or self._keeping.held is not None:
            return nullcontext()
        if not self._keeping.wanted:
            return self._lock
        self.take_lock(wait=True)
        return nullcontext()

    def _written(self, writes: documents.Writes, previous: Part | None) -> documents.Put:
        before = self._made.recall if self._made is not None else None
        there = self._made is not None and previous is not None and previous.content == self._made.id
        for left in reversed(range(_TRIES)):
            try:
                return documents.put(writes, self.object, holes=self._holes, name=self.name, before=before, there=there)
            except RuntimeError as error:
                if "changed size" not in str(error) and "mutated during" not in str(error):
                    raise
                if not left:
                    raise Locked(
                        f"{self.name} changes while it is being captured: {error}",
                        hints=["give the lock that whoever changes it holds: tb.State(name, obj, lock=…)"],
                    ) from error
        raise AssertionError("the last try returns or raises")


class _Keeping(threading.local):
    """Whether a thread keeps a state still, and by what."""

    wanted = False
    held: Held | None = None


class StagedState:
    """A state made ready: everything is decoded and matched; the lock is held until it is in place or given up."""

    def __init__(self, source: State, reader: Reader, effects: Sequence[Effect]) -> None:
        self._source = source
        self._wanted = effects[-1].after
        self._held: Held | None = None
        if self._wanted is None:
            raise InvalidInput(f"{source.name} cannot be removed: it is an object")
        try:
            if source._lock is not None:
                self._held = held_here(source._lock)
                self._held.take(self)
            known, recall = documents.Known(source._types), source._made.recall if source._made is not None else None
            if not self._is_as_captured(effects[0]):
                known.allow(documents.types_in(source.object))
                recall = None
            self._graft = documents.ready(reader, self._wanted.id, source.object, known, recall)
        except BaseException:
            self.discard()
            raise

    @property
    def kept(self) -> tuple[Kept, ...]:
        return ()

    def apply(self) -> None:
        source, wanted = self._source, self._wanted
        assert wanted is not None
        source._placed = source._captured = None
        try:
            self._graft.apply()
            source._placed = wanted.id
        finally:
            self.discard()

    def finish(self) -> None:
        """Nothing of what the object was is kept."""

    def discard(self) -> None:
        if self._held is not None:
            self._held.give_back(self)
            self._held = None

    def _is_as_captured(self, effect: Effect) -> bool:
        """Whether the object is as it was when the plan was made; Conflict if somebody else changed it meanwhile."""
        source = self._source
        if effect.before is None or (source._lock is None and source._captured == effect.before.id):
            return effect.before is not None  # without a lock nobody else changes it, as whoever made the state said
        now = documents.put(documents.Nowhere(), source.object, holes=True, name=source.name).id
        if now == effect.before.id:
            return source._captured == now
        if self._wanted is not None and now == self._wanted.id:
            return False
        raise Conflict(
            f"nothing was restored: {source.name} changed meanwhile",
            hints=["give the lock that whoever changes it holds: tb.State(name, obj, lock=…)"],
        )


def _check_no_paths(paths: Sequence[str] | None) -> None:
    if paths is not None:
        raise InvalidInput("the state of an object has no paths: it is put back as a whole", hints=["leave PATH out"])
