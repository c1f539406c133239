"""The real Claude Code."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.agents.claude_code import ClaudeCode
from support.agents.claude_code_screen import ClaudeCodeScreen
from support.agents.gate import Gate
from support.agents.scene import Scene
from support.agents.script import Hold, say, shell, write
from support.agents.suite import SessionFileSuite, SlashCommandSuite


@pytest.mark.service("claude-code")
class TestClaudeCode(SessionFileSuite, SlashCommandSuite):
    agent = "claude-code"
    slash = "/undo"

    def test_turns_that_were_interrupted_with_esc_can_be_taken_back(self, scene: Scene, tmp_path: Path) -> None:
        scene.install()
        driver = scene.session()
        assert isinstance(driver, ClaudeCode)
        states = [scene.look()]
        gate, hold = Gate(tmp_path / "gate"), Hold()
        with ClaudeCodeScreen(driver) as screen:
            screen.prompt("first", shell(f"echo half > half.txt; {gate.command}"))
            screen.terminal.wait_until(gate.reached)
            screen.interrupt()  # in the middle of a command: neither its end nor the turn's is told
            gate.open()
            states.append(scene.look())
            screen.prompt("second", write("second.txt", "2\n"), hold)
            screen.terminal.wait_until(hold.reached.is_set)
            screen.interrupt()  # while the model thinks: the turn's end is not told
            hold.release.set()
            states.append(scene.look())
            (scene.project / "mine.txt").write_text("a person's\n")
            screen.prompt("third", shell("echo 3 > third.txt"), say("Finished!"))
            screen.answered("Finished!")
            assert screen.quit() == 0
        assert scene.turns() == ["first", "second", "third"]
        for state in reversed(states):
            scene.undo()
            assert {path: node for path, node in scene.look().items() if path != "mine.txt"} == state
        assert (scene.project / "mine.txt").read_text() == "a person's\n"

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
