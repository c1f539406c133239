"""The drivers, by takeback's names of the agents."""

from __future__ import annotations

from support.agents.claude_code import ClaudeCode
from support.agents.codex import Codex
from support.agents.driver import Driver
from support.agents.gemini_cli import GeminiCli
from support.agents.opencode import Opencode

DRIVERS: dict[str, type[Driver]] = {driver.agent: driver for driver in (ClaudeCode, Codex, GeminiCli, Opencode)}
