"""Where takeback is installed, for people and for `takeback doctor`."""

from __future__ import annotations

import json
import os
import re
import shlex
from typing import NamedTuple

from takeback.adapters.hooks.agents import AGENTS as AGENT_EVENTS
from takeback.adapters.install import files
from takeback.adapters.install.agent import Agent, ours
from takeback.adapters.install.agents import AGENTS
from takeback.adapters.install.agents.docker_agent import IN_FILE, agent_files
from takeback.adapters.install.formats import format_named
from takeback.errors import TakebackError
from takeback.locate import Agents


class Installed(NamedTuple):
    """Hooks of takeback's in one configuration."""

    agent: str
    scope: str
    file: str
    command: str
    """What the hooks run; of several, the first."""
    interpreter: str
    runs: bool
    """Whether that interpreter is there to be run."""
    problem: str = ""
    """Why the file cannot be read, in which case nothing else is known."""
    lacks: tuple[str, ...] = ()
    """Events of which it does not tell, because an earlier version installed it."""


def found(where: Agents) -> list[Installed]:
    """Everywhere that takeback is installed: in the user's and the project's configuration of every agent."""
    places = [
        (agent, scope, template.format_map(where._asdict()))
        for agent in AGENTS.values()
        for scope, template in agent.files.items()
    ]
    places += [(IN_FILE, "project", path) for path in agent_files(where.project)]
    there: dict[tuple[str, str], Installed] = {}
    for agent, scope, path in places:
        installed = look(agent, scope, path)
        if installed is not None:
            there.setdefault((agent.name, os.path.realpath(path)), installed)
    return list(there.values())


def look(agent: Agent, scope: str, path: str) -> Installed | None:
    """What one file holds of ours."""
    try:
        file = files.read(path)
        if file.data is None or (agent.format.startswith("yaml") and not ours(agent.name).search(files.text_of(file))):
            return None  # nothing that is worth a parser
        text = files.text_of(file)
        command = _plugin_command(agent, text) if agent.format == "whole" else _first_command(agent, text)
        lacks = _lacks(agent, text) if command else ()
    except TakebackError as error:
        return Installed(agent.name, scope, path, "", "", False, error.message)
    if not command:
        return None
    try:
        interpreter = shlex.split(command)[0]
    except (ValueError, IndexError):
        interpreter = command.partition(" ")[0]
    return Installed(agent.name, scope, path, command, interpreter, os.access(interpreter, os.X_OK), lacks=lacks)


def _lacks(agent: Agent, text: str) -> tuple[str, ...]:
    """The events that a whole installation tells of, and this one does not."""
    if agent.format == "whole":
        return tuple(event for event in AGENT_EVENTS[agent.name].events if f'"{event}"' not in text)
    told = {each.entry.event for each in format_named(agent.format).find(text, ours(agent.name))}
    return tuple(on.event for on in agent.events if on.event not in told)


def _first_command(agent: Agent, text: str) -> str:
    entries = format_named(agent.format).find(text, ours(agent.name))
    return entries[0].entry.command if entries else ""


def _plugin_command(agent: Agent, text: str) -> str:
    for line in text.splitlines():
        if ours(agent.name).search(line) and (found := re.search(r'"(?:[^"\\]|\\.)*"', line)):
            return str(json.loads(found[0]))
    return ""
