"""Which move plain undo takes, and what `--since`, `--path`, a repeated undo and an undo after a restore take then.

Every undo here is redone, which must give exactly what was there before, and done again.
"""

from __future__ import annotations

from typing import Any

import pytest

import takeback as tb
from support.agent import TEXT, World, with_line
from takeback.model.plan import Report


def undo(world: World, move: str | None = None, **options: Any) -> Report:
    """An undo whose redo is exact, and which does the same again."""
    before = world.tree()
    world.undo(move, **options)
    after = world.tree()
    world.redo()
    assert world.tree() == before, "redo is exact"
    report = world.undo(move, **options)
    assert world.tree() == after, "the same undo again does the same"
    return report


# a person's saves, and no agent


def test_each_undo_takes_back_what_was_broken_since_the_last_one(world: World) -> None:
    world.edit({"a": "good", "b": "good"})
    good = world.tree()
    world.line.save("good")
    for broken in ("first", "second", "third"):
        world.edit({"a": broken, broken: "new"})
        undo(world)
        assert world.tree() == good
    with pytest.raises(tb.NotFound):
        world.undo()


def test_undo_again_goes_on_to_older_saves_after_a_second_break(world: World) -> None:
    for number in range(3):
        world.write("a", f"version {number}")
        world.line.save(f"v{number}")
    world.write("a", "first break")
    undo(world)
    world.write("a", "second break")
    for expected in (b"version 2", b"version 1", b"version 0"):
        undo(world)
        assert world.read("a") == expected


def test_what_changes_after_a_redo_is_taken_back_before_what_was_redone(world: World) -> None:
    world.edit({"a": "good", "b": "good"})
    world.line.save("good")
    world.write("a", "broken")
    world.undo()
    world.redo()
    world.write("b", "broken too")
    undo(world)
    assert world.files() == {"a": b"broken", "b": b"good"}
    undo(world)
    assert world.files() == {"a": b"good", "b": b"good"}


def test_what_changes_after_a_restore_is_taken_back_before_the_restore(world: World) -> None:
    world.write("a", "one")
    world.line.save("one")
    world.write("a", "two")
    world.line.save("two")
    world.write("a", "three")
    world.restore("one")
    world.write("a", "broken")
    for expected in (b"one", b"three", b"two", b"one"):
        undo(world)
        assert world.read("a") == expected


def test_the_next_move_is_named_after_the_save_whose_state_is_back(world: World) -> None:
    world.write("a", "good")
    world.line.save("good")
    world.write("a", "first")
    world.undo()
    world.write("a", "second")
    assert world.undo().title == "changes since “good”"


def test_undo_of_some_paths_of_a_person_s_own_move_leaves_the_rest_for_the_next(world: World) -> None:
    world.edit({"a": "0", "b": "0"})
    world.line.save("good")
    world.edit({"a": "1", "b": "1"})
    undo(world, paths={"workspace": ["a"]})
    assert world.files() == {"a": b"0", "b": b"1"}
    undo(world)
    assert world.files() == {"a": b"0", "b": b"0"}


# agents, and a person's own open move


def test_after_a_turn_and_a_person_s_save_undo_takes_the_turn_and_leaves_her_edit(world: World) -> None:
    world.edit({"a": "0", "mine": "0"})
    world.turn("work", {"a": "1"})
    world.line.save("mine")
    world.write("mine", "1")
    report = undo(world)
    assert world.files() == {"a": b"0", "mine": b"1"}
    assert [(each.level, each.title) for each in report.others] == [("manual", "changes since “mine”")]
    undo(world, level="manual")
    assert world.files() == {"a": b"0", "mine": b"0"}


def test_her_move_goes_on_when_an_agent_s_is_taken_back(world: World) -> None:
    """All that she changed since her save is one move, before and after the undo of the agent's."""
    world.edit({"a": "0", "mine": "0", "later": "0"})
    world.turn("work", {"a": "1"})
    world.line.save("mine")
    world.write("mine", "1")
    world.undo()
    world.write("later", "1")
    undo(world, level="manual")
    assert world.files() == {"a": b"0", "mine": b"0", "later": b"0"}


