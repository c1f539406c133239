"""An agent of the OpenAI Agents SDK that works on files: its session is a part of the same snapshots.

    pip install 'takeback[openai-agents]'
    python openai_agents_files.py [DIRECTORY]

The model is a stand-in that needs no network and no key. With a DIRECTORY, all that it makes stays there to be looked at.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from agents import Agent, Model, ModelResponse, Runner, Usage, function_tool, set_tracing_disabled
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

import takeback as tb
from takeback.adapters.openai_agents import TakebackSession


class StandIn(Model):
    """Calls the tool that fits what was asked, then says what it has been asked so far. Put your model in its place."""

    async def get_response(self, system_instructions: Any, input: Any, *args: Any, **kwargs: Any) -> ModelResponse:
        items = [{"role": "user", "content": input}] if isinstance(input, str) else input
        asked = [str(item["content"]) for item in items if item.get("role") == "user"]
        if items[-1].get("role") == "user" and asked[-1].startswith("write "):
            return self._call("write_file", name=asked[-1].split()[1], text="an old pond\n")
        if items[-1].get("role") == "user" and asked[-1] == "tidy up":
            return self._call("delete_everything")
        text = ResponseOutputText(text=f"you asked me to: {'; '.join(asked)}", type="output_text", annotations=[])
        return self._answer(
            ResponseOutputMessage(id="m", content=[text], role="assistant", status="completed", type="message")
        )

    def _call(self, tool: str, **arguments: str) -> ModelResponse:
        said = json.dumps(arguments)
        return self._answer(
            ResponseFunctionToolCall(call_id=f"call-{tool}", name=tool, arguments=said, type="function_call")
        )

    def _answer(self, output: Any) -> ModelResponse:
        return ModelResponse(output=[output], usage=Usage(), response_id=None)

    def stream_response(self, *args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        raise NotImplementedError("this example does not stream")


async def main(place: Path) -> None:
    project = place / "project"
    project.mkdir(parents=True)

    @function_tool
    def write_file(name: str, text: str) -> str:
        """Write a file."""
        (project / name).write_text(text)
        return f"wrote {name}"

    @function_tool
    def delete_everything() -> str:
        """Delete every file."""
        for file in project.iterdir():
            file.unlink()
        return "everything is gone"

    agent = Agent(name="coder", model=StandIn(), tools=[write_file, delete_everything])
    with tb.open(place / "store") as store:
        line = store.timeline(sources=[tb.Workspace(project)])
        session = TakebackSession("chat-7", line)

        async def ask(text: str) -> None:
            async with line.turn(text):
                result = await Runner.run(agent, text, session=session)
            files = ", ".join(each.name for each in project.iterdir()) or "none"
            print(f"{text}\n  agent    {result.final_output}\n  files    {files}")

        await ask("write poem.txt")
        await ask("tidy up")

        report = await line.aio.undo()  # the files, and what the agent remembers
        print(f"undo of “{report.title}”: {', '.join(report.changed)}, read back: {report.verified}")
        await ask("what have I asked you?")


if __name__ == "__main__":
    set_tracing_disabled(True)
    with tempfile.TemporaryDirectory() as temporary:
        asyncio.run(main(Path(sys.argv[1] if sys.argv[1:] else temporary).resolve()))
