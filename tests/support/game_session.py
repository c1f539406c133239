"""A game's session, with the fields that dm20-protocol's has."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import BaseModel, ConfigDict, Field


class Config(BaseModel):
    model: str = "fake"
    temperature: float = 0.7
    tools: list[str] = Field(default_factory=list)


class ClaudmasterSession(BaseModel):
    model_config = ConfigDict(validate_assignment=True)

    session_id: str
    campaign_id: str
    config: Config = Field(default_factory=Config)
    started_at: datetime = datetime(2026, 1, 2, 3, 4, 5)
    turn_count: int = 0
    conversation_history: list[dict[str, Any]] = Field(default_factory=list)
    active_agents: dict[str, str] = Field(default_factory=dict)
    metadata: dict[str, Any] = Field(default_factory=dict)

    def say(self, text: str) -> None:
        self.turn_count += 1
        self.conversation_history.append({"role": "user", "content": text, "turn": self.turn_count})


def begun(turns: int = 0) -> ClaudmasterSession:
    session = ClaudmasterSession(
        session_id="s-1", campaign_id="c-1", active_agents={"narrator": "idle"}, metadata={"place": "inn"}
    )
    for turn in range(turns):
        session.say(f"turn {turn}: the party walks on, and the road is longer than it looked from the hill")
    return session
