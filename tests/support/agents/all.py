"""The drivers, by takeback's names of the agents, and parameters of tests that are about several agents."""

from __future__ import annotations

from typing import Any

import pytest

from support.agents.claude_code import ClaudeCode
from support.agents.codex import Codex
from support.agents.driver import Driver
from support.agents.gemini_cli import GeminiCli
from support.agents.opencode import Opencode

DRIVERS: dict[str, type[Driver]] = {driver.agent: driver for driver in (ClaudeCode, Codex, GeminiCli, Opencode)}

CAMPAIGNS = {
    "claude-code": "agent-claude",
    "codex": "agent-codex",
    "gemini-cli": "agent-gemini",
    "opencode": "agent-opencode",
}
"""Campaigns that run every test of an agent."""


def for_agent(agent: str, *more: object, soak: bool = False) -> Any:
    """A parameter: the agent, then ``more``; ``soak`` leaves it to `make soak`."""
    marks = [pytest.mark.service(agent), pytest.mark.campaign(CAMPAIGNS[agent])]
    return pytest.param(agent, *more, marks=[*marks, pytest.mark.soak] if soak else marks)
