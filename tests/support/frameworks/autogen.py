from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Any

from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.conditions import MaxMessageTermination
from autogen_agentchat.teams import RoundRobinGroupChat
from autogen_core.models import ChatCompletionClient, CreateResult, LLMMessage, ModelInfo, RequestUsage

import takeback as tb
from takeback.adapters.autogen import AutogenState

Heard = list[Any]


class Script(ChatCompletionClient):
    """Answers with a number that goes up by one each time, so that no two answers are alike."""

    component_type = "model"

    def __init__(self, first: int = 1) -> None:
        self._next = first
        self.heard: list[Heard] = []

    async def create(self, messages: Sequence[LLMMessage], **kwargs: Any) -> CreateResult:
        self.heard.append([message.model_dump() for message in messages])
        answer, self._next = f"answer {self._next}", self._next + 1
        return CreateResult(finish_reason="stop", content=answer, usage=RequestUsage(0, 0), cached=False)

    def create_stream(self, *args: Any, **kwargs: Any) -> AsyncGenerator[str | CreateResult, None]:
        raise NotImplementedError

    async def close(self) -> None: ...

    def actual_usage(self) -> RequestUsage:
        return RequestUsage(0, 0)

    total_usage = actual_usage

    def count_tokens(self, *args: Any, **kwargs: Any) -> int:
        return 0

    remaining_tokens = count_tokens

    @property
    def capabilities(self) -> Any:
        return self.model_info

    @property
    def model_info(self) -> ModelInfo:
        return ModelInfo(
            vision=False, function_calling=True, json_output=False, family="unknown", structured_output=False
        )


def team(model: Script) -> RoundRobinGroupChat:
    """Two who talk in turns; a task is two answers."""
    agents: list[Any] = [AssistantAgent(name, model_client=model) for name in ("writer", "critic")]
    return RoundRobinGroupChat(agents, termination_condition=MaxMessageTermination(3))


def line(store: tb.Store, owner: Any, *others: Any) -> tb.Timeline:
    return store.timeline("team", sources=[AutogenState("team", owner), *others])


def first_task(place: str) -> tuple[list[Heard], Mapping[str, Any]]:
    """A task, saved; then another one in the same process: what the model heard in that, and the state that was saved."""

    async def work() -> tuple[list[Heard], Mapping[str, Any]]:
        model = Script()
        chat = team(model)
        await chat.run(task="write a poem")
        state = await chat.save_state()
        with tb.open(place) as store:
            await line(store, chat).aio.save()
        heard = len(model.heard)
        await chat.run(task="another one")
        return model.heard[heard:], state

    return asyncio.run(work())
