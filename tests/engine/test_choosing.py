"""A restore or an undo of some paths of some parts: the rest of the world stays, and the rest of a move can follow."""

from __future__ import annotations

import pytest

import takeback as tb
from support.agent import World
from takeback.errors import InvalidInput, NotFound


@pytest.fixture
def turned(world: World) -> World:
    """Two turns; the first changed ``a`` and deleted ``d/x`` and ``d/y``, the second changed ``b``."""
    world.edit({"a": "1\n", "b": "1\n", "d/x": "x\n", "d/y": "y\n"})
    world.line.save("start")
    with world.line.turn("first", session="s"):
        world.edit({"a": "2\n", "d": None})
    with world.line.turn("second", session="s"):
        world.edit({"b": "2\n"})
    return world


def test_undo_of_a_path_takes_back_the_newest_move_that_changed_it(turned: World) -> None:
    report = turned.line.undo(paths={"workspace": ["a"]})
    first = next(move for move in turned.line.log().moves if move.title == "first" and not move.verb)
    assert report.moves == (first.id,) and report.changed == ("a",)
    assert (turned.read("a"), turned.read("b"), turned.exists("d")) == (b"1\n", b"2\n", False)
    second = next(move for move in turned.line.log().moves if move.title == "second")
    assert second.undone_by is None


def test_a_directory_comes_back_with_the_one_file_that_is_wanted_of_it(turned: World) -> None:
    turned.line.undo(paths={"workspace": ["d/x"]})
    assert turned.read("d/x") == b"x\n" and not turned.exists("d/y") and turned.read("a") == b"2\n"


def test_what_was_left_of_a_move_is_taken_back_by_its_name_and_redone_with_it(turned: World) -> None:
    first = turned.line.undo(paths={"workspace": ["a"]})
    (move,) = first.moves
    turned.line.undo(move)
    assert turned.read("d/y") == b"y\n"
    turned.line.redo()
    assert not turned.exists("d") and turned.read("a") == b"1\n"
    turned.line.redo()
    assert turned.read("a") == b"2\n"


def test_what_was_renamed_since_is_chosen_by_the_name_that_it_has_now(world: World) -> None:
    text = "".join(f"line {number}\n" for number in range(20))
    world.edit({"d/x": text, "a": "1\n"})
    world.line.save("start")
    with world.line.turn("edits", session="s"):
        world.edit({"d/x": text + "the agent's\n", "a": "2\n"})
    world.rename("d/x", "e/y")
    whole = world.line.plan_undo()
    assert [effect.path for effect in whole.effects] == ["a", "e/y"]
    world.undo(paths={"workspace": ["e/y"]})
    assert (world.read("e/y"), world.read("a")) == (text.encode(), b"2\n")


def test_what_needs_something_that_was_not_chosen_to_go_is_a_conflict(world: World) -> None:
    world.edit({"d/x": "x\n", "d/y": "y\n", "a": "1\n"})
    world.line.save("start")
    with world.line.turn("a file in its place", session="s"):
        world.edit({"d": None, "a": "2\n"})
        world.edit({"d": "now a file\n"})
    report = world.undo(paths={"workspace": ["d/x", "a"]})
    assert report.changed == ("a",) and world.read("d") == b"now a file\n"
    assert [(item.path, item.reason) for item in report.conflicts] == [
        ("d/x", "something that was left as it is stands in its way")
    ]
    world.undo(report.moves[0], paths={"workspace": ["d"]})
    assert (world.read("d/x"), world.read("d/y")) == (b"x\n", b"y\n")


def test_another_path_that_several_sessions_share_is_not_in_the_way(world: World) -> None:
    world.edit({"a": "1\n", "b": "1\n"})
    world.line.save("start")
    with world.line.turn("older", session="s"):
        world.edit({"a": "2\n"})
    world.agent("one").start("one")
    world.agent("two").start("two")
    world.edit({"b": "2\n"})
    world.agent("two").end()
    world.agent("one").end()
    assert world.line.plan_undo().shared == ("b",)
    assert world.undo(paths={"workspace": ["a"]}).changed == ("a",)


