"""A computer-use agent (CUA) in a container: the container and the agent's messages on one timeline, one undo for both.

    pip install 'takeback[cua]'
    python cua_container.py [DIRECTORY]

Needs Docker, and makes a container of `busybox` that has no network; it is removed in the end. The model is a stand-in that
needs no key. With a DIRECTORY, the store stays there to be looked at.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

# Before the agent is imported: nothing asks the network, or speaks of it.
os.environ.update(CUA_TELEMETRY_ENABLED="false", LITELLM_LOCAL_MODEL_COST_MAP="True", LITELLM_LOG="ERROR")

import docker
from cua_agent import ComputerAgent
from cua_agent.decorators import register_agent

import takeback as tb

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgAAAAAgAB4iG8MwAAAABJRU5ErkJggg=="


@register_agent(models=r"^stand-in$", priority=1000)
class StandIn:
    """Types what was asked into the computer, then says what it has been asked so far. Name your model in its place."""

    async def predict_step(self, messages: list[Any], model: str, **more: Any) -> dict[str, Any]:
        asked = [str(each["content"]) for each in messages if each.get("role") == "user"]
        if messages[-1].get("role") == "user" and asked[-1].startswith("type: "):
            action = {"type": "type", "text": asked[-1].removeprefix("type: ")}
            return {"output": [{"type": "computer_call", "call_id": f"call-{len(messages)}", "action": action}]}
        said = [{"type": "output_text", "text": f"you asked me to {'; '.join(asked)}"}]
        return {"output": [{"type": "message", "role": "assistant", "content": said}]}

    async def predict_click(self, *args: Any, **more: Any) -> None:
        return None

    def get_capabilities(self) -> list[str]:
        return ["step"]


NAME = f"takeback-example-{os.getpid()}"


def typed(text: str) -> str:
    """What a shell in the container says. It is asked for by its name: an undo makes a new container of it."""
    return str(docker.from_env().containers.get(NAME).exec_run(["sh", "-c", text]).output.decode().strip())


async def main(place: Path) -> None:
    messages: list[Any] = []  # all that the agent remembers
    computer = {"screenshot": lambda: PIXEL, "type": typed}
    agent = ComputerAgent(model="stand-in", tools=[computer], telemetry_enabled=False, screenshot_delay=0)

    with tb.open(place / "store") as store:
        line = store.timeline("desk", sources=[tb.Container(NAME), tb.State("memory", messages)])

        async def ask(text: str) -> None:
            async with line.turn(text):
                messages.append({"role": "user", "content": text})
                async for result in agent.run(messages):
                    messages.extend(result["output"])
            tell(text)

        def tell(when: str) -> None:
            last = messages[-1]["content"][0]["text"]
            print(f"{when}\n  agent    {last}\n  memory   {len(messages)} messages\n  desk     {typed('tail /root/*')}")

        await ask("type: echo 'quarterly report' > /root/report.txt")
        await ask("type: rm -r /root/*; echo oops > /root/junk")

        report = await line.aio.undo()  # the container's files, and what the agent remembers
        tell(f"undo: {', '.join(report.changed)}, read back: {report.verified}")
        await ask("what have I asked you?")


if __name__ == "__main__":
    docker.from_env().containers.run("busybox", "sleep 3600", name=NAME, network_mode="none", init=True, detach=True)
    try:
        with tempfile.TemporaryDirectory() as temporary:
            asyncio.run(main(Path(sys.argv[1] if sys.argv[1:] else temporary).resolve()))
    finally:
        docker.from_env().containers.get(NAME).remove(force=True)