def test_a_save_after_which_nothing_changed_is_no_choice(world: World) -> None:
    world.write("a", "0")
    world.turn("work", {"a": "1"})
    world.line.save("mine")
    report = undo(world)
    assert world.read("a") == b"0"
    assert report.others == ()


def test_where_agents_moved_plain_undo_never_takes_a_person_s_move(world: World) -> None:
    world.edit({"a": "0", "mine": "0"})
    world.turn("work", {"a": "1"})
    world.undo()
    world.line.save("mine")
    world.write("mine", "1")
    with pytest.raises(tb.NotFound) as raised:
        world.undo()
    assert any("takeback undo --level manual" in hint for hint in raised.value.hints)
    assert world.read("mine") == b"1"
    (choice,) = world.line.undo_choices()
    assert (choice.level, choice.title) == ("manual", "changes since “mine”")


def test_the_choices_are_the_agent_s_move_first_and_then_the_person_s(world: World) -> None:
    world.edit({"a": "0", "mine": "0"})
    turn = world.turn("work", {"a": "1"}, session="s1")
    world.line.save("mine")
    world.write("mine", "1")
    before, counts = world.tree(), world.counts()
    agents, hers = world.line.undo_choices()
    assert (agents.move, agents.level, agents.session) == (turn, "turn", "s1")
    assert (hers.level, hers.session) == ("manual", "")
    assert (world.tree(), world.counts()) == (before, counts), "to ask is to touch nothing"
    assert world.line.plan_undo().moves == (turn,)
    assert world.line.plan_undo().others == (hers,)


def test_a_named_move_or_level_leaves_no_choice(world: World) -> None:
    world.edit({"a": "0", "mine": "0"})
    turn = world.turn("work", {"a": "1"})
    world.line.save("mine")
    world.write("mine", "1")
    assert world.line.plan_undo(turn).others == ()
    assert world.line.plan_undo(level="turn").others == ()
    assert world.line.plan_undo(since="root").others == ()


def test_there_is_no_choice_where_nothing_is_to_undo(world: World) -> None:
    assert world.line.undo_choices() == ()
    world.write("a", "0")
    world.line.save()
    assert world.line.undo_choices() == ()


def test_what_undo_would_take_next_is_what_it_takes(world: World) -> None:
    world.edit({"a": "0", "b": "0"})
    world.turn("one", {"a": "1"})
    world.turn("two", {"b": "1"})
    world.write("b", "0")  # the person has taken it back by hand: it has no effect any more
    (choice,) = world.line.undo_choices()
    assert choice.title == "one"
    assert world.undo().moves[0] == choice.move


# the newest is the one that acted last


def test_a_crashed_turn_does_not_hide_a_newer_one(world: World) -> None:
    world.edit({"a": "0", "b": "0"})
    crashed, later = world.agent("crashed"), world.agent("later")
    crashed.start("crashed")
    crashed.act({"a": "1"}, key="1")
    later.start("later")
    later.act({"b": "1"}, key="1")
    later.end()
    undo(world)
    assert world.files() == {"a": b"1", "b": b"0"}
    undo(world)
    assert world.files() == {"a": b"0", "b": b"0"}


def test_a_crash_before_the_first_tool_call_ended_does_not_hide_a_newer_turn(world: World) -> None:
    world.edit({"a": "0", "b": "0"})
    crashed, later = world.agent("crashed"), world.agent("later")
    crashed.start("crashed")
    crashed.begin("1")
    later.start("later")
    later.act({"b": "1"}, key="1")
    later.end()
    assert world.line.undo_choices()[0].title == "later"


def test_a_turn_that_acted_after_another_one_ended_is_newer_though_it_is_older(world: World) -> None:
    world.edit({"a": "0", "b": "0"})
    long, short = world.agent("long"), world.agent("short")
    long.start("long")
    short.start("short")
    short.act({"b": "1"}, key="1")
    short.end()
    long.act({"a": "1"}, key="1")
    undo(world)
    assert world.files() == {"a": b"0", "b": b"1"}


