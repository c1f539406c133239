"""A real MCP client against the real server, `takeback mcp` in a process of its own."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
from mcp.client.session import ClientSession
from mcp.client.stdio import StdioServerParameters, stdio_client


class Client:
    """Calls tools; what comes back is checked to be what MCP wants."""

    def __init__(self, session: ClientSession) -> None:
        self.session = session

    async def __call__(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """A tool's structured answer; it must not be an error."""
        result = await self.session.call_tool(tool, arguments)
        assert not result.is_error, result.content
        answer: dict[str, Any] = result.structured_content or {}
        return answer

    async def error(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The error of a call that fails."""
        result = await self.session.call_tool(tool, arguments)
        assert result.is_error, result
        (content,) = result.content
        assert content.type == "text"
        assert "Traceback" not in content.text
        if result.structured_content is None:  # the SDK's own, about arguments
            return {"kind": "Arguments", "message": content.text, "hints": []}
        error: dict[str, Any] = result.structured_content["error"]
        assert content.text.startswith(error["message"])
        return error


@asynccontextmanager
async def connected(root: Path, *options: str) -> AsyncIterator[Client]:
    parameters = StdioServerParameters(
        command=sys.executable,
        args=["-P", "-m", "takeback", "mcp", *options],
        cwd=str(root),
        env={**os.environ},
    )
    with open(os.devnull, "w") as errors:
        async with stdio_client(parameters, errlog=errors) as (read, write):
            async with ClientSession(read, write) as session:
                await session.initialize()
                yield Client(session)


def with_client(root: Path, work: Callable[[Client], Awaitable[None]], *options: str) -> None:
    """Do some work with a client of a server of its own."""

    async def main() -> None:
        async with connected(root, *options) as client:
            await work(client)

    anyio.run(main)
