"""The real Claude Code."""

from __future__ import annotations

import json

import pytest

from support.agents.scene import Scene
from support.agents.screen import ClaudeCodeScreen
from support.agents.script import write
from support.agents.suite import AgentSuite, ScreenSuite, SessionFileSuite, ShortSuite, SlashCommandSuite

pytestmark = [pytest.mark.service("claude-code"), pytest.mark.campaign("agent-claude")]


class TestClaudeCode(ShortSuite, ScreenSuite):
    agent = "claude-code"
    screen = ClaudeCodeScreen
    slash = "/undo"

    def test_its_own_files_stay_as_it_writes_them(self, scene: Scene) -> None:
        scene.install()
        session = scene.session()
        settings = (scene.home / ".claude" / "settings.json").read_bytes()
        session.turn("write a file", write("new.txt", "new\n"))
        scene.undo()
        session.turn("and now?")
        assert (scene.home / ".claude" / "settings.json").read_bytes() == settings
        json.loads((scene.home / ".claude.json").read_bytes())
        (transcript,) = (scene.home / ".claude" / "projects").glob(f"*/{session.session}.jsonl")
        lines = [json.loads(line) for line in transcript.read_text().splitlines()]
        said = [line["message"]["content"] for line in lines if line.get("type") == "user"]
        assert {"write a file", "and now?"} <= {text for text in said if isinstance(text, str)}


@pytest.mark.soak
class TestClaudeCodeWhole(AgentSuite, SessionFileSuite, SlashCommandSuite):
    agent = "claude-code"
    slash = "/undo"
