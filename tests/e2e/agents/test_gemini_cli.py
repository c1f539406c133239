"""The real Gemini CLI."""

from __future__ import annotations

import pytest

from support.agents.suite import SessionFileSuite


@pytest.mark.service("gemini-cli")
class TestGeminiCli(SessionFileSuite):
    agent = "gemini-cli"
