"""An event is recorded by a child that is waited for no longer than the agent would; what fails is told once, in words."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from support.hooks.forked import Hooks
from support.hooks.program import Program
from support.hooks.voices import Call, OpenCode, Raw
from takeback.adapters.hooks.agents import AGENTS, Said
from takeback.adapters.hooks.receiving import Outcome, receive
from takeback.engine.line import Line
from takeback.store import notices


@pytest.fixture
def program(memory_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Program:
    program = Program(memory_path, home)
    monkeypatch.setenv("TAKEBACK_STORE", str(program.store))
    program.world.write("a.txt", "there before\n")
    return program


def heard(*raws: Raw) -> list[Outcome]:
    return [receive("claude-code", json.dumps(raw).encode()) for raw in raws]


def told(program: Program) -> list[notices.Notice]:
    return [*notices.read(program.store), *notices.read(notices.spare())]


@pytest.mark.parametrize(
    "field", ["session_id", "cwd", "prompt", "tool_name", "tool_use_id", "transcript_path", "path", "command"]
)
@pytest.mark.parametrize(
    "value", ["\ud800", "a\0b", "x" * 100_000, "\n\x1b[31m", "", "..", "/dev/zero", "/proc/self/mem", "é/\udfff"]
)
def test_odd_text_anywhere_fails_nobody(
    field: str, value: str, program: Program, hooks: Hooks, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = program.world.base / "around" / "started"  # what "" and ".." lead to as a directory
    started.mkdir(parents=True)
    monkeypatch.chdir(started)
    call = Call(path="/x/y", text="z")
    raws = [*program.voice.prompt("x"), *program.voice.before(call), *program.voice.after(call), *program.voice.stop()]
    for raw in raws:
        if field in ("path", "command"):
            raw |= {"tool_input": {"file_path": value, "command": value}} if "tool_input" in raw else {}
        elif field in raw:
            raw[field] = value
        if "tool_input" in raw:
            program.world.write("b.txt", raw["hook_event_name"])
        hooks("claude-code", json.dumps(raw).encode(), program.env)
    assert not [notice for notice in program.notices() if "bug" in notice.message]
    if program.store.exists():
        assert program.world.store.verify(read_data=True).ok


def test_a_workplace_that_stays_busy_is_told_and_the_agent_goes_on(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    call = Call(command="make")
    heard(*program.voice.prompt("work"))
    with monkeypatch.context() as patch, program.busy():
        patch.setattr(Line, "patience", 0.01)
        assert heard(*program.voice.before(call)) == [Outcome()]
    (notice,) = told(program)
    assert "is in use" in notice.message and notice.hints
    program.world.write("b.txt", "b")
    heard(*program.voice.after(call), *program.voice.stop())
    assert program.turns() == ["work"], "what the call did is the turn's although its beginning was not recorded"
    program.world.undo(shared=True)  # when it began is not known, so it may be a person's
    assert sorted(program.world.files()) == ["a.txt"]


def test_strict_stops_an_agent_whose_step_is_not_recorded_in_time(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    claude = AGENTS["claude-code"]
    hasty = {name: Said(said.trigger, 0.01) for name, said in claude.events.items()}
    heard(*program.voice.begin())
    monkeypatch.setitem(AGENTS, "claude-code", claude._replace(events=hasty))
    with program.busy():
        assert heard(*program.voice.before(Call(command="make"))) == [Outcome()]
        (notice,) = told(program)
        assert "began before" in notice.message and notice.hints, "what is late is told, too"
        monkeypatch.setenv("TAKEBACK_STRICT", "1")
        (outcome,) = heard(*program.voice.before(Call(command="make")))
        assert outcome == Outcome(2, b"", "this step could not be recorded in time")
        assert heard(*program.voice.stop()) == [Outcome()]
    program.finished()


def test_a_thousand_failures_are_one_notice(program: Program) -> None:
    for _ in range(1000):
        assert receive("gemini-cli", b"no event") == Outcome(reply=b"{}\n")
    assert len(told(program)) == 1


def test_where_nothing_can_be_forked_the_event_is_recorded_all_the_same(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse() -> int:
        raise BlockingIOError("Resource temporarily unavailable")

    monkeypatch.setattr(os, "fork", refuse)
    call = Call(path=f"{program.world.root}/b.txt", text="b")
    heard(*program.voice.prompt("work"), *program.voice.before(call))
    program.world.write("b.txt", "b")
    heard(*program.voice.after(call), *program.voice.stop())
    assert program.turns() == ["work"] and told(program) == []


def test_a_failure_of_takeback_itself_is_told_as_one(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any, **__: Any) -> None:
        raise RuntimeError("not thought of")

    monkeypatch.setattr(Line, "capture", broken)
    assert heard(*program.voice.prompt("work")) == [Outcome()]
    (notice,) = told(program)
    assert notice.message == "this is a bug in takeback: RuntimeError: not thought of"


def test_what_a_person_types_during_a_question_is_theirs_once_the_agent_is_known_to_tell(program: Program) -> None:
    call = Call(path=f"{program.world.root}/b.txt", text="b")
    heard(*program.voice.prompt("work"), *program.voice.before(call))
    program.world.write("b.txt", "b")
    heard(*program.voice.after(call), *program.voice.stop(), *program.voice.prompt("a question"), *program.voice.look())
    program.world.write("mine.txt", "typed meanwhile")
    heard(*program.voice.stop())
    assert program.turns() == ["work"]
    program.world.undo()
    assert sorted(program.world.files()) == ["a.txt", "mine.txt"]


def test_nothing_is_left_open_by_an_event(program: Program) -> None:
    heard(*program.voice.begin())
    before = sorted(os.listdir("/dev/fd"))
    heard(*program.voice.prompt("work"), *program.voice.before(Call(command="make")), *program.voice.stop())
    assert sorted(os.listdir("/dev/fd")) == before


def test_an_agent_that_does_not_exist_is_told(program: Program) -> None:
    outcome = receive("cursor", b"{}")
    assert outcome.exit_code == 1 and "claude-code" in outcome.problem


def test_the_end_of_a_turn_that_is_heard_after_the_next_has_begun_does_not_end_that(program: Program) -> None:
    """As with opencode, which does not wait for its plugin when it ends."""
    voice = OpenCode("s", str(program.world.root), "/")
    one, two = Call(command="make b"), Call(command="make c")

    def say(raws: list[Raw], time_ms: int) -> None:
        for raw in raws:
            assert receive("opencode", json.dumps({**raw, "timestamp_ms": time_ms}).encode()) == Outcome()

    say([*voice.prompt("first"), *voice.before(one)], 1000)
    program.world.write("b.txt", "b")
    say(voice.after(one), 1100)
    say([*voice.prompt("second"), *voice.before(two)], 2000)
    program.world.write("c.txt", "c")
    say(voice.stop(), 1200)
    program.world.write("d.txt", "d")
    say(voice.after(two), 2100)
    say(voice.stop(), 2200)
    assert program.turns() == ["first", "second"]
    for left in (["a.txt", "b.txt"], ["a.txt"]):
        program.world.undo()
        assert sorted(program.world.files()) == left
