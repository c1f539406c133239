"""The real Codex, which starts fastest of all agents: `make test` runs the whole suite with it."""

from __future__ import annotations

import json

import pytest

from support.agents.driver import Turn
from support.agents.scene import Scene
from support.agents.screen import CodexScreen
from support.agents.suite import AgentSuite, ScreenSuite, SessionFileSuite


def complaints(turn: Turn) -> list[str]:
    events = [json.loads(line) for line in turn.out.splitlines()]
    return [event["item"]["message"] for event in events if event.get("item", {}).get("type") == "error"]


@pytest.mark.service("codex")
@pytest.mark.campaign("agent-codex")
class TestCodex(AgentSuite, SessionFileSuite, ScreenSuite):
    agent = "codex"
    screen = CodexScreen

    def test_takebacks_hooks_are_nothing_that_it_complains_of(self, scene: Scene) -> None:
        before = complaints(scene.session().turn("without"))
        scene.install()
        assert complaints(scene.session().turn("with")) == before
