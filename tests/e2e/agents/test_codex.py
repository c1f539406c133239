"""The real Codex."""

from __future__ import annotations

import pytest

from support.agents.suite import SessionFileSuite


@pytest.mark.service("codex")
class TestCodex(SessionFileSuite):
    agent = "codex"
