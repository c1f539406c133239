"""What a model that is not there says: steps in words that no agent knows, one for each time the agent asks it.

A driver puts the calls into the words of its agent, `wire` the answers into the bytes of its protocol.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Say:
    """Text, which ends the turn."""

    text: str


@dataclass(frozen=True)
class Shell:
    command: str


@dataclass(frozen=True)
class Write:
    """A file's whole content, by the agent's own tool."""

    path: str
    text: str


@dataclass(frozen=True)
class Edit:
    path: str
    old: str
    new: str


@dataclass(frozen=True)
class Subagent:
    """Another agent with a conversation of its own, started and waited for by the first."""

    task: str
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class Together:
    """Several calls in one answer."""

    actions: tuple[Shell | Write, ...]


@dataclass(frozen=True)
class Fail:
    """The service answers with an error that no agent tries again."""

    status: int = 400


@dataclass(frozen=True)
class Hold:
    """No answer until `release`; `reached` is set when the agent is waiting for it."""

    reached: threading.Event = field(default_factory=threading.Event)
    release: threading.Event = field(default_factory=threading.Event)


@dataclass(frozen=True)
class Call:
    """A call in the agent's own words."""

    tool: str
    arguments: dict[str, object] | str
    """A string for a tool that takes free text."""


@dataclass(frozen=True)
class Calls:
    """One answer of the model, in the agent's own words."""

    calls: tuple[Call, ...]
    aside: tuple[Answer, ...] = ()
    """What the subagent that it starts will be answered with, where that one works beside the first."""


@dataclass(frozen=True)
class Reply:
    """Calls that depend on what the agent has told, such as the id of a subagent."""

    to: Callable[[Any], Calls]


Step = Say | Shell | Write | Edit | Subagent | Together | Fail | Hold | Calls
Answer = Say | Calls | Reply | Fail | Hold
"""What goes over the wire."""


def say(text: str) -> Say:
    return Say(text)


def shell(command: str) -> Shell:
    return Shell(command)


def write(path: str, text: str) -> Write:
    return Write(path, text)


def edit(path: str, old: str, new: str) -> Edit:
    return Edit(path, old, new)


def subagent(task: str, *steps: Step) -> Subagent:
    return Subagent(task, ended(steps))


def together(*actions: Shell | Write) -> Together:
    return Together(actions)


def fail(status: int = 400) -> Fail:
    return Fail(status)


def call(tool: str, **arguments: object) -> Calls:
    """A call that only this agent knows."""
    return Calls((Call(tool, arguments),))


def ended(steps: Sequence[Step]) -> tuple[Step, ...]:
    """The steps with a last word, which every turn needs."""
    return tuple(steps) if steps and isinstance(steps[-1], (Say, Fail, Hold)) else (*steps, Say("Done."))
