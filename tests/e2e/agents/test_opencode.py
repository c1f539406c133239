"""The real opencode."""

from __future__ import annotations

import pytest

from support.agents.suite import SlashCommandSuite


@pytest.mark.service("opencode")
class TestOpencode(SlashCommandSuite):
    agent = "opencode"
    slash = "/takeback-undo"  # /undo is its own
