"""The agents that takeback can be installed into, one file each."""

from __future__ import annotations

from collections.abc import Mapping

from takeback.adapters.install.agent import Agent
from takeback.adapters.install.agents.claude_code import CLAUDE_CODE
from takeback.adapters.install.agents.codex import CODEX
from takeback.adapters.install.agents.docker_agent import DOCKER_AGENT, IN_FILE, agents_file
from takeback.adapters.install.agents.gemini_cli import GEMINI_CLI
from takeback.adapters.install.agents.opencode import OPENCODE
from takeback.errors import InvalidInput
from takeback.locate import Agents

AGENTS: Mapping[str, Agent] = {each.name: each for each in (CLAUDE_CODE, CODEX, GEMINI_CLI, DOCKER_AGENT, OPENCODE)}


def choose(name: str, scope: str, where: Agents, file: str | None = None) -> tuple[Agent, str, str | None]:
    """An agent by its name, with the scope and, where it is not the agent's usual one, the file to install into."""
    agent = by_name(name)
    if agent is DOCKER_AGENT and (file is not None or scope == "project"):
        return IN_FILE, "project", agents_file(where.project, file)
    if file is not None:
        raise InvalidInput(f"{agent.title} has files of its own, and cannot be given one", hints=["leave FILE out"])
    return agent, scope, None


def by_name(name: str) -> Agent:
    if name not in AGENTS:
        raise InvalidInput(
            f"{name!r} is none of the agents that hooks can be installed into",
            hints=[f"agents are: {', '.join(AGENTS)}"],
        )
    return AGENTS[name]
