"""What becomes of a run: snapshots at its start, its actions, its end, every so often, and when something went wrong.

There is no callback for errors. A call that has begun and not ended is told by whatever the agent calls next; a run that never
ended by a look, every second, at whether its loop is still there, by the end of the program, or by the next run.
"""

from __future__ import annotations

import asyncio
import functools
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Concatenate, ParamSpec

from takeback.adapters.cua.config import SnapshotConfig
from takeback.adapters.cua.manager import SESSION, SnapshotManager
from takeback.adapters.cua.run import Run, kept, named, told
from takeback.adapters.cua.values import SnapshotTrigger
from takeback.adapters.remembering import finished

logger = logging.getLogger(__name__)

P = ParamSpec("P")
_LOOK = 1.0
"""So many seconds pass between two looks at whether a run is still there."""
_RECENT = 20


class Recorder:
    """Records runs with a manager. Its steps raise; `noted` keeps what they raise from the agent."""

    def __init__(self, manager: SnapshotManager, config: SnapshotConfig) -> None:
        self.manager, self.config = manager, config
        self._watcher: asyncio.Task[None] | None = None
        self._said: set[str] = set()

    async def begin(self, run: Run) -> None:
        """A run has begun: from now on it is watched, also if this fails."""
        try:
            await self._tell_of_unended(run)
            await self.save(run, SnapshotTrigger.RUN_START, "at the start of the run", "run_start", title=run.title)
        finally:
            self._watcher = asyncio.create_task(self._watch(run))

    async def act(self, run: Run, item: dict[str, Any]) -> None:
        """A call is about to be made."""
        await self.settle(run)
        run.actions += 1
        run.acting = item
        said = f"before {told(item)}", f"before_{named(item)}"
        await self.save(run, SnapshotTrigger.BEFORE_ACTION, *said, item, title=told(item))

    async def acted(self, run: Run, item: dict[str, Any], result: Sequence[Any]) -> None:
        """A call was made, and gave a result."""
        run.acting = None
        said = f"after {told(item)}", f"after_{named(item)}"
        await self.save(run, SnapshotTrigger.AFTER_ACTION, *said, item, title=told(item), more=result)

    async def settle(self, run: Run) -> None:
        """The agent goes on; a call that it has not told the end of has failed."""
        failed, run.acting = run.acting, None
        if failed is not None:
            why = run.error_of(failed)
            said = f"{told(failed)} failed" + (f": {why}" if why else ""), f"failed_{named(failed)}"
            await self.save(run, SnapshotTrigger.ON_ERROR, *said, failed)

    async def end(self, run: Run) -> None:
        """A run has ended as it should."""
        await self.settle(run)
        run.ended = True
        await self._stop_watching()
        said = f"at the end of the run, after {run.actions} actions", "run_end"
        await self.save(run, SnapshotTrigger.RUN_END, *said)

    async def give_up(self, run: Run, why: str) -> None:
        """A run has ended otherwise: it ends here as it stands now."""
        run.ended = True
        await self._stop_watching()
        failed, run.acting = run.acting, None
        said = f"the run did not end by itself: {why}", "run_not_ended"
        cancelled: asyncio.CancelledError | None = None
        for trigger in (SnapshotTrigger.ON_ERROR, SnapshotTrigger.RUN_END):
            try:
                await self.save(run, trigger, *said, failed)
            except asyncio.CancelledError as error:  # the program ends: the run does so first
                cancelled = error
        if cancelled is not None:
            raise cancelled

    async def save(
        self,
        run: Run,
        trigger: SnapshotTrigger,
        description: str,
        action_context: str,
        item: Mapping[str, Any] | None = None,
        *,
        title: str = "",
        more: Sequence[Any] = (),
    ) -> None:
        """A snapshot, if its trigger is wanted and the container is known."""
        if trigger not in self.config.triggers or run.container is None:
            return
        await self.manager.create_snapshot(
            run.container,
            trigger,
            description,
            action_context,
            run.id,
            agent_metadata={"model": run.model} if isinstance(run.model, str) else None,
            messages=[*run.messages, *more],
            action=kept(item) if item is not None else None,
            title=title,
        )

    def note(self, error: Exception) -> None:
        """Something failed, and the agent goes on: logged once, and told by the next command of a person."""
        if str(error) not in self._said:
            self._said.add(str(error))
            logger.warning("the agent goes on without a snapshot: %s", error)
        self.manager.note_failure("cua", error)

    async def _tell_of_unended(self, run: Run) -> None:
        """A run of another process, or of another callback, that is still open on the container's timeline: what begins now
        ends it, and what it left is kept apart."""
        manager, container = self.manager, run.container
        if SnapshotTrigger.ON_ERROR not in self.config.triggers or container is None:
            return

        def look() -> str | None:
            if not manager.storage.exists:
                return None
            moves = manager.storage.line(manager.provider.inspected(container).name).log(limit=_RECENT).moves
            opened = (move for move in moves if move.open and move.level == "run" and move.session == SESSION)
            return next((move.title for move in opened), None)

        title = await finished(look)
        if title is not None:
            await self.save(run, SnapshotTrigger.ON_ERROR, f"the run “{title}” never ended", "run_never_ended")

    async def _watch(self, run: Run) -> None:
        """Save every so often while a run lasts, and end one that nobody ends."""
        every = self.config.periodic_interval_seconds
        periodic = SnapshotTrigger.PERIODIC in self.config.triggers
        clock = asyncio.get_running_loop().time
        last = clock()
        try:
            while not run.is_over:
                await asyncio.sleep(min(_LOOK, every) if periodic else _LOOK)
                if periodic and clock() - last >= every and not run.is_over:
                    last = clock()
                    await noted(self, Recorder.save)(run, SnapshotTrigger.PERIODIC, f"every {every:g} s", "periodic")
        except asyncio.CancelledError:
            if not run.ended:
                await noted(self, Recorder.give_up)(run, "the program ended")
            raise
        if not run.ended:
            await noted(self, Recorder.give_up)(run, "its loop was left, or raised an error")

    async def _stop_watching(self) -> None:
        watcher, self._watcher = self._watcher, None
        if watcher is not None and watcher is not asyncio.current_task() and not watcher.done():
            watcher.cancel()
            await asyncio.wait({watcher})


def noted(
    recorder: Recorder, step: Callable[Concatenate[Recorder, P], Awaitable[None]]
) -> Callable[P, Awaitable[None]]:
    """A step of a recorder whose failure is noted, and goes no further."""

    @functools.wraps(step)
    async def call(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            await step(recorder, *args, **kwargs)
        except Exception as error:
            recorder.note(error)

    return call
