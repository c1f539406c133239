"""The MCP server on stdio: `Tools`, as the SDK wants them. Importing the SDK takes most of a second, so it is only done
here, when a server starts.

What fails is an answer with ``isError`` that holds the message and the hints, never a traceback. Tools run in threads, so
that nothing blocks the protocol; a call that is cancelled ends what it began, because half a restore is worse than a
whole one. While it serves, the SDK keeps stdout for the protocol alone.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Annotated, Any, get_args

from takeback import __version__
from takeback.adapters.mcp.bounds import readable
from takeback.adapters.mcp.tools import Tools
from takeback.errors import TakebackError, Unavailable

INSTRUCTIONS = """Snapshots of this project's files, kept by takeback, to look back and to take back what went wrong.
`log` lists what was recorded, `diff` and `show` look at it, `save` records the present before something risky,
`plan` tells what an undo or a restore would do. Only files inside the project's root are concerned."""

_LOOK = {"read_only_hint": True, "idempotent_hint": True, "open_world_hint": False}
_ADD = {"read_only_hint": False, "destructive_hint": False, "idempotent_hint": True, "open_world_hint": False}
_TAKE_BACK = {"read_only_hint": False, "destructive_hint": True, "idempotent_hint": False, "open_world_hint": False}
_LOOKING = ("log", "show", "diff", "plan")
_TAKING_BACK = ("undo", "redo", "restore")


def serve(tools: Tools, *, allow_restore: bool) -> None:
    """Serve until stdin ends."""
    sdk = _sdk()
    server = sdk.MCPServer("takeback", instructions=INSTRUCTIONS, version=__version__, log_level="CRITICAL")
    hints = dict.fromkeys(_LOOKING, _LOOK) | {"save": _ADD}
    if allow_restore:
        hints |= dict.fromkeys(_TAKING_BACK, _TAKE_BACK)
    for name, said in hints.items():
        verb = getattr(tools, name)
        server.add_tool(_guarded(sdk, verb), name=name, annotations=sdk.ToolAnnotations(**said))
    server.run("stdio")


def _guarded(sdk: Any, verb: Callable[..., dict[str, Any]]) -> Callable[..., Any]:
    """The same, with what it raises as an answer."""

    @functools.wraps(verb)
    def call(**arguments: Any) -> Any:
        try:
            return verb(**arguments)
        except TakebackError as error:
            return failed(type(error).__name__, error.message, error.hints, error.exit_code)
        except Exception as error:  # the server goes on, whatever happens
            return failed("Bug", f"this is a bug in takeback: {type(error).__name__}: {error}", (), 1)

    def failed(kind: str, message: str, hints: tuple[str, ...], exit_code: int) -> Any:
        said = readable({"kind": kind, "message": message, "hints": list(hints), "exit_code": exit_code})
        text = "\n".join([said["message"], *(f"hint: {hint}" for hint in said["hints"])])
        content = [sdk.TextContent(type="text", text=text)]
        return sdk.CallToolResult(content=content, structured_content={"error": said}, is_error=True)

    call.__signature__ = _described(sdk, inspect.signature(verb, eval_str=True))  # type: ignore[attr-defined]
    return call


def _described(sdk: Any, signature: inspect.Signature) -> inspect.Signature:
    """The same signature, with what is said about each parameter where the SDK looks for it."""
    parameters = [
        each.replace(
            annotation=Annotated[get_args(each.annotation)[0], sdk.Field(description=each.annotation.__metadata__[0])]
        )
        for each in signature.parameters.values()
    ]
    return signature.replace(parameters=parameters)


class _Sdk:
    """What is used of the SDK."""

    def __init__(self) -> None:
        from mcp.server.mcpserver import MCPServer
        from mcp.types import CallToolResult, TextContent, ToolAnnotations
        from pydantic import Field

        self.MCPServer: Any = MCPServer
        self.Field: Any = Field
        self.CallToolResult: Any = CallToolResult
        self.TextContent: Any = TextContent
        self.ToolAnnotations: Any = ToolAnnotations


def _sdk() -> _Sdk:
    try:
        return _Sdk()
    except ImportError:
        raise Unavailable(
            "the MCP server needs the package mcp, which is not installed", hints=["pip install 'takeback[mcp]'"]
        ) from None
