"""Whose change it is, where an agent tells of its tools."""

from __future__ import annotations

from pathlib import Path

import pytest

import takeback as tb
from support.hooks.told import Told
from takeback.adapters.hooks.agents import AGENTS
from takeback.adapters.hooks.reading import read


@pytest.fixture
def told(tmp_path: Path) -> Told:
    root = tmp_path / "project"
    root.mkdir()
    return Told(root)


def test_a_turn_without_a_writing_tool_owns_nothing(told: Told) -> None:
    told("UserPromptSubmit", prompt="explain this code")
    (told.root / "b").write_text("a person's")
    told("Stop")
    assert [move for move in told.line.log().moves if move.level == "turn"] == []
    with pytest.raises(tb.NotFound):
        told.line.undo()
    assert (told.root / "b").exists()


def test_an_idle_turn_after_another_owns_nothing(told: Told) -> None:
    told("UserPromptSubmit", prompt="write")
    told.write("a", "1", "t1")
    told("Stop")
    told("UserPromptSubmit", prompt="think")
    (told.root / "b").write_text("a person's")
    told("Stop")
    assert [move.title for move in told.line.log().moves if move.level == "turn"] == ["write"]
    told.line.undo()
    assert not (told.root / "a").exists()
    assert (told.root / "b").exists()


def test_what_an_agent_does_after_its_stop_is_a_turn_of_its_own(told: Told) -> None:
    told("UserPromptSubmit", prompt="write")
    told.write("a", "1", "t1")
    told("Stop")
    told.write("a", "2", "t2")
    told("Stop")
    told.line.undo()
    assert (told.root / "a").read_text() == "1"


def test_a_session_that_was_killed_in_its_turn_has_ended_it_when_it_begins_again(told: Told) -> None:
    told("UserPromptSubmit", prompt="write")
    told.write("a", "1", "t1")
    told("SessionStart", source="resume")
    assert all(not move.open for move in told.line.log().moves)


def test_a_turn_goes_on_through_a_compaction(told: Told) -> None:
    told("UserPromptSubmit", prompt="write")
    told.write("a", "1", "t1")
    assert (
        read(AGENTS["claude-code"], {"session_id": "s", "hook_event_name": "SessionStart", "source": "compact"}) is None
    )
    told.write("a", "2", "t2")
    told("Stop")
    told.line.undo()
    assert not (told.root / "a").exists()


def test_what_changes_while_a_command_may_run_in_the_background_is_left_and_said(told: Told) -> None:
    call = {"tool_name": "Bash", "tool_input": {"command": "sleep 9 && touch b", "run_in_background": True}}
    told("UserPromptSubmit", prompt="serve")
    told("PreToolUse", **call, tool_use_id="t1")
    told("PostToolUse", **call, tool_use_id="t1")
    told.write("a", "1", "t2")
    (told.root / "b").write_text("from the background")
    told("Stop", background_tasks=[{"id": "1"}])
    (told.root / "c").write_text("later, but before the next prompt")
    told("UserPromptSubmit", prompt="next")
    report = told.line.undo()
    assert sorted(path.name for path in told.root.iterdir()) == ["b", "c"]
    assert [(each.command, each.paths) for each in report.undecided] == [("Bash: sleep 9 && touch b", ("b", "c"))]
    told.line.undo(report.moves[0], shared=True)
    assert sorted(path.name for path in told.root.iterdir()) == []


def test_what_looks_like_a_secret_is_not_recorded_of_a_call(told: Told) -> None:
    secret = "hunter2-hunter2-hunter2"
    command = f"curl -u me:{secret} -H 'Authorization: Bearer {secret}' -d x https://example.org && touch a"
    call = {"tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": "t1"}
    told("UserPromptSubmit", prompt="send it")
    told("PreToolUse", **call)
    (told.root / "a").write_text("1")
    told("PostToolUse", **call)
    told("Stop")
    written = {"tool_name": "Write", "tool_input": {"file_path": str(told.root / "env"), "content": secret}}
    told("UserPromptSubmit", prompt="write it")
    told("PreToolUse", **written, tool_use_id="t2")
    (told.root / "env").write_text("x")
    told("PostToolUse", **written, tool_use_id="t2")
    told("Stop")
    moves = told.line.log().moves
    assert len(moves) == 4
    assert secret not in repr(moves)
    assert any("curl" in move.title for move in moves)
