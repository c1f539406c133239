"""A long session, a snapshot each turn and a way back: takeback beside a manager that copies it whole, both in memory."""

from __future__ import annotations

import gc
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, Protocol

from pydantic import BaseModel

from bench.measure import alternating, seconds
from bench.peers.deep_copies import DeepCopies
from bench.rows import Row, against
from takeback.adapters.rollback import StateRollbackManager

PEER = "deep copies"


class Session(BaseModel):
    """What the session of a game or a chat is made of."""

    session_id: str = "bench"
    campaign_id: str = "the long road"
    config: dict[str, Any] = {"model": "any", "temperature": 0.7, "tools": ["dice", "map"]}
    started_at: datetime = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    turn_count: int = 0
    conversation_history: list[dict[str, Any]] = []
    active_agents: dict[str, str] = {}
    metadata: dict[str, Any] = {}

    def say(self, words: str) -> None:
        self.turn_count += 1
        role = "user" if self.turn_count % 2 else "assistant"
        self.conversation_history.append(
            {"role": role, "content": f"{self.turn_count}: {words}", "at": self.turn_count}
        )


class Manager(Protocol):
    def create_snapshot(self) -> Any: ...

    def rollback_last(self) -> bool: ...


class Party:
    """A session of its own, and who keeps its snapshots."""

    def __init__(self, manager: Callable[[Session], Manager], messages: int) -> None:
        self.session = Session()
        for _ in range(messages):
            self.session.say("the road goes on, and on, and every one of them says what it looks like from there")
        self._manager = manager(self.session)
        self._manager.create_snapshot()

    def create(self) -> float:
        self.session.say("a turn")
        gc.collect()
        return seconds(self._manager.create_snapshot)

    def roll_back(self) -> float:
        """After a turn that did harm."""
        before = self.session.model_copy(deep=True)
        self.session.say("a turn that does harm")
        self.session.metadata["harm"] = True
        self.session.conversation_history[7]["content"] = "changed"
        gc.collect()
        took = seconds(self._manager.rollback_last)
        if self.session != before:
            raise RuntimeError("the session is not what it was")
        return took


def measure(messages: int, rounds: int) -> list[Row]:
    parties = {"takeback": Party(StateRollbackManager, messages), PEER: Party(DeepCopies, messages)}
    creates: dict[str, list[float]] = {name: [] for name in parties}
    rollbacks: dict[str, list[float]] = {name: [] for name in parties}
    for _, order in alternating(parties, rounds):
        for name, party in order:
            creates[name].append(party.create())
            rollbacks[name].append(party.roll_back())
    rows = against(f"a snapshot of a session of {messages:,} messages", "s", creates, {PEER: 1.0})
    note = "deep copies bring back four of eight fields, of what JSON makes of them"
    return rows + against(f"rollback of a session of {messages:,} messages", "s", rollbacks, {PEER: 1.0}, note)
