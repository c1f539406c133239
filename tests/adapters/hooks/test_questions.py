"""While an agent asks a person: a save a second, by a child of the hook, until the question is answered."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from support.hooks.program import Program, eventually
from support.hooks.voices import Call
from takeback.model.move import Move


@pytest.fixture
def program(tmp_path: Path, home: Path) -> Program:
    return Program(tmp_path, home)


def savers(program: Program) -> list[int]:
    """The processes that still save for a question in this store."""
    here = f"TAKEBACK_STORE={program.store}".encode()
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            command = Path(f"/proc/{pid}/cmdline").read_bytes()
            if b"hook\0claude-code" in command and here in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0"):
                found.append(int(pid))
        except OSError:
            continue
    return found


def ask(program: Program, call: Call) -> None:
    (told,) = program.voice.before(call)
    program(told)
    program({**told, "hook_event_name": "PermissionRequest", "tool_use_id": None})


def snapshots(program: Program) -> int:
    return len(program.world.line.log().snapshots)


def turn(program: Program) -> Move:
    (found,) = (move for move in program.world.moves() if move.level == "turn")
    return found


def test_what_a_person_changes_while_a_question_stands_is_in_a_step_of_its_own(program: Program) -> None:
    call = Call(path=f"{program.world.root}/a.txt", text="the agent's\n")
    program.world.write("a.txt", "at first\n")
    for raw in program.voice.prompt("edit"):
        program(raw)
    ask(program, call)
    before = snapshots(program)
    program.world.write("a.txt", "at first\na person's\n")
    eventually(lambda: snapshots(program) > before)
    program.world.write("a.txt", "at first\na person's\nthe agent's\n")
    (told, *_) = program.voice.after(call)
    program({**told, "duration_ms": 400, "tool_response": {"originalFile": "at first\na person's\n"}})
    for raw in program.voice.stop():
        program(raw)
    eventually(lambda: not savers(program))
    program.world.undo(turn(program).id)
    assert program.world.files()["a.txt"] == b"at first\na person's\n"


def test_nobody_saves_any_more_when_the_agent_has_asked_something_else(program: Program) -> None:
    program.world.write("a.txt", "at first\n")
    for raw in program.voice.prompt("edit"):
        program(raw)
    ask(program, Call(command="make"))
    assert savers(program)
    for raw in program.voice.prompt("something else"):
        program(raw)
    eventually(lambda: not savers(program))
