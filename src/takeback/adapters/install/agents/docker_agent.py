"""docker-agent: hooks in the user's settings, or in a file of agents that is named or found. Times are seconds.

It refuses a file with keys that it does not know, and a tool call whose hook before it fails: an interpreter that is gone
stops the agent. Its turn is one call of the model, so what a person asks for is heard from another event, too.
"""

from __future__ import annotations

import os
import re

from takeback.adapters.hooks.agents import AGENTS
from takeback.adapters.install import files
from takeback.adapters.install.agent import Agent, On
from takeback.errors import InvalidInput, TakebackError

_AGENTS = re.compile(rb"^agents[ \t]*:", re.MULTILINE)

DOCKER_AGENT = Agent(
    name="docker-agent",
    title="docker-agent",
    files=AGENTS["docker-agent"].files,
    no_scope=" that is not shared",
    format="yamlsettings",
    events=(
        On("session_start"),
        On("user_prompt_submit"),
        On("turn_start"),
        On("pre_tool_use", tools=True, timeout=60),
        On("post_tool_use", tools=True, timeout=60),
        On("turn_end", timeout=60),
        On("session_end"),
    ),
    tools="*",  # those of MCP servers and scripts have any name; what only reads is told apart by the hook
    next=(
        "your settings are read by docker-agent 1.97 and later; for an older one, name its file: "
        "`takeback install docker-agent FILE`",
        "if this Python goes away, docker-agent stops at every tool that writes: uninstall first",
    ),
)


IN_FILE = DOCKER_AGENT._replace(format="yamlagents", next=DOCKER_AGENT.next[1:])
"""The same in a file of agents."""


def agents_file(root: str, file: str | None) -> str:
    """A file of agents: the one that is named, else the only one in the project."""
    if file is not None:
        if files.read(file).data is None:
            raise InvalidInput(
                f"there is no file {file}", hints=["name the YAML file that `docker agent run` is given"]
            )
        return file
    found = agent_files(root)
    if len(found) != 1:
        number = "several files" if found else "no file"
        raise InvalidInput(
            f"there is {number} of agents in {root}: {', '.join(map(os.path.basename, found)) or 'none has `agents:`'}",
            hints=["name it: `takeback install docker-agent FILE`"],
        )
    return found[0]


def agent_files(root: str) -> list[str]:
    """The files in a directory that declare agents for docker-agent."""
    try:
        names = sorted(name for name in os.listdir(root) if name.endswith((".yaml", ".yml")))
    except OSError:
        return []
    found = []
    for path in (os.path.join(root, name) for name in names):
        try:
            data = files.read(path).data
        except TakebackError:
            continue
        if data is not None and _AGENTS.search(data):
            found.append(path)
    return found
