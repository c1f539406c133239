"""Undo, redo, restore, drop and prune one after the other: nothing of an agent's is left behind unsaid, nor a person's taken."""

from __future__ import annotations

from typing import Any

import pytest

import takeback as tb
from support.agent import TEXT, World, with_line
from takeback.engine import processes
from takeback.engine.stretches import Ran


@pytest.fixture
def two_files(world: World) -> World:
    """A saved beginning, and a turn that writes two files."""
    world.edit({"a.txt": "a\n", "b.txt": "b\n"})
    world.line.save("before")
    world.turn("work", {"a.txt": "an agent's\n", "b.txt": "an agent's\n"})
    return world


@pytest.fixture
def two_calls(world: World) -> World:
    """A turn of two calls, of which the second goes on with the first one's file."""
    world.edit({"a.txt": TEXT, "b.txt": "b\n"})
    world.line.save("before")
    agent = world.agent()
    agent.start("work")
    first = with_line(TEXT, 2, "the first call's")
    agent.act({"a.txt": first, "b.txt": "an agent's\n"}, key="1", paths=["a.txt", "b.txt"])
    world.line.save("between", trigger="interval")
    agent.act({"a.txt": with_line(first, 8, "the second call's")}, key="2", paths=["a.txt"])
    agent.end()
    return world


BEGINNING = {"a.txt": b"a\n", "b.txt": b"b\n"}
BEFORE_CALLS = {"a.txt": TEXT.encode(), "b.txt": b"b\n"}

# a restore that brings back what was taken back


def test_since_takes_what_a_restore_has_brought_back_after_a_restore(two_files: World) -> None:
    end = two_files.line.show("@").id
    two_files.restore("before")
    two_files.restore(end)
    two_files.undo(since="root")
    assert two_files.files() == BEGINNING


def test_since_takes_what_a_restore_has_brought_back_after_an_undo_of_a_path(two_files: World) -> None:
    end = two_files.line.show("@").id
    two_files.undo(paths={"workspace": ["a.txt"]})
    two_files.restore(end, paths=["a.txt"])
    two_files.write("mine.txt", "hers\n")
    two_files.undo(since="root")
    assert two_files.files() == {**BEGINNING, "mine.txt": b"hers\n"}


@pytest.mark.parametrize("how", ["since", "by name"])
def test_undo_takes_what_a_redo_has_brought_back_after_a_restore(two_calls: World, how: str) -> None:
    whole = two_calls.files()
    two_calls.undo()
    two_calls.restore("between")
    two_calls.redo()
    assert two_calls.files() == whole
    if how == "since":
        two_calls.undo(since="root")
    else:
        two_calls.undo(two_calls.move("work").id)
    assert two_calls.files() == BEFORE_CALLS


# a part first


def test_undo_of_a_named_move_leaves_what_was_made_again_where_it_had_been_taken_back(world: World) -> None:
    world.edit({"a.txt": "a\n", "b.txt": "b\n"})
    world.line.save("first")
    world.edit({"a.txt": "hers\n", "b.txt": "hers\n"})
    report = world.undo(paths={"workspace": ["a.txt"]})
    world.line.save("second")
    world.write("a.txt", "hers\n")
    world.line.save("third")
    world.undo(report.moves[0])
    assert world.files() == {"a.txt": b"hers\n", "b.txt": b"b\n"}


def test_undo_passes_a_restore_whose_file_was_taken_back_and_made_again(world: World) -> None:
    world.edit({"a.txt": "a\n", "d/c.txt": "c\n"})
    world.line.save("before")
    turn = world.turn("work", {"a.txt": "an agent's\n"})
    world.remove("d")
    world.restore("before", paths=["d/c.txt"])
    world.undo(paths={"workspace": ["d/c.txt"]})
    world.write("d/c.txt", "hers\n")
    assert turn in world.undo().moves
    assert world.files() == {"a.txt": b"a\n", "d/c.txt": b"hers\n"}


def between_the_calls(world: World) -> str:
    """The snapshot after the first call of a turn."""
    (first,) = (move for move in world.moves() if move.key == "1")
    assert first.closing is not None
    return first.closing


@pytest.mark.parametrize("how", ["plain", "since", "by name"])
def test_undo_takes_the_first_half_of_a_turn_whose_second_half_was_taken_back(two_calls: World, how: str) -> None:
    two_calls.undo(since=between_the_calls(two_calls))
    assert two_calls.read("a.txt") == with_line(TEXT, 2, "the first call's").encode()
    turn = two_calls.move("work").id
    assert [choice.move for choice in two_calls.line.undo_choices()] == [turn]
    if how == "since":
        two_calls.undo(since="root")
    else:
        two_calls.undo(turn if how == "by name" else None)
    assert two_calls.files() == BEFORE_CALLS


