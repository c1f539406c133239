"""What an agent says, in takeback's words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from takeback.engine.processes import Ancestry
    from takeback.sources.clock import Reading


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
    duration_ms: int | None = None
    """How long the command ran, without the time in which a person was asked; None if the agent does not say."""
    call: str = ""
    """What a question about a call, which may have no id, has in common with the call itself."""
    only_named: bool = False
    """Whether the tool changes the paths that it names, and no others."""
    helper: str = ""
    """Which subagent it is about; empty for the agent itself."""
    may_ask: bool = False
    """Whether the agent may have asked a person about this call without telling of it."""
    original: str | None = None
    """What the file held that the tool changed, before it did, if the agent says so."""
    lets_run_on: bool = False
    """Whether the agent may let a command run on when its turn has ended."""
    failed: bool = False
    """Whether the tool says that it failed."""
    follows: bool = False
    """Whether the agent's own hooks may go on with its files, until another event tells that they have ended."""
    calls: tuple[str, ...] = ()
    """The calls that were made together and have ended, by key."""
    ended_call: str = ""
    """The call in the background whose end made the agent give itself this prompt."""
    came: Reading | None = None
    """When the hook was called."""
    ancestry: Ancestry | None = None
    """The hook's process and those above it."""
