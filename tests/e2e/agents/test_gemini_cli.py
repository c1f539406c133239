"""The real Gemini CLI."""

from __future__ import annotations

import pytest

from support.agents.suite import AgentSuite, SessionFileSuite, ShortSuite, SlashCommandSuite

pytestmark = [pytest.mark.service("gemini-cli"), pytest.mark.campaign("agent-gemini")]


class TestGeminiCli(ShortSuite):
    agent = "gemini-cli"
    slash = "/undo"


@pytest.mark.soak
class TestGeminiCliWhole(AgentSuite, SessionFileSuite, SlashCommandSuite):
    agent = "gemini-cli"
    slash = "/undo"