# merges


def test_undo_merges_with_a_persons_edit_also_where_an_older_step_changed_only_the_mode(world: World) -> None:
    world.write("run.sh", TEXT)
    world.line.save("before")
    world.turn("chmod", lambda: world.chmod("run.sh", 0o755))
    world.write("mine.txt", "hers\n")
    world.line.save("hers")
    edited = with_line(TEXT, 2, "an agent's")
    world.turn("edit", {"run.sh": edited})
    world.write("run.sh", with_line(edited, 8, "hers"))
    world.undo(since="root")
    assert world.read("run.sh") == with_line(TEXT, 8, "hers").encode()
    assert world.mode("run.sh") == 0o644


def test_undo_of_one_turn_merges_with_edits_between_its_calls_although_one_only_changed_the_mode(world: World) -> None:
    world.write("run.sh", TEXT)
    world.line.save("before")
    agent = world.agent()
    agent.start("work")
    agent.begin("1")
    world.chmod("run.sh", 0o755)
    agent.done("1")
    hers = with_line(TEXT, 5, "hers, between")
    world.write("run.sh", hers)
    agent.act({"run.sh": with_line(hers, 2, "an agent's")}, key="2", paths=["run.sh"])
    agent.end()
    world.write("run.sh", with_line(with_line(hers, 2, "an agent's"), 8, "hers, after"))
    world.undo()
    assert world.read("run.sh") == with_line(hers, 8, "hers, after").encode()
    assert world.mode("run.sh") == 0o644


# drop and prune


def test_undo_takes_both_calls_of_a_turn_between_which_a_snapshot_was_dropped(world: World) -> None:
    """The first is a command; the second changes nothing but the file that it names."""
    world.edit({"a.txt": "a\n", "b.txt": "b\n"})
    world.line.save("before")
    agent = world.agent()
    agent.start("work")
    agent.act({"a.txt": "an agent's\n"}, key="1")
    edit: dict[str, Any] = {"key": "2", "paths": ["b.txt"], "ran": Ran(lives=False, only_named=True)}
    agent.hook("before_action", **edit)
    world.write("b.txt", "an agent's\n")
    agent.hook("after_action", **edit)
    agent.end()
    world.line.drop(between_the_calls(world))
    world.undo()
    assert world.files() == BEGINNING


def test_undo_after_a_redo_takes_the_same_turn_again_although_snapshots_were_pruned(world: World) -> None:
    world.edit({"a.txt": "a\n", "b.txt": "b\n"})
    world.line.save("before")
    open_turn = world.agent("open")
    open_turn.start("it stays open")
    open_turn.act({"z.txt": "z\n"}, key="1", paths=["z.txt"])
    world.turn("older", {"a.txt": "an agent's\n"})
    agent = world.agent("newer")
    agent.start("newer")
    agent.act({"b.txt": "an agent's\n"}, key="2", paths=["b.txt"])
    agent.act({"c.txt": "an agent's\n"}, key="3", paths=["c.txt"])
    agent.end()
    turn = world.move("newer").id
    assert world.undo().moves == (turn,)
    world.write("mine.txt", "hers\n")
    world.store.prune(tb.Policy(keep_last=1))
    world.redo()
    assert world.undo().moves == (turn,)
    assert (world.read("a.txt"), world.read("b.txt"), world.exists("c.txt")) == (b"an agent's\n", b"b\n", False)


# an agent's own undo


def test_a_turn_that_an_agent_took_back_itself_can_be_taken_back_once_that_is_undone(world: World) -> None:
    here = processes.ancestry()
    above = here._replace(chain=here.chain[1:])  # the agent is what has started this process
    world.write("a.txt", TEXT)
    edited = with_line(TEXT, 2, "an agent's")
    world.turn("edit", {"a.txt": edited}, session="s1")
    agent = world.agent("s1")
    agent.start("undo it")
    agent.hook("before_action", key="1", agent=above)
    world.undo(world.move("edit").id)
    agent.done("1")
    agent.act({"new.txt": "new\n"}, key="2")
    agent.end()
    world.undo()
    assert world.files() == {"a.txt": edited.encode()}
    world.undo()
    assert world.files() == {"a.txt": TEXT.encode()}
