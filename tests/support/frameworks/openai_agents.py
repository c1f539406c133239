from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from copy import deepcopy
from typing import Any

from agents import Agent, ModelResponse, RunConfig, Runner, Usage, function_tool
from agents.memory import Session
from agents.models.interface import Model
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

from takeback.adapters.openai_agents import TakebackSession

Heard = list[Any]
"""What one call of the model got as its input."""


class Script(Model):
    """Answers with the next line, or the next call of a tool."""

    def __init__(self, answers: Sequence[str | ResponseFunctionToolCall]) -> None:
        self._answers = list(answers)
        self.heard: list[Heard] = []

    async def get_response(
        self, system_instructions: str | None, input: Any, *args: Any, **kwargs: Any
    ) -> ModelResponse:
        self.heard.append(deepcopy(input))
        answer = self._answers.pop(0)
        said = answer if isinstance(answer, ResponseFunctionToolCall) else _message(answer)
        return ModelResponse(output=[said], usage=Usage(), response_id=None)

    def stream_response(self, *args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        raise NotImplementedError


def _message(text: str) -> ResponseOutputMessage:
    content = ResponseOutputText(text=text, type="output_text", annotations=[])
    return ResponseOutputMessage(id="m", content=[content], role="assistant", status="completed", type="message")


def call(tool: str, arguments: str) -> ResponseFunctionToolCall:
    return ResponseFunctionToolCall(call_id=f"call of {tool}", name=tool, arguments=arguments, type="function_call")


async def converse(session: Session | None, turns: Sequence[tuple[str, str]]) -> list[Heard]:
    """Say something and have it answered, again and again; what the model heard."""
    model = Script([answer for _, answer in turns])
    agent = Agent(name="assistant", model=model)
    for said, _ in turns:
        await Runner.run(agent, said, session=session, run_config=RunConfig(tracing_disabled=True))
    return model.heard


def converse_in(store: str, turns: Sequence[tuple[str, str]]) -> list[Heard]:
    session = TakebackSession("chat", store)
    try:
        return asyncio.run(converse(session, turns))
    finally:
        session.close()


DEPLOYED: list[str] = []


@function_tool(needs_approval=True)
def deploy(place: str) -> str:
    """Deploy to a place."""
    DEPLOYED.append(place)
    return f"deployed to {place}"


def deployer(*answers: str | ResponseFunctionToolCall) -> tuple[Agent[Any], Script]:
    model = Script(answers)
    return Agent(name="deployer", model=model, tools=[deploy]), model


def ask_to_deploy(store: str) -> None:
    """A run that stops because a person has to approve of it, kept in a session."""

    async def ask() -> None:
        session = TakebackSession("chat", store)
        agent, _ = deployer(call("deploy", '{"place": "production"}'))
        result = await Runner.run(agent, "ship it", session=session, run_config=RunConfig(tracing_disabled=True))
        assert len(result.interruptions) == 1
        assert not DEPLOYED
        await session.save_run(result.to_state())
        session.close()

    asyncio.run(ask())
