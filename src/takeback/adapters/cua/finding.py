"""Which container an agent works in.

The agent SDK tells a callback neither its agent nor its computer when a run begins. But it calls the callback, so the agent
is found where `warnings` would look: in the frames of whoever called. One counts only if the callback is among its own.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from typing import Any

_DEEP = 24
"""So many callers up an agent is looked for."""


def running_agent(callback: object) -> Any:
    """The agent that is calling a callback just now; None if there is none on the stack."""
    frame = sys._getframe(1)
    for _ in range(_DEEP):
        above = frame.f_back
        if above is None:
            return None
        frame = above
        caller = frame.f_locals.get("self")
        known = getattr(caller, "callbacks", None)
        if isinstance(known, list) and any(each is callback for each in known) and hasattr(caller, "tools"):
            return caller
    return None


def container_in(kwargs: Mapping[str, Any]) -> str | None:
    """The container that the arguments of a run name, themselves or by a computer among the tools."""
    given = kwargs.get("container_id")
    if isinstance(given, str) and given:
        return given
    config = kwargs.get("config")
    if isinstance(config, Mapping) and isinstance(config.get("container_id"), str):
        return str(config["container_id"])
    tools = kwargs.get("tools")
    found = container_of(tools if isinstance(tools, list | tuple) else ())
    return found or _of(kwargs.get("computer_handler"))


def container_of(tools: Iterable[Any]) -> str | None:
    """The container of the first computer among an agent's tools."""
    for tool in tools:
        inner = tool.get("computer") if isinstance(tool, dict) and tool.get("type") == "computer" else tool
        if found := _of(inner):
            return found
    return None


def _of(computer: Any) -> str | None:
    """A computer's container: it has the name that its configuration has."""
    for holder in (computer, getattr(computer, "cua_computer", None), getattr(computer, "computer", None)):
        for name in (
            getattr(holder, "container_id", None),
            getattr(getattr(holder, "config", None), "name", None),
            getattr(holder, "name", None) if type(holder).__name__ in ("Sandbox", "Computer") else None,
        ):
            if isinstance(name, str) and name:
                return name
    return None
