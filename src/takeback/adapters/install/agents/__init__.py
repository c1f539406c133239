"""The agents that takeback can be installed into, one file each."""

from __future__ import annotations

from collections.abc import Mapping

from takeback.adapters.install.agent import Agent
from takeback.adapters.install.agents.claude_code import CLAUDE_CODE
from takeback.adapters.install.agents.codex import CODEX
from takeback.adapters.install.agents.gemini_cli import GEMINI_CLI
from takeback.adapters.install.agents.opencode import OPENCODE
from takeback.errors import InvalidInput

AGENTS: Mapping[str, Agent] = {each.name: each for each in (CLAUDE_CODE, CODEX, GEMINI_CLI, OPENCODE)}


def by_name(name: str) -> Agent:
    if name not in AGENTS:
        raise InvalidInput(
            f"{name!r} is none of the agents that hooks can be installed into",
            hints=[f"agents are: {', '.join(AGENTS)}"],
        )
    return AGENTS[name]