def test_a_path_that_no_move_changed_is_nothing_to_undo(turned: World) -> None:
    with pytest.raises(NotFound, match="nothing to undo"):
        turned.line.undo(paths={"workspace": ["zzz"]})


@pytest.mark.parametrize("path", ["d/", "./d", "d//", "a/../d"])
def test_paths_of_an_undo_need_not_be_written_in_one_way(turned: World, path: str) -> None:
    report = turned.line.undo(paths={"workspace": [path]})
    assert set(report.changed) == {"d", "d/x", "d/y"} and turned.read("a") == b"2\n"


def test_paths_of_an_undo_are_checked_as_those_of_a_restore(turned: World) -> None:
    for path in ("../x", str(turned.root / "a")):
        with pytest.raises(InvalidInput, match="outside"):
            turned.line.plan_undo(paths={"workspace": [path]})
    with pytest.raises(InvalidInput, match="names nothing"):
        turned.line.plan_undo(paths={"workspace": []})


def test_a_part_that_is_not_there_does_not_mean_all_of_the_others(turned: World) -> None:
    with pytest.raises(NotFound, match="no part 'workspce'"):
        turned.line.plan_undo(paths={"workspce": ["a"]})
    with pytest.raises(NotFound, match="no part 'workspce'"):
        turned.line.plan("start", paths={"workspce": ["a"]})


def test_a_value_has_no_paths_and_is_taken_back_whole(world: World) -> None:
    memory = {"n": 1, "m": 1}
    line = world.store.timeline(sources=[tb.Workspace(world.root), tb.State("memory", memory)])
    world.edit({"a": "1\n"})
    line.save("both")
    with line.turn("all", session="s"):
        memory |= {"n": 2, "m": 2}
        world.edit({"a": "2\n"})
    line.undo(only=["memory"], paths={"memory": ["n"]})
    assert memory == {"n": 1, "m": 1} and world.read("a") == b"2\n"


def test_restore_takes_paths_of_one_part_and_all_of_another(world: World) -> None:
    memory = {"n": 1}
    line = world.store.timeline(sources=[tb.Workspace(world.root), tb.State("memory", memory)])
    world.edit({"a": "1\n", "b": "1\n"})
    line.save("both")
    memory["n"] = 2
    world.edit({"a": "2\n", "b": "2\n"})
    line.save()
    plan = line.plan("both", paths={"workspace": ["a"]})
    assert {effect.part for effect in plan.effects} == {"workspace", "memory"}
    line.restore("both", paths={"workspace": ["a"]})
    assert (world.read("a"), world.read("b"), memory) == (b"1\n", b"2\n", {"n": 1})
    line.undo()
    assert (world.read("a"), memory) == (b"2\n", {"n": 2})


def test_paths_by_part_are_checked_as_others_are(world: World) -> None:
    world.write("a", "1\n")
    world.line.save("one")
    with pytest.raises(NotFound, match="neither in snapshot"):
        world.line.plan("one", paths={"workspace": ["typo"]})
    with pytest.raises(InvalidInput, match="outside"):
        world.line.plan("one", paths={"workspace": ["../x"]})
    with pytest.raises(InvalidInput, match="names nothing"):
        world.line.plan("one", paths={"workspace": []})
    with pytest.raises(InvalidInput, match="by part"):
        world.line.restore("one", paths={"workspace": ["a"]}, to=str(world.base / "there"))


def test_a_reset_takes_what_was_left_of_a_move_too(turned: World) -> None:
    turned.line.undo(paths={"workspace": ["a"]})
    turned.line.undo(since="start")
    assert (turned.read("a"), turned.read("b"), turned.read("d/y")) == (b"1\n", b"1\n", b"y\n")
    turned.line.redo()
    assert (turned.read("a"), turned.read("b"), turned.exists("d")) == (b"1\n", b"2\n", False)
    turned.line.undo(since="start")
    assert turned.read("d/y") == b"y\n"
