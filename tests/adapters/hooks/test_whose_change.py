"""Whose change it is: what a person does at any time stays hers, and what is not certain is said."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import takeback as tb
from support.hooks.told import Told
from takeback.adapters.hooks.agents import AGENTS
from takeback.adapters.hooks.reading import read
from takeback.adapters.hooks.recording import record
from takeback.model.plan import Doubt
from takeback.sources import clock

BASH = {"tool_name": "Bash", "tool_input": {"command": "make"}, "tool_use_id": "t1"}


@pytest.fixture
def told(tmp_path: Path) -> Told:
    root = tmp_path / "project"
    root.mkdir()
    for name in ("a.txt", "b.txt", "c.txt"):
        (root / name).write_text(f"{name} at first\n")
    return Told(root)


def edit(told: Told, name: str, key: str = "t1") -> dict[str, Any]:
    return {"tool_name": "Edit", "tool_input": {"file_path": str(told.root / name)}, "tool_use_id": key}


def texts(told: Told) -> dict[str, str]:
    return {str(path.relative_to(told.root)): path.read_text() for path in told.root.rglob("*") if path.is_file()}


def check_redo(told: Told, before: dict[str, str]) -> None:
    told.line.redo()
    assert texts(told) == before, "redo is exact"


# no end


def test_edits_after_an_interruption_stay_and_deleted_files_come_back(told: Told) -> None:
    (told.root / "src").mkdir()
    (told.root / "src" / "x").write_text("x")
    told("UserPromptSubmit", prompt="clean up")
    told("PreToolUse", **BASH)
    (told.root / "src" / "x").unlink()
    (told.root / "src").rmdir()
    (told.root / "a.txt").write_text("half done\n")
    (told.root / "b.txt").write_text("a person's, after Esc\n")
    told.line.save("mine")
    before = texts(told)
    report = told.line.undo()
    assert texts(told) == {**before, "src/x": "x"}
    assert report.shared == ("a.txt", "b.txt")
    assert {each.doubt for each in report.undecided} == {Doubt.NO_END}
    assert set(report.brought_back) == {"src", "src/x"}
    check_redo(told, before)
    told.line.undo(report.moves[0], shared=True)
    assert texts(told) == {
        "a.txt": "a.txt at first\n",
        "b.txt": "b.txt at first\n",
        "c.txt": "c.txt at first\n",
        "src/x": "x",
    }


def test_an_interruption_ends_with_the_next_prompt(told: Told) -> None:
    told("UserPromptSubmit", prompt="one")
    told("PreToolUse", **BASH)
    told("UserPromptSubmit", prompt="two")
    (told.root / "b.txt").write_text("a person's\n")
    told.write("new.txt", "an agent's", "t2")
    told("Stop")
    report = told.line.undo()
    assert report.shared == () and texts(told)["b.txt"] == "a person's\n"
    assert "new.txt" not in texts(told)


def agent(told: Told, body: str) -> subprocess.Popen[bytes]:
    """A process that calls hooks as an agent does, and then waits for its end."""
    script = f"""
import json, subprocess, sys, time
def say(name, **more):
    raw = {{"session_id": "crashing", "cwd": {str(told.root)!r}, "hook_event_name": name, **more}}
    subprocess.run(["sh", "-c", f"{{sys.executable}} -P -m takeback hook claude-code; true"], input=json.dumps(raw).encode(), check=True)
