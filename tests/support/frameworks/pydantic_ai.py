from __future__ import annotations

import asyncio
from collections.abc import Sequence
from copy import deepcopy
from typing import Any

from pydantic_ai import Agent
from pydantic_ai.conversation import Conversation
from pydantic_ai.conversation_store import ConversationStore
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from takeback.adapters.pydantic_ai import TakebackConversationStore, TakebackMessages

Heard = list[ModelMessage]


class Script:
    """An agent whose model asks for the time first, if it can, and then says how many messages it has heard."""

    def __init__(self) -> None:
        self.heard: list[Heard] = []
        self.model = FunctionModel(self._answer)
        self.agent: Agent[None, str] = Agent(self.model)
        self.agent.tool_plain(clock)

    def _answer(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        self.heard.append(deepcopy(messages))
        if len(messages) == 1 and info.function_tools:
            return ModelResponse(parts=[ToolCallPart("clock", {"zone": "UTC"}, "call-1")])
        return ModelResponse(parts=[TextPart(f"{len(messages)} messages")])


def clock(zone: str) -> dict[str, Any]:
    """Tell the time."""
    return {"zone": zone, "time": [12, 30]}


def bare(heard: Sequence[Heard]) -> list[Any]:
    """What a model heard, without times and identities, which differ between two runs."""
    return [
        [(type(part).__name__, getattr(part, "content", None)) for each in one for part in each.parts] for one in heard
    ]


async def talk(prompts: Sequence[str], messages: TakebackMessages | None) -> list[Heard]:
    script = Script()
    history: list[ModelMessage] = []
    for prompt in prompts:
        if messages is not None:
            history = await messages.load()
        result = await script.agent.run(prompt, message_history=history)
        history = result.all_messages()
        if messages is not None:
            await messages.save(history)
    return script.heard


def talk_in(place: str, prompts: Sequence[str]) -> tuple[list[Heard], Heard]:
    """What the model heard, and all messages at the end."""
    messages = TakebackMessages("chat", place)
    try:
        return asyncio.run(talk(prompts, messages)), asyncio.run(messages.load())
    finally:
        messages.close()


async def go_on(store: ConversationStore, prompt: str) -> list[Heard]:
    script = Script()
    conversation = await store.load("chat") or Conversation(conversation_id="chat")
    await store.save(await script.agent.run(prompt, conversation=conversation))
    return script.heard


def go_on_in(place: str, prompt: str) -> list[Heard]:
    store = TakebackConversationStore(place)
    try:
        return asyncio.run(go_on(store, prompt))
    finally:
        store.close()
