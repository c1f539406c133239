"""A restore, an undo or a redo beside programs that write all the time: the other paths are done, and no byte is lost."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

import takeback as tb
from support.agent import World
from support.cli import program
from takeback.model.plan import Report

WRITER = """
import sys, time
held = {path: open(path, "a") for path in sys.argv[2:]} if sys.argv[1] == "held" else {}
number = 0
print("begun", flush=True)
while True:
    for path in sys.argv[2:]:
        file = held.get(path) or open(path, "a")
        file.write(f"{path} line {number}\\n")
        file.flush()
        if path not in held:
            file.close()
    number += 1
    print(number, flush=True)
    time.sleep(0.01)
"""


@contextmanager
def writing(how: str, *paths: Path) -> Iterator[Callable[[], int]]:
    """A process that appends to files a hundred times a second; tells how many lines each has got, when it has ended."""
    process = subprocess.Popen([sys.executable, "-c", WRITER, how, *map(str, paths)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "begun\n"
    assert process.stdout.readline() == "1\n"

    def end() -> int:
        process.kill()
        assert process.stdout is not None
        return max(int(line) for line in process.stdout.read().split() or ["1"])

    try:
        yield end
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def lines_of(world: World, path: str) -> set[str]:
    """All lines that the file has, or had in a snapshot."""
    found = set(world.read(path).decode().splitlines()) if world.exists(path) else set()
    for row in world.line.log().snapshots:
        try:
            found |= set(world.line.read(row.id, path).decode().splitlines())
        except tb.TakebackError:
            continue  # it was not there then
    return found


def check_nothing_is_lost(world: World, paths: Sequence[str], written: int) -> None:
    for path in paths:
        expected = {f"{world.root / path} line {number}" for number in range(written)}
        assert not expected - lines_of(world, path)


@pytest.mark.parametrize("how", ["by name", "held"])
@pytest.mark.parametrize("logs", [["log"], ["log", "logs/a", "logs/b"]], ids=["one", "three"])
def test_a_restore_beside_a_busy_log_puts_all_else_back(world: World, how: str, logs: list[str]) -> None:
    world.edit({"a": "0", "b/c": "0", **dict.fromkeys(logs, "begin\n")})
    good = world.line.save("good").id
    for _ in range(5):
        world.edit({"a": "1", "b": None, "new": "1"})
        with writing(how, *(world.root / path for path in logs)) as end:
            report = world.line.restore(good)
            written = end()
        assert (world.read("a"), world.read("b/c"), world.exists("new")) == (b"0", b"0", False)
        assert {item.path for item in report.partial} <= set(logs)
        assert {"a", "b/c", "new"} <= set(report.changed)
        check_nothing_is_lost(world, logs, written)
        assert world.store.verify().ok
        for path in logs:
            world.remove(path)
            world.write(path, "begin\n")


@pytest.mark.parametrize("how", ["by name", "held"])
def test_an_undo_and_a_redo_beside_a_busy_log_do_all_else(world: World, how: str) -> None:
    world.edit({"a": "0", "log": "begin\n"})
    world.turn("work", {"a": "1", "new": "1", "log": "the agent's\n"})
    for _ in range(3):
        with writing(how, world.root / "log") as end:
            report = world.line.undo()
            assert (world.read("a"), world.exists("new")) == (b"0", False)
            again = world.line.redo()
            assert (world.read("a"), world.read("new")) == (b"1", b"1")
            written = end()
        for each in (report, again):
            assert {item.path for item in (*each.partial, *each.conflicts)} <= {"log"}
        check_nothing_is_lost(world, ["log"], written)


def test_where_only_the_busy_file_is_to_change_nothing_is_done(world: World) -> None:
    world.write("log", "begin\n")
    good = world.line.save("good").id
    with writing("held", world.root / "log") as end:
        outcome: Report | tb.Conflict
        try:
            outcome = world.line.restore(good)
        except tb.Conflict as error:
            outcome = error
        written = end()
    check_nothing_is_lost(world, ["log"], written)
    if isinstance(outcome, tb.Conflict):
        assert "log" in outcome.message and outcome.hints
    else:
        assert [item.path for item in outcome.partial] == ["log"]


def test_the_command_names_the_busy_file_and_is_no_success(world: World) -> None:
    world.edit({"a": "0", "log": "begin\n"})
    world.line.save("good")
    world.write("a", "1")
    with writing("held", world.root / "log"):
        done = program("restore", "good", "--yes", "--json", "--store", str(world.store_path), cwd=world.root)
    report = json.loads(done.stdout)
    assert world.read("a") == b"0"
    assert (done.returncode, [each["path"] for each in report["partial"]]) == (3, ["log"])


def test_an_edit_at_the_very_moment_is_found_and_all_is_restored_with_it(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once is not busy: it is looked at again, and saved before it is replaced."""
    from takeback.engine import apply

    world.edit({"a": "0", "b": "0"})
    good = world.line.save("good").id
    world.edit({"a": "1", "b": "1"})
    begin = apply._begin

    def then_a_person_writes(*arguments: object) -> object:
        monkeypatch.undo()
        world.write("a", "typed at that moment")
        return begin(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(apply, "_begin", then_a_person_writes)
    report = world.line.restore(good)
    assert (world.files(), report.partial) == ({"a": b"0", "b": b"0"}, ())
    assert world.line.read(report.safety, "a") == b"typed at that moment"