def test_a_turn_that_only_ended_last_is_not_the_newest(world: World) -> None:
    world.edit({"a": "0", "b": "0"})
    idle, busy = world.agent("idle"), world.agent("busy")
    idle.start("idle")
    idle.act({"a": "1"}, key="1")
    busy.start("busy")
    busy.act({"b": "1"}, key="1")
    busy.end()
    world.write("mine", "typed meanwhile")
    idle.end()
    undo(world)
    assert world.files() == {"a": b"1", "b": b"0", "mine": b"typed meanwhile"}


def test_a_tool_call_that_runs_now_makes_its_turn_the_newest(world: World) -> None:
    world.edit({"a": "0", "b": "0", "c": "0"})
    running, ended = world.agent("running"), world.agent("ended")
    running.start("running")
    running.act({"a": "1"}, key="1")
    ended.start("ended")
    ended.act({"b": "1"}, key="1")
    ended.end()
    running.begin("2")
    world.write("c", "1")
    assert world.undo().title == "running"
    assert world.files() == {"a": b"0", "b": b"1", "c": b"0"}


# what an undo of some paths left


def test_plain_undo_takes_what_an_undo_of_one_path_left(world: World) -> None:
    world.edit({"a": "0", "b": "0", "c": "0", "d": "0"})
    world.turn("older", {"d": "1"})
    turn = world.turn("work", {"a": "1", "b": "1", "c": "1"})
    undo(world, paths={"workspace": ["a"]})
    assert undo(world).moves == (turn,)
    assert world.files() == {"a": b"0", "b": b"0", "c": b"0", "d": b"1"}
    undo(world)
    assert world.read("d") == b"0"


def test_paths_of_one_move_are_taken_back_one_after_the_other(world: World) -> None:
    world.edit({"a": "0", "b": "0"})
    world.turn("older", {"a": "1", "b": "1"})
    world.turn("work", {"a": "2", "b": "2"})
    for path in ("a", "b"):
        undo(world, paths={"workspace": [path]})
    assert world.files() == {"a": b"1", "b": b"1"}


def test_what_was_taken_back_already_is_not_taken_back_again_with_the_rest(world: World) -> None:
    world.edit({"a": "0", "b": "0"})
    world.turn("work", {"a": "1", "b": "1", "new": "1"})
    undo(world, paths={"workspace": ["a", "new"]})
    world.edit({"a": "her own", "new": "her own"})
    report = undo(world)
    assert world.files() == {"a": b"her own", "b": b"0", "new": b"her own"}
    assert not report.conflicts


def test_what_was_left_by_an_undo_of_other_parts_is_taken_next(world: World) -> None:
    memory: list[str] = []
    line = world.store.timeline("main", sources=[tb.Workspace(world.root), tb.State("memory", memory)])
    world.write("a", "0")
    with line.turn("work"):
        world.write("a", "1")
        memory.append("1")
    line.undo(only=["memory"])
    assert (world.read("a"), memory) == (b"1", [])
    line.undo()
    assert (world.read("a"), memory) == (b"0", [])


def test_a_turn_is_taken_back_without_its_tool_calls_that_were_taken_back_before(world: World) -> None:
    world.edit({"a": "0", "b": "0"})
    agent = world.agent()
    agent.start("work")
    agent.act({"a": "1"}, key="1")
    agent.act({"a": "2", "b": "1"}, key="2")
    agent.end()
    undo(world, level="action")
    assert world.files() == {"a": b"1", "b": b"0"}
    world.write("b", "her own")
    undo(world)
    assert world.files() == {"a": b"0", "b": b"her own"}


# since


def test_since_takes_no_tool_call_of_a_turn_that_was_undone(world: World) -> None:
    world.edit({"a": "0", "b": "0"})
    agent = world.agent()
    for number in (1, 2):
        agent.start(f"turn {number}")
        agent.act({"a": f"{number}", "b": f"{number}"}, key=str(number))
        agent.end()
    undo(world)
    report = undo(world, since="root")
    assert world.files() == {"a": b"0", "b": b"0"}
    assert len(report.moves) == 1


