"""The real Claude Code."""

from __future__ import annotations

import pytest

from support.agents.suite import SessionFileSuite


@pytest.mark.service("claude-code")
class TestClaudeCode(SessionFileSuite):
    agent = "claude-code"
