"""Several agents in one directory: whose change is it?"""

from __future__ import annotations

import pytest

import takeback as tb
from support.agent import TEXT, Agent, World, with_line


@pytest.fixture
def two(world: World) -> tuple[World, Agent, Agent]:
    world.edit({"a": "0", "b": "0", "c": "0", "text": TEXT})
    return world, world.agent("s1"), world.agent("s2")


def changed(world: World) -> dict[str, bytes]:
    """What is not as it was at first."""
    first = {"a": b"0", "b": b"0", "c": b"0", "text": TEXT.encode()}
    return {path: content for path, content in world.files().items() if first.get(path) != content}


# one after the other


def test_undo_of_a_session_leaves_the_others_turns(two: tuple[World, Agent, Agent]) -> None:
    world, _, _ = two
    world.turn("one", {"a": "1"}, session="s1")
    world.turn("two", {"b": "1"}, session="s2")
    assert world.undo(session="s1").moves == (world.move("one").id,)
    assert changed(world) == {"b": b"1"}
    with pytest.raises(tb.NotFound):
        world.undo(session="s1")


def test_plain_undo_takes_the_newest_turn_of_any_session(two: tuple[World, Agent, Agent]) -> None:
    world, _, _ = two
    world.turn("one", {"a": "1"}, session="s1")
    world.turn("two", {"b": "1"}, session="s2")
    world.undo()
    assert changed(world) == {"a": b"1"}


def test_the_log_of_a_session_has_only_its_moves(two: tuple[World, Agent, Agent]) -> None:
    world, _, _ = two
    world.turn("one", {"a": "1"}, session="s1")
    world.turn("two", {"b": "1"}, session="s2")
    world.turn("three", {"a": "2"}, session="s1")
    assert [move.title for move in world.line.log(session="s1").moves] == ["three", "one"]
    assert [move.title for move in world.line.log(session="s2").moves] == ["two"]
    assert [move.title for move in world.line.log(session="s3").moves] == []


def test_undo_of_an_unknown_session_finds_nothing(two: tuple[World, Agent, Agent]) -> None:
    world, _, _ = two
    world.turn("one", {"a": "1"}, session="s1")
    with pytest.raises(tb.NotFound):
        world.undo(session="s3")


# interleaved, with action marks


def test_with_action_marks_interleaved_turns_own_what_their_actions_changed(two: tuple[World, Agent, Agent]) -> None:
    world, one, other = two
    one.start("one")
    other.start("other")
    one.act({"a": "1"}, key="1")
    other.act({"b": "1"}, key="1")
    one.act({"a2": "1"}, key="2")
    one.end()
    other.act({"c": "1"}, key="2")
    other.end()
    report = world.undo(session="s1")
    assert changed(world) == {"b": b"1", "c": b"1"}
    assert report.shared == ()
    world.undo(session="s2")
    assert changed(world) == {}


def test_interleaved_actions_in_one_file_are_merged(two: tuple[World, Agent, Agent]) -> None:
    world, one, other = two
    one.start("one")
    other.start("other")
    text = with_line(TEXT, 2, "one")
    one.act({"text": text}, key="1")
    text = with_line(text, 8, "other")
    other.act({"text": text}, key="1")
    one.end()
    other.end()
    report = world.undo(session="s1")
    assert changed(world) == {"text": with_line(TEXT, 8, "other").encode()}
    assert report.merged == ("text",)


def test_overlapping_actions_own_what_their_tools_reported(two: tuple[World, Agent, Agent]) -> None:
    world, one, other = two
    one.start("one")
    other.start("other")
    one.begin("1", paths=["a"])
    other.begin("1", paths=["b"])
    world.edit({"a": "1", "b": "1", "c": "1"})
    one.done("1")
    other.done("1")
    one.end()
    other.end()
    report = world.undo(session="s1")
    assert changed(world) == {"b": b"1", "c": b"1"}
    assert report.shared == ("c",)


def test_shared_paths_are_taken_when_asked_for(two: tuple[World, Agent, Agent]) -> None:
    world, one, other = two
    one.start("one")
    other.start("other")
    one.begin("1", paths=["a"])
    other.begin("1", paths=["b"])
    world.edit({"a": "1", "b": "1", "c": "1"})
    one.done("1")
    other.done("1")
    one.end()
    other.end()
    world.undo(session="s1", shared=True)
    assert changed(world) == {"b": b"1"}


def test_a_path_that_both_tools_reported_is_shared(two: tuple[World, Agent, Agent]) -> None:
    world, one, other = two
    one.start("one")
    other.start("other")
    one.begin("1", paths=["a", "c"])
    other.begin("1", paths=["b", "c"])
    world.edit({"a": "1", "b": "1", "c": "1"})
    one.done("1")
    other.done("1")
    one.end()
    other.end()
    report = world.undo(session="s1")
    assert changed(world) == {"b": b"1", "c": b"1"}
    assert report.shared == ("c",)


