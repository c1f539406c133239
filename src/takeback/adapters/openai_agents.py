"""openai-agents: a Session whose items are a part of a timeline, and the state of an interrupted run beside them.

``TakebackSession("chat-7", line)`` beside a workspace: one snapshot then covers the files and what the agent remembers.
"""

from __future__ import annotations

from typing import Any

from takeback.adapters.remembering import Remembered, Room, Where, finished, missing, plain
from takeback.engine.references import Reference
from takeback.engine.timeline import Timeline
from takeback.errors import NotFound

try:
    from agents import Agent, RunState
    from agents.items import TResponseInputItem
    from agents.memory import SessionABC, SessionSettings
    from agents.memory.session_settings import coerce_session_settings, resolve_session_limit
except ImportError as error:
    raise missing("openai-agents", "openai-agents") from error


class TakebackSession(SessionABC):
    """The items of one session, in a store (by path, too) or on a timeline that is there already."""

    def __init__(
        self, session_id: str, where: Where, *, session_settings: SessionSettings | dict[str, Any] | None = None
    ) -> None:
        self.session_id = session_id
        self.session_settings = coerce_session_settings(session_settings or SessionSettings())
        self._room = Room(where, "openai-agents")
        self._items = self._room.remembered(session_id, f"session:{session_id}", list)

    @property
    def line(self) -> Timeline:
        """The timeline that it is on: to undo, restore, label or look back."""
        return self._items.line

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        most = resolve_session_limit(limit, self.session_settings)

        def latest(items: list[Any]) -> list[Any]:
            if most is None or most < 0:  # as in the SDK's own sessions
                return items
            return items[-most:] if most else []

        return await finished(self._items.now, latest)

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        if items:
            new = plain(items, "items")
            await finished(self._items.change(lambda all: all.extend(new)))

    async def pop_item(self) -> TResponseInputItem | None:
        return await finished(self._items.change(lambda all: all.pop() if all else None))

    async def clear_session(self) -> None:
        await finished(self._items.change(lambda all: all.clear()))

    async def save_run(self, state: RunState[Any, Any]) -> None:
        """Keep a run that waits for an approval, beside the items of the same moment."""
        document = plain(state.to_json(), "state")
        await finished(self._run.change(lambda run: (run.clear(), run.update(document))))

    async def load_run(self, agent: Agent[Any], reference: Reference = "@") -> RunState[Any, Any]:
        """The run as the latest, or another, snapshot has it: to be approved, and gone on with."""
        document = await finished(self.line.value, reference, self._run.name)
        if not document:
            raise NotFound(
                f"no run was kept in the session {self.session_id!r}", hints=["await session.save_run(state)"]
            )
        return await RunState.from_json(agent, document)

    @property
    def _run(self) -> Remembered:
        return self._room.remembered(self.session_id, f"run:{self.session_id}", dict)

    def close(self) -> None:
        """Close the store, if it was given as a path."""
        self._room.close()
