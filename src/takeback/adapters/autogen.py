"""AutoGen: an agent, a team or a runtime as a source, captured by its own ``save_state`` and put back by ``load_state``.

Both are coroutines, and a timeline's verbs are not: make the source inside the event loop, and await ``line.aio``, whose
threads ask the loop. Without a running loop the plain verbs do.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from takeback import documents
from takeback.errors import InvalidInput
from takeback.sources.state.source import State

if TYPE_CHECKING:
    from takeback.model.plan import Effect, Kept
    from takeback.model.progress import Watch
    from takeback.model.snapshot import Part
    from takeback.sources.protocol import Staged
    from takeback.store.reader import Reader
    from takeback.store.writer import Writer

T = TypeVar("T")


class Saves(Protocol):
    """What agents, teams, model contexts and runtimes have in common."""

    async def save_state(self) -> Mapping[str, Any]: ...

    async def load_state(self, state: Mapping[str, Any]) -> None: ...


class AutogenState(State):
    """``store.timeline("research", sources=[AutogenState("team", team)])``; the team must not be running meanwhile."""

    def __init__(self, name: str, owner: Saves) -> None:
        super().__init__(name, {})
        if not (callable(getattr(owner, "save_state", None)) and callable(getattr(owner, "load_state", None))):
            raise InvalidInput(
                f"a {type(owner).__name__} has no save_state and load_state, as AutoGen's agents and teams have",
                hints=[f"any other object: tb.State({name!r}, …)"],
            )
        self._owner = owner
        try:
            self._loop: asyncio.AbstractEventLoop | None = asyncio.get_running_loop()
        except RuntimeError:
            self._loop = None

    def capture(self, writer: Writer, previous: Part | None, watch: Watch) -> Part:
        self._look()
        return super().capture(writer, previous, watch)

    def stage(self, reader: Reader, effects: Sequence[Effect], *, durable: bool = True) -> Staged:
        (effect,) = effects
        assert effect.before is not None and effect.after is not None
        return _Loading(self, documents.get(reader, effect.before.id), documents.get(reader, effect.after.id))

    def unfinished(self, effects: Sequence[Effect]) -> tuple[Effect, ...]:
        self._look()
        return super().unfinished(effects)

    def load(self, state: Mapping[str, Any]) -> None:
        self._wait(self._owner.load_state(state))

    def _look(self) -> None:
        self.object = self._wait(self._owner.save_state())

    def _wait(self, work: Coroutine[Any, Any, T]) -> T:
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            if self._loop is not None and self._loop.is_running():
                return asyncio.run_coroutine_threadsafe(work, self._loop).result()
            return asyncio.run(work)
        work.close()
        raise InvalidInput(
            f"the part {self.name!r} is asked for by a coroutine, so a verb that blocks would wait for itself",
            hints=["await line.aio.save(), line.aio.undo(), …", "async with line.turn(…)"],
        )


class _Loading:
    kept: tuple[Kept, ...] = ()

    def __init__(self, part: AutogenState, before: Mapping[str, Any], after: Mapping[str, Any]) -> None:
        self._part, self._before, self._after = part, before, after

    def apply(self) -> None:
        try:
            self._part.load(self._after)
        except BaseException:
            self._part.load(self._before)  # a team is loaded agent by agent: half of them may be
            raise

    def finish(self) -> None: ...

    def discard(self) -> None: ...