@pytest.mark.parametrize("undone", [1, 2, 3])
def test_since_takes_all_that_earlier_undos_left(world: World, undone: int) -> None:
    world.write("a", "0")
    agent = world.agent()
    for number in (1, 2, 3):
        agent.start(f"turn {number}")
        agent.act({"a": f"{number}", f"new{number}": "x"}, key=f"{number}a")
        agent.act({"a": f"{number}b"}, key=f"{number}b")
        agent.end()
    for _ in range(undone):
        undo(world)
    if undone == 3:
        with pytest.raises(tb.NotFound):
            world.undo(since="root")
    else:
        undo(world, since="root")
    assert world.files() == {"a": b"0"}


def test_since_passes_takeback_s_own_restore(world: World) -> None:
    world.write("a", "0")
    world.turn("one", {"a": "1"})
    one = world.line.log().snapshots[0].id
    world.turn("two", {"a": "2", "b": "2"})
    world.restore(one)
    undo(world, since="root")
    assert world.files() == {"a": b"0"}


def test_since_leaves_what_a_person_did_to_a_file_that_she_restored(world: World) -> None:
    world.write("a", "0")
    world.turn("one", {"a": "1"})
    one = world.line.log().snapshots[0].id
    world.turn("two", {"a": "2", "b": "2"})
    world.restore(one, paths=["a"])
    world.write("a", "1 and her own")
    world.write("b", "2 and her own")
    with pytest.raises(tb.Conflict):
        world.undo(since=one)
    assert world.files() == {"a": b"1 and her own", "b": b"2 and her own"}


def test_since_does_not_bring_back_what_a_person_threw_away_by_a_restore(world: World) -> None:
    world.edit({"a": "0", "mine": "0"})
    world.line.save()
    world.turn("one", {"a": "1"})
    world.edit({"mine": "draft", "a": "1 and a draft"})
    world.restore("root")
    world.turn("two", {"b": "1"})
    undo(world, since="root")
    assert world.files() == {"a": b"0", "mine": b"0"}


def test_since_takes_again_what_was_in_conflict(world: World) -> None:
    world.write("a", "0")
    first = world.turn("one", {"a": "1", "b": "1"})
    world.turn("two", {"a": "2"})
    assert [item.path for item in world.undo(first).conflicts] == ["a"]
    undo(world, since="root")
    assert world.files() == {"a": b"0"}


def test_since_takes_back_what_a_person_broke_after_an_undo(world: World) -> None:
    """Where there is no agent at all, it is about her own moves."""
    world.write("a", "0")
    world.line.save("good")
    world.write("a", "1")
    world.undo()
    world.write("a", "2")
    undo(world, since="root")
    assert world.read("a") == b"0"


def test_since_merges_as_undo_does_after_an_undo_in_the_middle(world: World) -> None:
    world.write("a", TEXT)
    one = with_line(TEXT, 1, "one")
    first = world.turn("one", {"a": one})
    world.turn("two", {"a": with_line(one, 9, "two")})
    undo(world, first)
    world.write("a", with_line(with_line(TEXT, 9, "two"), 5, "hers"))
    undo(world, since="root")
    assert world.read("a") == with_line(TEXT, 5, "hers").encode()


# after a restore


def test_after_a_restore_undo_takes_the_restore_and_then_the_moves_before_it(world: World) -> None:
    world.write("a", "0")
    world.turn("one", {"a": "1"})
    world.turn("two", {"a": "2"})
    world.restore("root")
    for expected in (b"2", b"1", b"0"):
        undo(world)
        assert world.read("a") == expected
    with pytest.raises(tb.NotFound):
        world.undo()


def test_a_turn_after_a_restore_is_newer_than_the_restore(world: World) -> None:
    world.write("a", "0")
    world.turn("one", {"a": "1"})
    world.restore("root")
    world.turn("two", {"a": "2"})
    for expected in (b"0", b"1", b"0"):
        undo(world)
        assert world.read("a") == expected
