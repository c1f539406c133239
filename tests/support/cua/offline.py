"""A real ComputerAgent whose model is a script, and a computer that is a container of this machine.

Imported in the agent's own environment only.
"""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import docker
from cua_agent import ComputerAgent
from cua_agent.decorators import register_agent
from cua_agent.tools.base import BaseTool
from cua_agent.types import ToolError

PIXEL = base64.b64encode(
    bytes.fromhex(
        "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
        "1f15c4890000000d49444154789c6360000002000001e221bc330000000049454e44ae426082"
    )
).decode()

Script = list[list[dict[str, Any]]]
"""What the model says, step by step; after the last it says that it is done."""

SCRIPTS: dict[str, Script] = {}


@register_agent(models=r"^offline/.*", priority=1000)
class Offline:
    """Plays the script that the model's name names."""

    async def predict_step(self, messages: list[dict[str, Any]], model: str, **more: Any) -> dict[str, Any]:
        script = SCRIPTS[model]
        output = script.pop(0) if script else [said("done")]
        return {"output": output, "usage": {}}

    async def predict_click(self, *args: Any, **more: Any) -> None:
        return None

    def get_capabilities(self) -> list[str]:
        return ["step"]


class Computer(dict[str, Any]):
    """A stand-in for CUA's own, with its ``config.name``: typing runs in the container's shell."""

    def __init__(self, container: str) -> None:
        super().__init__(screenshot=_screenshot, type=self._type, click=_click, keypress=_press)
        self.config = SimpleNamespace(name=container)
        self._container = docker.from_env().containers.get(container)

    async def _type(self, text: str) -> None:
        code, output = await asyncio.to_thread(self._container.exec_run, ["sh", "-c", text])
        if code:
            raise ToolError(output.decode())


async def _screenshot() -> str:
    return PIXEL


async def _click(x: int, y: int, button: str = "left") -> None:
    raise RuntimeError("the screen went dark")


async def _press(keys: Any) -> None:
    raise ToolError("no such key")


class Tool(BaseTool):  # type: ignore[misc]  # only its own environment has the class
    """A function that the model may call."""

    name = "note"
    description = "Keep a note."
    parameters: dict[str, Any] = {"type": "object", "properties": {}}  # noqa: RUF012  # as the SDK has it

    def __init__(self, does: Callable[[], Any]) -> None:
        super().__init__()
        self._does = does

    def call(self, params: Any, **more: Any) -> Any:
        return self._does()


def agent(computer: Any, callbacks: list[Any], script: Script, tools: Sequence[Any] = ()) -> ComputerAgent:
    model = f"offline/{len(SCRIPTS)}"
    SCRIPTS[model] = [list(step) for step in script]
    return ComputerAgent(
        model=model,
        tools=[computer, *tools],
        callbacks=callbacks,
        telemetry_enabled=False,
        screenshot_delay=0,
        max_retries=0,
    )


def typed(text: str, call: str = "") -> dict[str, Any]:
    """A computer call that runs a command in the container."""
    return {"type": "computer_call", "call_id": call or f"call-{text}", "action": {"type": "type", "text": text}}


def clicked() -> dict[str, Any]:
    """A computer call that raises, which ends the run."""
    return {"type": "computer_call", "call_id": "call-click", "action": {"type": "click", "x": 1, "y": 2}}


def pressed() -> dict[str, Any]:
    """A computer call that fails in a way that the agent is told of."""
    return {"type": "computer_call", "call_id": "call-press", "action": {"type": "keypress", "keys": ["f13"]}}


def called(name: str, arguments: str = "{}") -> dict[str, Any]:
    return {"type": "function_call", "call_id": f"call-{name}", "name": name, "arguments": arguments}


def said(text: str) -> dict[str, Any]:
    return {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}