say("SessionStart")
say("UserPromptSubmit", prompt="crash")
{body}
print("ready", flush=True)
time.sleep(600)
"""
    process = subprocess.Popen([sys.executable, "-c", script], cwd=told.root, stdout=subprocess.PIPE)
    assert process.stdout is not None and process.stdout.readline() == b"ready\n"
    return process


def kill(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGKILL)
    process.wait()
    if process.stdout is not None:
        process.stdout.close()


PRE = 'say("PreToolUse", tool_name="Bash", tool_input={"command": "make"}, tool_use_id="t1")\nopen("a.txt", "w").write("half")'


def test_what_an_agent_that_was_killed_left_open_ends_with_the_next_save(told: Told) -> None:
    process = agent(told, PRE)
    assert [move.level for move in told.line.log().moves if move.open] == ["action", "turn"]
    told.line.save("while it lives")
    assert any(move.open for move in told.line.log().moves), "a person's save ends nothing of an agent that lives"
    kill(process)
    told.line.save("mine")
    assert [move.level for move in told.line.log().moves if move.open] == ["manual"]
    (told.root / "b.txt").write_text("a person's, much later\n")
    with pytest.raises(tb.Partial, match=r"a\.txt") as raised:
        told.line.undo(level="turn")
    assert "b.txt" not in str(raised.value)
    assert texts(told)["b.txt"] == "a person's, much later\n"


def test_a_run_that_was_killed_takes_nothing_of_what_a_person_does_later(told: Told) -> None:
    run = [sys.executable, "-P", "-m", "takeback", "run", "--", "sh", "-c", "echo run > a.txt; echo ready; read x"]
    process = subprocess.Popen(run, cwd=told.root, stdout=subprocess.PIPE, stdin=subprocess.PIPE)
    assert process.stdout is not None and process.stdout.readline() == b"ready\n"
    kill(process)
    assert process.stdin is not None
    process.stdin.close()
    (told.root / "b.txt").write_text("a person's\n")
    told.line.save("mine")
    (told.root / "c.txt").write_text("a person's, after her save\n")
    with pytest.raises(tb.Partial):
        told.line.undo(level="run")
    assert texts(told) == {"a.txt": "run\n", "b.txt": "a person's\n", "c.txt": "a person's, after her save\n"}


# questions


def test_while_a_question_about_an_edit_stands_other_files_are_the_person_s(told: Told) -> None:
    told("UserPromptSubmit", prompt="edit")
    told("PreToolUse", **edit(told, "a.txt"))
    (told.root / "b.txt").write_text("a person's\n")
    told("PermissionRequest", **edit(told, "a.txt"))
    (told.root / "c.txt").write_text("a person's, too\n")
    (told.root / "a.txt").write_text("an agent's\n")
    told("PostToolUse", **edit(told, "a.txt"), duration_ms=500)
    told("Stop")
    before = texts(told)
    report = told.line.undo()
    assert texts(told) == {**before, "a.txt": "a.txt at first\n"}
    assert report.undecided == ()
    check_redo(told, before)


def test_an_edit_that_was_denied_owns_nothing(told: Told) -> None:
    told("UserPromptSubmit", prompt="edit")
    told("PreToolUse", **edit(told, "a.txt"))
    told("PermissionRequest", **edit(told, "a.txt"))
    (told.root / "a.txt").write_text("a person's own\n")
    (told.root / "b.txt").write_text("a person's\n")
    told("PermissionDenied", **edit(told, "a.txt"), reason="no")
    told.write("new.txt", "an agent's", "t2")
    told("Stop")
    report = told.line.undo()
    assert texts(told)["a.txt"] == "a person's own\n" and texts(told)["b.txt"] == "a person's\n"
    assert report.shared == () and "new.txt" not in texts(told)


def test_a_call_that_its_batch_ends_without_an_end_of_its_own_was_refused(told: Told) -> None:
    told("UserPromptSubmit", prompt="run")
    told("PreToolUse", **BASH)
    told("PermissionRequest", **{key: BASH[key] for key in ("tool_name", "tool_input")})
    (told.root / "b.txt").write_text("a person's\n")
    told("PostToolBatch", tool_calls=[{**BASH, "tool_response": "The user doesn't want to proceed"}])
    told.write("new.txt", "an agent's", "t2")
    told("Stop")
    report = told.line.undo()
    assert report.shared == () and texts(told)["b.txt"] == "a person's\n"


def test_without_a_duration_a_question_leaves_a_command_undecided(told: Told) -> None:
    told("UserPromptSubmit", prompt="run")
    told("PreToolUse", **BASH)
    told("PermissionRequest", **{key: BASH[key] for key in ("tool_name", "tool_input")})
    (told.root / "a.txt").write_text("whose?\n")
    told("PostToolUse", **BASH)
    told("Stop")
    with pytest.raises(tb.Partial):
        told.line.undo()
    assert texts(told)["a.txt"] == "whose?\n"
    assert [each.doubt for each in told.line.plan_undo().undecided] == [Doubt.ASKED]
    told.line.undo(shared=True)
    assert texts(told)["a.txt"] == "a.txt at first\n"


def test_a_duration_tells_the_command_from_the_question(told: Told) -> None:
    told("UserPromptSubmit", prompt="run")
    told("PreToolUse", **BASH)
    told("PermissionRequest", **{key: BASH[key] for key in ("tool_name", "tool_input")})
    (told.root / "b.txt").write_text("a person's\n")
    answered = time.monotonic()
    time.sleep(1.2)  # a person thinks
    began = time.monotonic()
    (told.root / "a.txt").write_text("an agent's\n")
    took = int((time.monotonic() - began) * 1000) + 11
    told("PostToolUse", **BASH, duration_ms=took)
    assert time.monotonic() - answered > took / 1000 + 1
    told("Stop")
    report = told.line.undo()
    assert (report.undecided, report.changed) == ((), ("a.txt",))
    assert [(each.command, each.paths) for each in report.while_running] == [("Bash: make", ("a.txt",))]
    assert texts(told)["b.txt"] == "a person's\n"


def test_a_file_that_a_person_changed_right_before_the_tool_did_is_undecided(told: Told) -> None:
    told("UserPromptSubmit", prompt="edit")
    told("PreToolUse", **edit(told, "a.txt"))
    (told.root / "a.txt").write_text("a person's\n")
    original = (told.root / "a.txt").read_text()
    (told.root / "a.txt").write_text("a person's\nand an agent's\n")
    told("PostToolUse", **edit(told, "a.txt"), duration_ms=500, tool_response={"originalFile": original})
    told("Stop")
    with pytest.raises(tb.Partial):
        told.line.undo()
    assert texts(told)["a.txt"] == "a person's\nand an agent's\n"


@pytest.mark.parametrize("text", ["a\r\nb\r\n", "\ufeffa\nb\n", "a\nb", ""])
def test_a_file_that_the_tool_found_as_it_was_is_the_agent_s_whatever_its_line_ends(told: Told, text: str) -> None:
    (told.root / "a.txt").write_bytes(text.encode())
    told("UserPromptSubmit", prompt="edit")
    told("PreToolUse", **edit(told, "a.txt"))
    (told.root / "a.txt").write_text("an agent's\n")
    original = text.replace("\r\n", "\n").removeprefix("\ufeff")
    told("PostToolUse", **edit(told, "a.txt"), duration_ms=500, tool_response={"originalFile": original})
    told("Stop")
    assert told.line.undo().undecided == ()
    assert (told.root / "a.txt").read_bytes() == text.encode()


# background


def test_after_the_stop_of_a_turn_with_a_background_command_a_person_s_edit_stays(told: Told) -> None:
    serve = {"tool_name": "Bash", "tool_input": {"command": "serve", "run_in_background": True}, "tool_use_id": "t1"}
    told("UserPromptSubmit", prompt="serve")
    told("PreToolUse", **serve)
    told("PostToolUse", **serve, duration_ms=500)
    told.write("new.txt", "an agent's", "t2")
    told("Stop", background_tasks=[{"id": "b1"}])
    (told.root / "a.txt").write_text("a person's\n")
    before = texts(told)
    report = told.line.undo()
    assert texts(told)["a.txt"] == "a person's\n" and "new.txt" not in texts(told)
    assert [(each.command, each.paths) for each in report.undecided] == [("Bash: serve", ("a.txt",))]
    check_redo(told, before)


def test_a_prompt_that_an_agent_gives_itself_ends_only_the_command_that_it_is_about(told: Told) -> None:
    def serve(key: str) -> None:
        call = {"tool_name": "Bash", "tool_input": {"command": key, "run_in_background": True}, "tool_use_id": key}
        told("PreToolUse", **call)
        told("PostToolUse", **call, duration_ms=500)

    told("UserPromptSubmit", prompt="serve")
    serve("one")
    serve("two")
    told.write("new.txt", "an agent's", "t3")
    told("Stop", background_tasks=[{"id": "1"}, {"id": "2"}])
    notice = "<task-notification>\n<task-id>1</task-id>\n<tool-use-id>one</tool-use-id>\n<summary>ended</summary>"
    told("UserPromptSubmit", prompt=notice)
    told("Stop", background_tasks=[{"id": "2"}])
    (told.root / "a.txt").write_text("whose?\n")
    told("UserPromptSubmit", prompt="a person's")
    first = next(move for move in told.line.log().moves if move.title == "serve")
    assert [each.command for each in told.line.plan_undo(first.id).undecided] == ["Bash: two"]


# sessions


def test_another_session_s_line_in_a_file_that_was_named_earlier_stays(told: Told) -> None:
    other = Told(told.root, "session-2")
    told("UserPromptSubmit", prompt="one")
    told("PreToolUse", **edit(told, "a.txt"))
    (told.root / "a.txt").write_text("1\n2\n3\n4\n5\n6\n")
    told("PostToolUse", **edit(told, "a.txt"))
    other("UserPromptSubmit", prompt="two")
    long = {"tool_name": "Bash", "tool_input": {"command": "sleep 60"}, "tool_use_id": "t2"}
    told("PreToolUse", **long)
    other("PreToolUse", **edit(told, "a.txt", "o1"))
    with (told.root / "a.txt").open("a") as file:
        file.write("the other's\n")
    other("PostToolUse", **edit(told, "a.txt", "o1"))
    told("PostToolUse", **long)
    other("Stop")
    told("Stop")
    before = texts(told)
    with pytest.raises(tb.Conflict):  # the other's line stands right below what the first one wrote
        told.line.undo(session=told.session)
    assert texts(told) == before


def test_a_subagent_s_end_ends_what_it_left_open(told: Told) -> None:
    told("UserPromptSubmit", prompt="delegate")
    told("PreToolUse", **BASH, agent_id="helper-1")
    told("SubagentStop", agent_id="helper-1")
    (told.root / "b.txt").write_text("a person's\n")
    told.write("new.txt", "an agent's", "t2")
    told("Stop")
    assert told.line.undo().shared == ()
    assert texts(told)["b.txt"] == "a person's\n"


def test_a_subagent_that_goes_on_after_the_stop_opens_the_turn_again(told: Told) -> None:
    told("UserPromptSubmit", prompt="delegate")
    told.write("new.txt", "an agent's", "t1")
    told("Stop")
    call = {**edit(told, "a.txt", "s1"), "agent_id": "helper-1"}
    told("PreToolUse", **call)
    (told.root / "a.txt").write_text("a subagent's\n")
    told("PostToolUse", **call)
    assert [move.title for move in told.line.log().moves if move.level == "turn"] == ["delegate"]
    told("UserPromptSubmit", prompt="next")
    told.line.undo()
    assert "new.txt" not in texts(told) and texts(told)["a.txt"] == "a.txt at first\n"


# hooks of the agent's own


def test_what_a_formatter_does_to_an_edited_file_after_our_hook_is_the_agent_s(told: Told) -> None:
    told("UserPromptSubmit", prompt="edit")
    told("PreToolUse", **edit(told, "a.txt"))
    (told.root / "a.txt").write_text("an agent's\n")
    told("PostToolUse", **edit(told, "a.txt"), duration_ms=500)
    (told.root / "a.txt").write_text("an agent's, formatted\n")
    (told.root / "b.txt").write_text("a person's\n")
    told("PostToolBatch", tool_calls=[edit(told, "a.txt")])
    told("Stop")
    before = texts(told)
    report = told.line.undo()
    assert texts(told) == {**before, "a.txt": "a.txt at first\n"}
    assert report.undecided == ()
    check_redo(told, before)


def test_a_formatter_that_comes_before_our_look_belongs_to_the_edit(told: Told) -> None:
    told("UserPromptSubmit", prompt="edit")
    told("PreToolUse", **edit(told, "a.txt"))
    (told.root / "a.txt").write_text("an agent's\n")
    post = {"session_id": told.session, "cwd": str(told.root), "hook_event_name": "PostToolUse", **edit(told, "a.txt")}
    event = read(AGENTS["claude-code"], post | {"duration_ms": 500})
    assert event is not None
    came = clock.read()
    time.sleep(0.03)
    (told.root / "a.txt").write_text("an agent's, formatted\n")
    record("claude-code", event._replace(came=came))
    told("Stop")
    assert told.line.undo().undecided == ()
    assert texts(told)["a.txt"] == "a.txt at first\n"


def test_a_tool_that_works_in_a_directory_does_not_name_what_is_in_it(told: Told) -> None:
    call = {"tool_name": "mcp__x__test", "tool_input": {"path": str(told.root)}, "tool_use_id": "t1"}
    told("UserPromptSubmit", prompt="test")
    told("PreToolUse", **call)
    (told.root / "b.txt").write_text("a person's\n")
    time.sleep(0.2)
    told("PostToolUse", **call, duration_ms=10)
    told("Stop")
    with pytest.raises(tb.Partial):
        told.line.undo()
    assert texts(told)["b.txt"] == "a person's\n"


# moved directories


def test_files_in_a_directory_that_a_command_renamed_go_back_with_it(told: Told) -> None:
    (told.root / "old").mkdir()
    (told.root / "old" / "x").write_text("x")
    told("UserPromptSubmit", prompt="rename")
    told("PreToolUse", **BASH)
    (told.root / "old").rename(told.root / "new")
    told("PostToolUse", **BASH)
    told("Stop")
    before = texts(told)
    report = told.line.undo()
    assert report.undecided == () and texts(told)["old/x"] == "x" and "new/x" not in texts(told)
    check_redo(told, before)


def test_what_is_kept_as_asked_stays_and_is_said(told: Told) -> None:
    told("UserPromptSubmit", prompt="run")
    told("PreToolUse", **BASH)
    (told.root / "a.txt").write_text("an agent's\n")
    (told.root / "b.txt").write_text("a person's, meanwhile\n")
    told("PostToolUse", **BASH)
    told("Stop")
    report = told.line.undo(keep={"workspace": ["b.txt"]})
    assert texts(told)["b.txt"] == "a person's, meanwhile\n" and texts(told)["a.txt"] == "a.txt at first\n"
    assert [item.path for item in report.kept] == ["b.txt"]


# sessions that are saved at their turns alone


def test_of_a_turn_that_is_saved_as_a_whole_only_what_changed_while_its_calls_ran_goes_back(told: Told) -> None:
    (told.root / "takeback.toml").write_text('triggers = ["turn"]\n')
    told("UserPromptSubmit", prompt="run")
    (told.root / "b.txt").write_text("a person's, before\n")
    time.sleep(0.02)  # a tick of the file system's clock
    told("PreToolUse", **BASH)
    (told.root / "a.txt").write_text("an agent's\n")
    told("PostToolUse", **BASH)
    told("Stop")
    report = told.line.undo()
    assert report.undecided == () and report.changed == ("a.txt",)
    assert texts(told)["b.txt"] == "a person's, before\n"


def test_a_refused_event_is_no_event() -> None:
    raw = {"session_id": "s", "cwd": "/", "hook_event_name": "PermissionRequest", "tool_name": "Read", "tool_input": {}}
    assert read(AGENTS["claude-code"], raw) is None


def test_gemini_asks_about_the_calls_that_have_begun(told: Told) -> None:
    def say(name: str, **more: Any) -> None:
        raw = {"session_id": "g", "cwd": str(told.root), "hook_event_name": name, **more}
        event = read(AGENTS["gemini-cli"], raw)
        assert event is not None
        record("gemini-cli", event)

    call = {"tool_name": "run_shell_command", "tool_input": {"command": "make"}}
    say("BeforeAgent", prompt="run")
    say("BeforeTool", **call)
    say("Notification", notification_type="ToolPermission", message="", details={"type": "exec"})
    (told.root / "a.txt").write_text("whose?\n")
    say("AfterTool", **call)
    say("AfterAgent")
    assert [each.doubt for each in told.line.plan_undo().undecided] == [Doubt.ASKED]


@pytest.mark.parametrize("hears", [True, False])
def test_hooks_that_do_not_hear_of_questions_prove_nothing_of_a_command(told: Told, home: Path, hears: bool) -> None:
    """As an earlier takeback has installed them."""
    events = ["PreToolUse", "PostToolUse", *(["PermissionRequest"] if hears else [])]
    command = {"type": "command", "command": "python3 -P -m takeback hook claude-code"}
    settings = home / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text(json.dumps({"hooks": {event: [{"hooks": [command]}] for event in events}}))
    told("UserPromptSubmit", prompt="run")
    told("PreToolUse", **BASH)
    (told.root / "a.txt").write_text("whose?\n")
    told("PostToolUse", **BASH)
    told("Stop")
    assert [each.doubt for each in told.line.plan_undo().undecided] == ([] if hears else [Doubt.ASKED])


def test_codex_asks_about_a_call_with_words_that_the_call_does_not_have(told: Told) -> None:
    def say(name: str, **more: Any) -> None:
        raw = {"session_id": "c", "cwd": str(told.root), "hook_event_name": name, **more}
        event = read(AGENTS["codex"], raw)
        assert event is not None
        record("codex", event)

    command = {"command": "make"}
    say("UserPromptSubmit", prompt="run")
    say("PreToolUse", tool_name="Bash", tool_input=command, tool_use_id="call_1")
    say("PermissionRequest", tool_name="Bash", tool_input={**command, "description": "it needs the network"})
    (told.root / "a.txt").write_text("whose?\n")
    say("PostToolUse", tool_name="Bash", tool_input=command, tool_use_id="call_1")
    say("Stop")
    assert [each.doubt for each in told.line.plan_undo().undecided] == [Doubt.ASKED]


@pytest.mark.parametrize("asked", [False, True])
def test_what_changed_before_the_time_that_a_command_took_is_undecided_unless_it_is_named(
    told: Told, asked: bool
) -> None:
    """A busy machine may have started the hook late, and a person may have been quick."""
    told("UserPromptSubmit", prompt="run")
    told("PreToolUse", **BASH)
    told("PreToolUse", **edit(told, "b.txt", "t2"))
    if asked:
        told("PermissionRequest", **{key: BASH[key] for key in ("tool_name", "tool_input")})
    (told.root / "a.txt").write_text("whose?\n")
    (told.root / "b.txt").write_text("an agent's\n")
    time.sleep(0.04)
    told("PostToolUse", **BASH, duration_ms=10)
    told("PostToolUse", **edit(told, "b.txt", "t2"), duration_ms=10)
    told("Stop")
    report = told.line.undo()
    assert [(each.doubt, each.paths) for each in report.undecided] == [(Doubt.NEAR, ("a.txt",))]
    assert texts(told)["a.txt"] == "whose?\n" and texts(told)["b.txt"] == "b.txt at first\n"
