"""What install knows about an agent: which files, which events, which tools. The agents themselves are data, in `agents`."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from takeback.adapters.install.formats.text import Span

SCOPES = ("user", "project", "local")
VERB = "hook"
"""The command of takeback's that agents call."""
Ours = re.Pattern[str]
Key = tuple[str, ...]
"""Where something stands in a document: the keys that lead to it."""


class Entry(NamedTuple):
    """One hook: on this event, for tools that match, run this command, within this time."""

    event: str
    command: str
    matcher: str | None = None
    timeout: int | None = None


class Found(NamedTuple):
    """An entry of ours that stands in a configuration."""

    entry: Entry
    alone: bool = True
    """Whether its group holds nothing else."""


class Edited(NamedTuple):
    """A text with our entries: where our bytes are, and which containers were made for them."""

    text: str
    spans: tuple[Span, ...]
    made: tuple[Key, ...] = ()


class Stripped(NamedTuple):
    """A text without our entries; ``empty`` if it says nothing else."""

    text: str
    empty: bool


class On(NamedTuple):
    """One event that takeback wants to hear of."""

    event: str
    tools: bool = False
    """Whether it is about a tool, so that only those that can write are of interest."""
    timeout: int = 30
    """In the agent's own unit."""


class Slash(NamedTuple):
    """A command that a person can give inside the agent; the file's text, with ``{takeback}`` for how it is called."""

    name: str
    text: str


class Agent(NamedTuple):
    """One agent. Paths begin with a name of `takeback.locate.Agents`, such as ``{claude_code}/settings.json``."""

    name: str
    title: str
    files: Mapping[str, str]
    """The file of each scope that the agent has."""
    format: str
    """A module of `formats`: ``jsonhooks``, ``yamlhooks``; or ``whole`` for a file that is ours alone."""
    reads: frozenset[str] = frozenset()
    """What it takes that is not JSON to the letter: of `jsonhooks.oddities`."""
    events: tuple[On, ...] = ()
    tools: str | None = None
    """A pattern of the tools that may write; None for all of them."""
    beside: str = ""
    """A TOML file beside its file, in which it takes hooks, too, but not gladly."""
    whole: str = ""
    """The text of a file that is ours alone, with ``{takeback}`` for how it is called, inside a string."""
    slashes: Mapping[str, str] = {}
    """Where the files of slash commands go, of each scope, with ``{name}`` for the command's name."""
    commands: tuple[Slash, ...] = ()
    taken: tuple[str, ...] = ()
    """Names of slash commands that the agent has itself."""
    no_scope: str = ""
    """Why a scope is missing."""
    next: tuple[str, ...] = ()
    """What a person should know or do after installing."""


def program(interpreter: str) -> str:
    """How takeback is called, from any environment and any directory."""
    return f"{shlex.quote(interpreter)} -P -m takeback"


def command(agent: str, interpreter: str) -> str:
    return f"{program(interpreter)} {VERB} {agent}"


def ours(agent: str) -> Ours:
    """What a command of ours is known by, whichever interpreter it names."""
    return re.compile(rf" -m takeback {VERB} {re.escape(agent)}(?![\w-])")


def entries(agent: Agent, interpreter: str) -> tuple[Entry, ...]:
    """The hooks that an agent's configuration should hold."""
    run = command(agent.name, interpreter)
    return tuple(Entry(on.event, run, agent.tools if on.tools else None, on.timeout) for on in agent.events)


def all_but(names: Iterable[str]) -> str:
    """A pattern, in JavaScript's words, of every tool but some: one that nobody knows yet may write."""
    return f"^(?!({'|'.join(sorted(names))})$)"