def test_a_reported_directory_holds_what_is_below_it(two: tuple[World, Agent, Agent]) -> None:
    world, one, other = two
    one.begin("1", paths=["src"], title="one")
    other.begin("1", paths=["lib"], title="other")
    world.edit({"src/x": "1", "lib/y": "1"})
    one.done("1")
    other.done("1")
    report = world.undo(session="s1")
    assert changed(world) == {"lib/y": b"1"}
    assert report.shared == ()


def test_a_reported_path_inside_another_sessions_turn_belongs_to_its_reporter(two: tuple[World, Agent, Agent]) -> None:
    world, one, other = two
    one.start("one")
    world.write("a", "1")
    other.act({"b": "1"}, key="1", paths=["b"])
    one.end()
    report = world.undo(world.move("one").id)
    assert changed(world) == {"b": b"1"}
    assert "b" not in report.shared


# interleaved, without action marks


def test_without_marks_a_turn_owns_what_changed_while_it_was_alone(two: tuple[World, Agent, Agent]) -> None:
    world, one, other = two
    one.start("one")
    world.write("a", "1")
    other.start("other")
    world.write("b", "1")
    one.end()
    world.write("c", "1")
    other.end()
    report = world.undo(session="s1")
    assert changed(world) == {"b": b"1", "c": b"1"}
    assert report.shared == ("b",)
    report = world.undo(session="s2")
    assert changed(world) == {"b": b"1"}
    assert report.shared == ("b",)


def test_without_marks_what_changed_while_both_worked_is_taken_when_asked_for(two: tuple[World, Agent, Agent]) -> None:
    world, one, other = two
    one.start("one")
    world.write("a", "1")
    other.start("other")
    world.write("b", "1")
    one.end()
    world.write("c", "1")
    other.end()
    world.undo(session="s1", shared=True)
    assert changed(world) == {"c": b"1"}


def test_when_everything_is_shared_nothing_is_taken_and_the_move_stays(two: tuple[World, Agent, Agent]) -> None:
    world, one, other = two
    one.start("one")
    other.start("other")
    world.edit({"a": "1", "b": "1"})
    one.end()
    other.end()
    turn = world.move("one").id
    plan = world.line.plan_undo(turn)
    assert (plan.effects, set(plan.shared)) == ((), {"a", "b"})
    with pytest.raises(tb.Partial):
        world.undo(turn)
    assert world.move("one").undone_by is None
    world.undo(turn, shared=True)
    assert changed(world) == {}


def test_a_shared_path_is_planned_with_shared(two: tuple[World, Agent, Agent]) -> None:
    world, one, other = two
    one.start("one")
    other.start("other")
    world.write("a", "1")
    one.end()
    other.end()
    plan = world.line.plan_undo(world.move("one").id, shared=True)
    assert [effect.path for effect in plan.effects] == ["a"]


# beginnings and ends


def test_a_turn_of_one_session_does_not_close_the_others(two: tuple[World, Agent, Agent]) -> None:
    world, one, other = two
    one.start("one")
    world.write("a", "1")
    other.start("other")
    assert world.move("one").open
    world.write("b", "1")
    other.end()
    assert world.move("one").open
    one.end()
    assert not world.move("one").open


def test_the_end_of_a_session_closes_only_its_own_moves(two: tuple[World, Agent, Agent]) -> None:
    world, one, other = two
    one.start("one")
    other.start("other")
    world.write("a", "1")
    other.leave()
    assert world.move("one").open
    assert not world.move("other").open


def test_undo_of_one_open_turn_leaves_the_other_open(two: tuple[World, Agent, Agent]) -> None:
    world, one, other = two
    one.start("one")
    one.act({"a": "1"}, key="1")
    other.start("other")
    other.act({"b": "1"}, key="1")
    world.undo(session="s2")
    assert changed(world) == {"a": b"1"}
    assert world.move("one").open
    one.act({"c": "1"}, key="2")
    one.end()
    world.undo(session="s1")
    assert changed(world) == {}


def test_a_persons_edit_between_the_actions_of_two_sessions_is_nobodys(two: tuple[World, Agent, Agent]) -> None:
    world, one, other = two
    one.start("one")
    other.start("other")
    one.act({"a": "1"}, key="1")
    world.write("mine", "person")
    other.act({"b": "1"}, key="1")
    one.end()
    other.end()
    world.undo(session="s1")
    world.undo(session="s2")
    assert changed(world) == {"mine": b"person"}


def test_undo_since_original_of_one_session_keeps_the_others_work(two: tuple[World, Agent, Agent]) -> None:
    world, one, other = two
    for number in ("1", "2"):
        one.start(f"one {number}")
        one.act({"a": number}, key=number)
        other.start(f"other {number}")
        other.act({"b": number}, key=number)
        one.end()
        other.end()
    world.undo(since="original", session="s1")
    assert changed(world) == {"b": b"2"}


def test_two_timelines_of_one_directory_do_not_disturb_each_other(two: tuple[World, Agent, Agent]) -> None:
    world, _, _ = two
    second = world.store.timeline("second", sources=[tb.Workspace(world.root)])
    world.turn("one", {"a": "1"})
    with second.turn("two"):
        world.write("b", "1")
    world.undo()
    assert changed(world) == {"b": b"1"}
    second.undo()
    assert changed(world) == {}
