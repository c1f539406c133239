"""A part of a timeline that is what the latest snapshot says, and the changes that are made to it.

Each change is one save, made from what the snapshot before it holds, so that two processes never lose each other's; where
one was faster, the other makes its change again, on what is there now.
"""

from __future__ import annotations

import random
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from takeback import documents
from takeback.adapters.remembering.plain import copied
from takeback.errors import Conflict
from takeback.sources.state.source import State

if TYPE_CHECKING:
    from takeback.engine.timeline import Timeline
    from takeback.model.plan import Effect, Kept
    from takeback.model.progress import Watch
    from takeback.model.snapshot import Part, Snapshot
    from takeback.sources.protocol import Staged
    from takeback.store.reader import Reader
    from takeback.store.writer import Writer

T = TypeVar("T")
Edit = Callable[[Any], Any]
"""Changes a value in place."""

_TRIES = 200
_LONGEST_PAUSE = 0.05


class Remembered(State):
    """Before the first snapshot it is what ``empty`` makes: a list or a dict. Whatever is put into it must be plain."""

    def __init__(self, line: Timeline, name: str, empty: Callable[[], Any]) -> None:
        super().__init__(name, empty())
        self.line = line
        self._empty = empty
        self._content: bytes | None = None
        """The document that the object was read from; None if it is no snapshot's."""
        self._head: str | None = None
        """The snapshot that had it, if that is known."""
        self._guard = threading.RLock()
        """Held while the object is looked at or replaced."""
        self._waiting: deque[_Change] = deque()
        self._one_at_a_time = threading.Lock()
        self._editor: int | None = None
        """The thread that is saving a change: the saves of others must not make it."""
        self._edit: Edit = _nothing
        self._given: Any = None
        self._edited: bytes | None = None
        """What the change that is being saved has led to: where that stands already, it is not made again."""

    def now(self, choose: Callable[[Any], T]) -> T:
        """What ``choose`` picks of the value, as a copy."""
        head = self.line.head
        with self._guard:
            if head is None or head != self._head:
                self._follow()
            picked: T = copied(choose(self.object))
            return picked

    def change(self, edit: Callable[[Any], T], also: Iterable[tuple[Remembered, Edit]] = ()) -> Callable[[], T]:
        """Put a change in the queue; calling the result saves those before it, then this one, and gives what ``edit``
        gave. ``also`` are changes of other parts of the line for the same save, made after this one."""
        change = _Change(edit, tuple(also), Future())
        self._waiting.append(change)

        def carry_out() -> T:
            with self._one_at_a_time:
                while not change.done.done():
                    self._waiting.popleft().carry_out(self._save)
            given: T = change.done.result()
            return given

        return carry_out

    def capture(self, writer: Writer, previous: Part | None, watch: Watch) -> Part:
        """The value that the snapshot before has, changed if a change is being saved. What somebody asked for is settled
        first, in a snapshot of its own; then the same save captures again."""
        editing = self._editor == threading.get_ident() and not (previous is not None and previous.pending)
        if not editing and previous is not None and previous.remembered:
            return _settled(previous)
        with self._guard:
            self._take(previous, lambda content: documents.get(writer.reader, content))
            if editing and (self._edited is None or self._content != self._edited):
                self._content = self._head = self._edited = None
                self._given = self._edit(self.object)
            part = super().capture(writer, previous, watch)
            self._content, self._head = part.content, None
            if editing:
                self._edited = part.content
            return part._replace(detail={**part.detail, "home": "timeline"})

    def stage(self, reader: Reader, effects: Sequence[Effect], *, durable: bool = True) -> Staged:
        return _InPlace()

    def unfinished(self, effects: Sequence[Effect]) -> tuple[Effect, ...]:
        return ()  # what the timeline records is in place by that

    def _follow(self) -> Snapshot | None:
        if self.line.head is None:
            self._take(None, _nothing)
            return None
        latest = self.line.show("@")
        self._take(latest.parts.get(self.name), lambda content: self.line.value(latest, self.name))
        self._head = latest.id
        return latest

    def _take(self, part: Part | None, load: Callable[[bytes], Any]) -> None:
        if part is None:
            self.object, self._content = self._empty(), None
        elif part.purged:
            self.object, self._content = self._empty(), part.content
        elif part.content != self._content:
            self.object, self._content = load(part.content), part.content

    def _save(self, change: _Change) -> Any:
        for attempt in range(_TRIES):
            try:
                self._begin()
                with ExitStack() as stack:
                    for part, edit in ((self, change.edit), *change.also):
                        stack.enter_context(part._editing(edit))
                    self.line._save_once(title=self.name)  # else the edit would not be made again
                return self._given
            except Conflict:
                if attempt == _TRIES - 1:
                    raise
                time.sleep(random.uniform(0, min(_LONGEST_PAUSE, 0.001 * 2**attempt)))
        raise AssertionError("the last try returns or raises")

    def _begin(self) -> None:
        """What was saved last is what undo goes back to; so there has to be a save before the first change, and one
        after whatever did not leave a move open, as another undo."""
        with self._guard:
            latest = self._follow()
        if latest is None or latest.trigger != "manual" or self.name not in latest.parts:
            self.line.save(title=self.name)

    @contextmanager
    def _editing(self, edit: Edit) -> Iterator[None]:
        self._editor, self._edit, self._edited = threading.get_ident(), edit, None
        try:
            yield
        finally:
            self._editor, self._edit = None, _nothing


class _Change(NamedTuple):
    edit: Edit
    also: tuple[tuple[Remembered, Edit], ...]
    done: Future[Any]

    def carry_out(self, save: Callable[[_Change], Any]) -> None:
        try:
            self.done.set_result(save(self))
        except BaseException as error:
            self.done.set_exception(error)


class _InPlace:
    """Nothing to do: the snapshot that is recorded is what will be read."""

    kept: tuple[Kept, ...] = ()

    def apply(self) -> None: ...

    def finish(self) -> None: ...

    def discard(self) -> None: ...


def _settled(part: Part) -> Part:
    return part._replace(detail={key: each for key, each in part.detail.items() if key not in ("pending", "held")})


def _nothing(value: Any) -> None: ...
