"""The real Gemini CLI."""

from __future__ import annotations

import pytest

from support.agents.suite import SessionFileSuite, SlashCommandSuite


@pytest.mark.service("gemini-cli")
class TestGeminiCli(SessionFileSuite, SlashCommandSuite):
    agent = "gemini-cli"
    slash = "/undo"
