"""The real opencode."""

from __future__ import annotations

import pytest

from support.agents.suite import AgentSuite, ShortSuite, SlashCommandSuite

pytestmark = [pytest.mark.service("opencode"), pytest.mark.campaign("agent-opencode")]


class TestOpencode(ShortSuite):
    agent = "opencode"
    slash = "/takeback-undo"  # /undo is its own
    keeps_conversation = False


@pytest.mark.soak
class TestOpencodeWhole(AgentSuite, SlashCommandSuite):
    agent = "opencode"
    slash = "/takeback-undo"
