"""The real opencode."""

from __future__ import annotations

import pytest

from support.agents.suite import AgentSuite


@pytest.mark.service("opencode")
class TestOpencode(AgentSuite):
    agent = "opencode"
