"""What the agents' events prove about a person at the terminal, in the recorded streams: evidence is built on it.

When a stream is recorded again from a newer agent and one of these fails, the agent's events mean something else now.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

STREAMS = Path(__file__).with_name("streams")
ENDS = ("PostToolUse", "PostToolUseFailure", "AfterTool")


def stream(name: str) -> list[tuple[str, dict[str, Any]]]:
    """Names of the events, and ``person`` for what the person did, in order."""
    lines = [json.loads(line) for line in (STREAMS / f"{name}.jsonl").read_text().splitlines()]
    return [
        (line["event"]["hook_event_name"], line["event"]) if "event" in line else ("person", line) for line in lines
    ]


def turn(name: str, prompt: str) -> list[tuple[str, dict[str, Any]]]:
    """From a prompt to the one before the next prompt."""
    told = stream(name)
    places = [place for place, (_, what) in enumerate(told) if "prompt" in what and "prompt_response" not in what]
    (begin,) = (place for place in places if told[place][1]["prompt"] == prompt)
    return told[begin : min([place for place in places if place > begin], default=len(told))]


def names(lines: list[tuple[str, dict[str, Any]]]) -> list[str]:
    left_out = ("PreModelRequest", "PreCompress", "SessionEnd", "PostToolBatch")
    return [name for name, _ in lines if name not in left_out]


def of_calls(lines: list[tuple[str, dict[str, Any]]], *events: str) -> list[str]:
    return [what["tool_use_id"] for name, what in lines if name in events]


def background(what: dict[str, Any]) -> list[str]:
    return [task["id"] for task in what["background_tasks"]]


@pytest.mark.parametrize("prompt", ["deny", "escape"])
def test_claude_code_tells_nothing_of_a_question_that_is_denied_without_words(prompt: str) -> None:
    heard = names(turn("claude-code-questions", prompt))
    assert heard == ["UserPromptSubmit", "PreToolUse", "PermissionRequest", "person"]


def test_claude_code_tells_in_the_batch_of_a_call_that_is_denied_with_words() -> None:
    lines = turn("claude-code-questions", "words")
    assert of_calls(lines, *ENDS) == []
    (batch,) = (what for name, what in lines if name == "PostToolBatch")
    assert [call["tool_use_id"] for call in batch["tool_calls"]] == of_calls(lines, "PreToolUse")


def test_claude_codes_duration_leaves_out_the_time_that_a_question_stood() -> None:
    lines = [json.loads(line) for line in (STREAMS / "claude-code-questions.jsonl").read_text().splitlines()]
    approved = next(line["ms"] for line in lines if "person" in line)
    ended = next(line for line in lines if line.get("event", {}).get("hook_event_name") == "PostToolUse")
    assert ended["ms"] - ended["event"]["duration_ms"] > approved


@pytest.mark.parametrize("prompt", ["first", "third", "fifth"])
def test_claude_code_tells_nothing_of_a_command_that_is_interrupted_or_of_its_own_death(prompt: str) -> None:
    heard = names(turn("claude-code-interruptions", prompt))
    assert heard[:3] == ["UserPromptSubmit", "PreToolUse", "person"]
    assert not set(heard[3:]) - {"person", "SessionStart"}


def test_claude_codes_stop_names_what_runs_in_the_background_until_a_prompt_tells_of_its_end() -> None:
    told = stream("claude-code-background")
    started = [
        (what["tool_response"]["backgroundTaskId"], what["tool_use_id"])
        for name, what in told
        if name == "PostToolUse" and "backgroundTaskId" in what["tool_response"]
    ]
    assert len(started) == 3
    for task, call in started:
        stops = [task in background(what) for name, what in told if name == "Stop"]
        assert any(stops)
        assert not stops[-1]
        (end,) = (what["prompt"] for name, what in told if name == "UserPromptSubmit" and task in what["prompt"])
        assert f"<tool-use-id>{call}</tool-use-id>" in end


def test_claude_codes_subagent_in_the_background_uses_tools_after_the_turn_and_with_the_next_turns_prompt() -> None:
    told = stream("claude-code-subagents")
    (agent,) = (
        what["tool_response"]["agentId"]
        for _, what in told
        if (what.get("tool_response") or {}) and "isAsync" in what["tool_response"]
    )
    stop = next(place for place, (name, what) in enumerate(told) if name == "Stop" and agent in background(what))
    late = [what for name, what in told[stop:] if name == "PreToolUse" and what.get("agent_id") == agent]
    assert late
    assert len({what["prompt_id"] for what in late}) > 1
    assert [name for name, what in told[stop:] if what.get("agent_id") == agent][-1] == "SubagentStop"


def test_claude_codes_batch_comes_after_the_hooks_of_all_its_calls() -> None:
    lines = [json.loads(line) for line in (STREAMS / "claude-code-batch.jsonl").read_text().splitlines()]
    events = [(line["ms"], line["event"]) for line in lines]
    edits = [
        ms for ms, raw in events if raw["hook_event_name"] == "PostToolUse" and raw["tool_name"] in ("Write", "Edit")
    ]
    for ms in edits:  # the formatter takes a second
        following = next(at for at, raw in events if at > ms)
        assert following - ms > 900


@pytest.mark.parametrize("prompt", ["deny", "escape"])
def test_codex_tells_of_an_interruption_at_a_question(prompt: str) -> None:
    heard = names(turn("codex-questions", prompt))
    assert heard == ["UserPromptSubmit", "PreToolUse", "PermissionRequest", "person", "Interrupt"]


def test_codex_tells_no_end_of_a_command_that_goes_on_after_the_turn_unless_the_model_asks() -> None:
    told = stream("codex-background")
    assert "PostToolUse" not in names(turn("codex-background", "server"))
    begun, ended = of_calls(told, "PreToolUse"), of_calls(told, "PostToolUse")
    first, _, second = begun
    assert first not in ended
    assert of_calls(turn("codex-background", "poll"), "PostToolUse") == [second]


def test_codex_names_its_calls_and_tells_no_durations() -> None:
    for name in ("codex-questions", "codex-interruptions", "codex-background"):
        for event, what in stream(name):
            assert ("tool_use_id" in what) is (event in ("PreToolUse", "PostToolUse"))
            assert "duration_ms" not in what


@pytest.mark.parametrize("prompt", ["approve", "deny", "escape"])
def test_gemini_cli_tells_of_a_question_between_the_call_and_its_end(prompt: str) -> None:
    heard = names(turn("gemini-cli-questions", prompt))
    assert heard[:4] == ["BeforeAgent", "BeforeTool", "Notification", "person"]
    assert heard[4:] == (["AfterTool", "AfterAgent"] if prompt == "approve" else [])


def test_gemini_cli_tells_of_no_question_where_none_was_asked() -> None:
    assert "Notification" not in names(stream("gemini-cli-interruptions"))


def test_gemini_cli_tells_the_end_of_a_command_that_is_interrupted() -> None:
    lines = turn("gemini-cli-interruptions", "first")
    assert [name for name in names(lines) if name != "person"] == ["BeforeAgent", "BeforeTool", "AfterTool"]
