"""Several sources at one instant.

What can be held still (a paused container, an object whose lock is held) is looked at while all of it is held at once. What
cannot, such as a directory, is looked at before and after that, and has to be the same: then it was so in between, too, and
all parts are of the instant at which all was held. As long as the world is quiet nothing is held for longer than a look at
what is held takes; only where something changes meanwhile it is held until the rest has come to rest.

A source that fails takes nothing from the others: its part is missed, and the snapshot says so.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from functools import partial
from typing import NamedTuple

from takeback.engine.manifest import put_part
from takeback.errors import Cancelled, Integrity, OutOfTime, TakebackError, WrongKey
from takeback.model.kinds import DOCUMENTS, FOLLOWING
from takeback.model.progress import Watch
from takeback.model.snapshot import NotCaptured, Part
from takeback.sources.protocol import Source
from takeback.store.writer import Writer

_PATIENCE = 3.0
"""For so many seconds all is held while the rest comes to rest."""
_MOST = 20
"""So many paths that did not are listed."""
_OURS = (Integrity, WrongKey, OutOfTime, Cancelled, MemoryError)
"""What is no source's own failure, and ends the whole look."""

Held = Callable[[], AbstractContextManager[None]]


class Looked(NamedTuple):
    """What was found, and what could not be looked at."""

    parts: Mapping[str, Part]
    missed: Mapping[str, TakebackError]


class Holding(NamedTuple):
    """How sources are kept still."""

    held: Held
    """From the next look on they are, until this ends; or longer, if it is ``lasting``."""
    lasting: bool


def look(
    sources: Sequence[Source], writer: Writer, watch: Watch, before: Mapping[str, Part], holding: Holding
) -> Looked:
    """Capture every source; ``before`` is what the latest snapshot holds. The error of the first one is raised if every one
    fails."""
    looking = _Looking(writer, watch, before)
    shared = [source for source in sources if _can_change(source)]
    if len(shared) > 1:
        _look_until_agreed(looking, shared, holding)
        looking.at([source for source in sources if source not in shared])
    elif holding.lasting:
        with holding.held():
            looking.at(sources)
    else:
        looking.at(sources)
    _check_some(sources, looking.missed)
    return Looked(looking.parts, looking.missed)


def holds(source: Source) -> Held | None:
    """What keeps a source still, if anything can."""
    found: Held | None = getattr(source, "still", None)
    return found


def _can_change(source: Source) -> bool:
    """Whether somebody else may be changing what a source looks at: of an object without a lock whoever made the state says
    that nobody is, and a conversation only follows."""
    return source.kind not in FOLLOWING and (source.kind not in DOCUMENTS or holds(source) is not None)


def _look_until_agreed(looking: _Looking, sources: Sequence[Source], holding: Holding) -> None:
    steady = [source for source in sources if getattr(source, "steady", False)]
    moving = [source for source in sources if source not in steady]
    looking.at(moving, ahead=steady)
    if not holding.lasting:
        if looking.found_nothing_new(sources):
            return
        with holding.held():
            looking.at(steady)
        if looking.again(moving):
            return
    with holding.held():
        looking.at(steady)
        until = time.monotonic() + _PATIENCE
        while not looking.again(moving):
            if time.monotonic() > until:
                looking.give_up(moving)
                return


class _Looking:
    """Looks at sources, and remembers what it has seen and what it could not."""

    def __init__(self, writer: Writer, watch: Watch, before: Mapping[str, Part]) -> None:
        self._writer, self._watch, self._before = writer, watch, before
        self.parts: dict[str, Part] = {}
        self.missed: dict[str, TakebackError] = {}
        self._restless: dict[str, Part] = {}
        """Parts as they were at the look before, where they were not the same."""

    def at(self, sources: Sequence[Source], ahead: Sequence[Source] = ()) -> None:
        """Capture, and let others read ``ahead`` what they would be held for otherwise. Objects come first, and in this
        thread: whoever holds such a lock may be waiting for what is paused next."""
        tasks: list[Callable[[], None]] = []
        for source in sorted((*sources, *ahead), key=lambda each: each.kind not in DOCUMENTS):
            if source.name in self.missed:
                continue
            if source.kind in DOCUMENTS:
                self._capture(source)
            elif source in sources:
                tasks.append(partial(self._capture, source))
            elif hasattr(source, "read_ahead"):
                tasks.append(partial(self._read_ahead, source))
        _side_by_side(tasks)

    def again(self, sources: Sequence[Source]) -> bool:
        """Look once more; whether all is as it was, or there is nothing to look at."""
        seen = dict(self.parts)
        self.at(sources)
        self._restless = {
            source.name: seen[source.name]
            for source in sources
            if source.name not in self.missed and not self.parts[source.name].same_state(seen[source.name])
        }
        return not self._restless

    def found_nothing_new(self, sources: Sequence[Source]) -> bool:
        """Whether all that can be seen is as the latest snapshot has it, which is of one instant."""
        found = [self.parts.get(source.name) for source in sources if source.name not in self.missed]
        return all(part is not None and part.same_state(self._before.get(part.name)) for part in found)

    def give_up(self, sources: Sequence[Source]) -> None:
        """Say what never came to rest: it is as it was seen, but maybe not as it was when the rest was."""
        for source in sources:
            old, part = self._restless.get(source.name), self.parts.get(source.name)
            if old is None or part is None:
                continue
            changes = source.diff(self._writer.reader, old, part)
            paths = [change.path for change in changes if not change.is_directory][:_MOST]
            known = {item.path for item in part.not_captured}
            listed = [
                NotCaptured(path, "unsettled", "it changed while the other parts were looked at")
                for path in paths
                if path not in known
            ]
            listed = sorted((*part.not_captured, *listed))
            self.parts[source.name] = put_part(self._writer, part._replace(not_captured=tuple(listed)))

    def _read_ahead(self, source: Source) -> None:
        self._look(source, lambda: source.read_ahead(self._writer, self._before.get(source.name), self._watch))  # type: ignore[attr-defined]

    def _capture(self, source: Source) -> None:
        previous = self.parts.get(source.name, self._before.get(source.name))
        self._look(source, lambda: source.capture(self._writer, previous, self._watch))

    def _look(self, source: Source, look: Callable[[], Part | None]) -> None:
        try:
            part = look()
            if part is not None:
                self.parts[source.name] = put_part(self._writer, part)
        except _OURS:
            raise
        except Exception as error:  # an object's own code may raise anything
            self.parts.pop(source.name, None)
            self.missed[source.name] = _told(source, error)


def _side_by_side(tasks: Sequence[Callable[[], None]]) -> None:
    """Do all of them, the last one in this thread; what one raises is raised when all have ended."""
    if len(tasks) < 2:
        for task in tasks:
            task()
        return
    with ThreadPoolExecutor(len(tasks) - 1, thread_name_prefix="takeback-look") as pool:
        others = [pool.submit(task) for task in tasks[:-1]]
        tasks[-1]()
    for other in others:
        other.result()


def _told(source: Source, error: Exception) -> TakebackError:
    if isinstance(error, TakebackError):
        return error
    told = TakebackError(f"{source.name} could not be looked at: {type(error).__name__}: {error}")
    told.__cause__ = error
    return told


def _check_some(sources: Sequence[Source], missed: Mapping[str, TakebackError]) -> None:
    there = [source.name for source in sources if source.kind not in FOLLOWING]
    if there and all(name in missed for name in there):
        error = missed[there[0]]
        raise error.__cause__ if type(error) is TakebackError and isinstance(error.__cause__, Exception) else error
