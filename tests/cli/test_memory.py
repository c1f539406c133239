"""An agent's memory, from a terminal: the object lives in the agent's own process."""

from __future__ import annotations

import subprocess
import threading
from dataclasses import dataclass, field
from typing import Any

import pytest

import takeback as tb
from support.cli import Cli
from takeback.cli.acting import chosen


@dataclass
class Agent:
    name: str = "coder"
    messages: list[Any] = field(default_factory=list)
    client: Any = None


class Program:
    """The agent's process."""

    def __init__(self, cli: Cli) -> None:
        self.agent = Agent(client=threading.Lock())
        self.store = tb.open(cli.store)
        self.line = self.store.timeline(
            sources=[tb.Workspace(cli.root), tb.State("memory", self.agent, holes=["memory.client"])]
        )


@pytest.fixture
def program(cli: Cli) -> Program:
    cli.write("a.txt", "one\n")
    program = Program(cli)
    with program.line.turn("greet"):
        program.agent.messages.append({"role": "user", "content": "hello\x1b[31m"})
    with program.line.turn("work"):
        program.agent.messages.append({"role": "assistant", "content": "done"})
        cli.write("a.txt", "two\n")
    return program


def test_undo_takes_back_files_and_memory_together_and_says_what_is_pending(cli: Cli, program: Program) -> None:
    out = cli("undo", "--yes", code=3).out
    assert cli.read("a.txt") == "one\n"
    assert "pending" in out and "memory lives in another program" in out
    assert "1 path: 1 changed" in out and "read back and verified" in out, "which is the file"
    assert len(program.agent.messages) == 2
    assert "memory is put in place" in cli("status").out and cli.json("status")["pending"] == ["memory"]
    assert "pending: its owner" in cli("show", "@").out
    cli.write("b.txt", "a person goes on\n")
    cli("save")
    program.line.save()
    assert len(program.agent.messages) == 1
    assert cli.json("status")["pending"] == []


def test_restore_of_memory_alone_is_pending_and_undo_calls_it_off(cli: Cli, program: Program) -> None:
    assert cli.json("restore", "root", "--only", "memory", "--dry-run")["pending"] == ["memory"]
    report = cli.json("restore", "root", "--only", "memory", "--yes", code=3)
    assert (report["pending"], report["changed"]) == (["memory"], ["memory"])
    assert cli.read("a.txt") == "two\n"
    assert cli.json("undo", "--yes")["pending"] == []
    assert program.line.sync() is None
    assert cli.json("restore", "root", "--only", "memory", "--yes", code=3)["pending"] == ["memory"]
    assert program.line.sync() is not None
    assert program.agent.messages == []


def test_what_is_pending_is_not_said_to_be_done(cli: Cli, program: Program) -> None:
    out = cli("restore", "root", "--only", "memory", "--yes", code=3).out
    assert "memory lives in another program" in out and "back to it: `takeback undo`" in out
    assert "changed" not in out and "verified" not in out


def test_a_restore_of_paths_leaves_memory_alone(cli: Cli, program: Program) -> None:
    assert cli.json("restore", "root", "a.txt", "--yes")["pending"] == []
    cli.error("restore", "root", "--only", "nothing", "--yes", code=10)


def test_diff_tells_what_differs_in_memory_and_patch_passes_over_it(cli: Cli, program: Program) -> None:
    with program.line.turn("rename"):
        program.agent.name = "writer\x1b[0m"
    out = cli("diff", "root", "@")
    assert "state memory:" in out.out and "name" in out.out and "messages" in out.out and "\x1b" not in out.out
    shape = cli.json("diff", "root", "@")
    assert {each["part"] for each in shape["state"]} == {"memory"}
    assert {"name"} <= {each["path"] for each in shape["state"]}
    assert [each["path"] for each in shape["files"]] == ["a.txt"]
    assert "differences" in cli("diff", "root", "@", "--stat").out
    assert cli.json("diff", "root", "@", "a.txt")["state"] == []
    cli.write("a.txt", "one\n")
    subprocess.run(["patch", "-p1"], cwd=cli.root, input=out.raw, check=True)
    assert cli.read("a.txt") == "two\n"


def test_show_names_the_value_and_its_holes_and_prints_it(cli: Cli, program: Program) -> None:
    out = cli("show", "@").out
    assert "memory (state): " in out and "Agent" in out and "1 thing in it not captured" in out
    assert "memory.client: live" in out and "state memory:" in out and "~ a.txt" in out
    value = cli("show", "@", "--part", "memory")
    assert "messages: list of 2" in value.out and "'content': 'done'" in value.out and "\x1b" not in value.out
    assert "not captured" in value.out
    shape = cli.json("show", "@", "--part", "memory")["value"]
    assert shape["fields"]["messages"][1] == {"role": "assistant", "content": "done"}
    assert cli.json("show", "@")["state"]
    cli.error("show", "@", "--part", "nothing", code=10)
    cli.error("show", "@", "--part", "workspace", code=2)


def test_a_turn_that_changed_memory_alone_changed_no_file(cli: Cli, program: Program) -> None:
    with program.line.turn("think"):
        program.agent.messages.append("hm")
    newest, before, *_ = cli.json("log")["snapshots"]
    assert (newest["changed"], before["changed"]) == (0, 1)
    cli("log")


def test_a_value_is_given_only_to_who_knows_its_classes(cli: Cli, program: Program) -> None:
    line = program.store.timeline(sources=[tb.Workspace(cli.root)])
    with pytest.raises(tb.InvalidInput, match="Agent"):
        line.value("@", "memory")
    known = line.value("@", "memory", types=[Agent], unknown="record")
    assert isinstance(known, Agent) and known.messages == program.agent.messages
    assert program.line.value("root", "memory").messages == []


def test_a_conversation_comes_beside_what_is_usual_and_memory_is(cli: Cli, program: Program) -> None:
    assert set(chosen(None, ["transcript"], lambda: program.line.show("@")) or ()) == {
        "workspace",
        "memory",
        "transcript",
    }
    assert chosen("workspace", ["transcript"], lambda: program.line.show("@")) == ["workspace", "transcript"]
    assert chosen(None, (), lambda: program.line.show("@")) is None
