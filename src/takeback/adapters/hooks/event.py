"""What an agent says, in takeback's words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple


class Event(NamedTuple):
    """One event of an agent's session."""

    name: str
    """As the agent calls it."""
    trigger: str
    """What it is to moves; empty if nothing is to be saved."""
    session: str
    cwd: str
    prompt: str = ""
    tool: str = ""
    input: Mapping[str, Any] = {}
    key: str = ""
    """What tells parallel calls of tools apart."""
    paths: tuple[str, ...] = ()
    """What the tool says that it writes."""
    transcript: str = ""
    """The file in which the agent keeps the conversation."""
    goes_on: bool = False
    """Whether what began here may still be at work: a command, or commands, in the background."""
    time_ms: int = 0
    """When it happened, if the agent says so: one that does not wait for its hooks may be heard in another order."""
    again: bool = False
    """Whether a turn that is open stays as it is: the agent says this at every step, not once a turn."""
