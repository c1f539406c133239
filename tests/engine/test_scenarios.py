"""What people and agents do in a row, and what undo and redo then mean."""

from __future__ import annotations

import asyncio
import shutil

import pytest

import takeback as tb
from support.agent import TEXT, World, with_line

# save, break, undo


def test_save_break_undo_brings_everything_back(world: World) -> None:
    world.edit({"app.py": TEXT, "old.txt": "old\n", "docs/a.md": "# a\n"})
    good = world.tree()
    world.line.save("good")
    world.edit({"app.py": "broken", "old.txt": None, "new.txt": "new\n", "docs": None})
    report = world.undo()
    assert world.tree() == good
    assert report.verb == "undo"
    assert {"app.py", "old.txt", "new.txt", "docs/a.md"} <= set(report.changed)
    assert not report.conflicts


def test_save_break_undo_redo_brings_the_break_back(world: World) -> None:
    world.write("app.py", TEXT)
    world.line.save("good")
    world.edit({"app.py": "broken", "new.txt": "new\n"})
    broken = world.tree()
    world.undo()
    world.redo()
    assert world.tree() == broken


def test_undo_again_takes_back_what_was_done_before_the_last_save(world: World) -> None:
    trees = []
    for number in range(3):
        world.write("app.py", f"version {number}\n")
        trees.append(world.tree())
        world.line.save(f"v{number}")
    world.write("app.py", "unsaved\n")
    for tree in reversed(trees):
        world.undo()
        assert world.tree() == tree
    with pytest.raises(tb.NotFound):
        world.undo()


def test_undo_right_after_a_save_takes_back_what_was_done_before_it(world: World) -> None:
    world.write("app.py", "first\n")
    world.line.save("first")
    world.write("app.py", "second\n")
    world.line.save("second")
    world.undo()
    assert world.read("app.py") == b"first\n"


def test_saving_twice_in_a_row_does_not_use_up_an_undo(world: World) -> None:
    world.write("app.py", "good\n")
    world.line.save("a")
    world.line.save("b")
    world.write("app.py", "broken\n")
    world.undo()
    assert world.read("app.py") == b"good\n"


def test_an_interval_save_does_not_cut_what_a_manual_save_began(world: World) -> None:
    world.edit({"a": "1", "b": "1"})
    world.line.save("good")
    world.write("a", "2")
    world.line.save(trigger="interval")
    world.write("b", "2")
    world.undo()
    assert world.files() == {"a": b"1", "b": b"1"}


# two turns, undo, undo, redo, redo


def test_two_turns_undo_undo_redo_redo(world: World) -> None:
    world.edit({"app.py": "0\n", "gone.txt": "gone\n"})
    before = world.tree()
    first = world.turn("one", {"app.py": "1\n", "one/new.txt": "1\n"})
    after_one = world.tree()
    second = world.turn("two", {"app.py": "2\n", "gone.txt": None})
    after_two = world.tree()

    assert world.undo().moves == (second,)
    assert world.tree() == after_one
    assert world.undo().moves == (first,)
    assert world.tree() == before
    with pytest.raises(tb.NotFound):
        world.undo()
    world.redo()
    assert world.tree() == after_one
    world.redo()
    assert world.tree() == after_two
    with pytest.raises(tb.NotFound):
        world.redo()


def test_undo_and_redo_can_go_back_and_forth(world: World) -> None:
    world.write("app.py", "0\n")
    trees = [world.tree()]
    for number in (1, 2, 3):
        world.turn(f"turn {number}", {"app.py": f"{number}\n", f"file{number}": "x"})
        trees.append(world.tree())
    place = 3
    for step in (-1, 1, -1, -1, 1, -1, -1, 1, 1, 1, -1):
        world.undo() if step < 0 else world.redo()
        place += step
        assert world.tree() == trees[place]


def test_an_undone_move_says_so_until_it_is_redone(world: World) -> None:
    world.write("a", "0")
    turn = world.turn("one", {"a": "1"})
    assert world.move("one").undone_by is None
    report = world.undo()
    assert world.move("one").undone_by == report.move
    world.redo()
    assert world.move("one").undone_by is None
    assert world.move("one").id == turn


def test_undo_and_redo_are_moves_of_takeback_itself(world: World) -> None:
    world.write("a", "0")
    world.turn("one", {"a": "1"})
    undo, redo = world.undo(), world.redo()
    assert undo.move is not None and redo.move is not None
    verbs = {move.id: (move.level, move.verb) for move in world.moves()}
    assert verbs[undo.move] == ("takeback", "undo")
    assert verbs[redo.move] == ("takeback", "redo")


def test_a_turn_whose_end_cannot_be_recorded_does_not_hide_the_agents_own_error(world: World) -> None:
    turn = world.line.turn("fails")
    with pytest.raises(ZeroDivisionError) as caught, turn:
        shutil.rmtree(world.root)
        raise ZeroDivisionError
    assert "could not record that this turn ended" in caught.value.__notes__[0]
    assert turn.closing is None
    with pytest.raises(tb.NotFound), world.line.turn("quiet"):
        raise AssertionError("it was not even opened")


def test_a_turn_that_raises_is_closed_and_can_be_taken_back(world: World) -> None:
    world.write("a", "0")
    with pytest.raises(ZeroDivisionError), world.line.turn("fails"):
        world.write("a", "1")
        raise ZeroDivisionError
    assert not world.move("fails").open
    world.undo()
    assert world.read("a") == b"0"


def test_a_turn_works_in_async_code(world: World) -> None:
    world.write("a", "0")

    async def work() -> None:
        async with world.line.turn("async"):
            world.write("a", "1")

    asyncio.run(work())
    assert not world.move("async").open
    world.undo()
    assert world.read("a") == b"0"


def test_what_happened_outlives_the_process(world: World) -> None:
    world.write("a", "0")
    world.turn("one", {"a": "1"})
    world.turn("two", {"a": "2"})
    world.reopened().undo()
    assert world.read("a") == b"1"
    world.reopened().undo()
    assert world.read("a") == b"0"
    world.reopened().redo()
    assert world.read("a") == b"1"


# a person's edits around turns


def test_a_turn_an_edit_a_turn_undo_undo_keeps_the_edit(world: World) -> None:
    world.edit({"app.py": "0\n", "notes.txt": "mine\n"})
    world.turn("one", {"app.py": "1\n"})
    world.edit({"notes.txt": "mine, edited\n", "todo.txt": "mine too\n"})
    world.turn("two", {"app.py": "2\n"})
    world.undo()
    assert world.read("app.py") == b"1\n"
    world.undo()
    assert world.files() == {"app.py": b"0\n", "notes.txt": b"mine, edited\n", "todo.txt": b"mine too\n"}


def test_an_edit_between_two_turns_in_the_very_file_is_kept(world: World) -> None:
    world.write("app.py", TEXT)
    world.turn("one", {"app.py": with_line(TEXT, 2, "agent")})
    mine = with_line(with_line(TEXT, 2, "agent"), 5, "person")
    world.write("app.py", mine)
    world.turn("two", {"app.py": with_line(mine, 8, "agent again")})
    world.undo()
    assert world.read("app.py") == mine.encode()
    world.undo()
    assert world.read("app.py") == with_line(TEXT, 5, "person").encode()


def test_an_idle_turn_and_an_edit_do_not_get_in_the_way_of_undo(world: World) -> None:
    world.edit({"app.py": "0\n", "notes.txt": "mine\n"})
    world.turn("one", {"app.py": "1\n"})
    with world.line.turn("idle"):
        pass
    world.write("notes.txt", "edited\n")
    world.undo()
    assert world.files() == {"app.py": b"0\n", "notes.txt": b"edited\n"}


def test_after_only_an_idle_turn_there_is_nothing_to_undo(world: World) -> None:
    world.write("notes.txt", "mine\n")
    with world.line.turn("idle"):
        pass
    world.write("notes.txt", "edited\n")
    with pytest.raises(tb.NotFound):
        world.undo()
    assert world.moves() == ()


def test_an_edit_between_two_tool_calls_is_a_persons(world: World) -> None:
    world.edit({"a": "0", "b": "0", "mine": "0"})
    agent = world.agent()
    agent.start("fix it")
    agent.act({"a": "1"}, key="1")
    world.edit({"mine": "edited", "also mine": "new"})
    agent.act({"b": "1"}, key="2")
    agent.end()
    world.undo()
    assert world.files() == {"a": b"0", "b": b"0", "mine": b"edited", "also mine": b"new"}


def test_an_edit_between_two_tool_calls_in_the_very_file_is_kept(world: World) -> None:
    world.write("app.py", TEXT)
    agent = world.agent()
    agent.start("fix it")
    text = with_line(TEXT, 1, "agent")
    agent.act({"app.py": text}, key="1")
    text = with_line(text, 5, "person")
    world.write("app.py", text)
    agent.act({"app.py": with_line(text, 9, "agent")}, key="2")
    agent.end()
    world.undo()
    assert world.read("app.py") == with_line(TEXT, 5, "person").encode()


def test_an_edit_between_tool_calls_that_only_read_is_a_persons(world: World) -> None:
    world.edit({"a": "0", "mine": "0"})
    agent = world.agent()
    agent.start("look around")
    agent.act({}, key="1")
    world.write("mine", "edited")
    agent.act({}, key="2")
    agent.end()
    with pytest.raises(tb.NotFound):
        world.undo()
    assert world.read("mine") == b"edited"


def test_undo_passes_over_a_turn_in_which_only_a_person_changed_something(world: World) -> None:
    world.edit({"a": "0", "mine": "0"})
    agent = world.agent()
    agent.start("one")
    agent.act({"a": "1"}, key="1")
    agent.end()
    agent.start("look around")
    agent.act({}, key="2")
    world.write("mine", "edited")
    agent.act({}, key="3")
    agent.end()
    world.undo()
    assert world.files() == {"a": b"0", "mine": b"edited"}


def test_an_edit_after_the_last_tool_call_of_an_open_turn_is_a_persons(world: World) -> None:
    world.edit({"a": "0", "mine": "0"})
    agent = world.agent()
    agent.start("fix it")
    agent.act({"a": "1"}, key="1")
    world.write("mine", "edited")
    world.undo()
    assert world.files() == {"a": b"0", "mine": b"edited"}


def test_without_action_marks_a_turn_owns_its_whole_window(world: World) -> None:
    world.write("a", "0")
    agent = world.agent()
    agent.start("fix it")
    world.edit({"a": "1", "from bash": "1"})
    agent.end()
    world.undo()
    assert world.files() == {"a": b"0"}


def test_a_persons_edits_alone_are_never_undone(world: World) -> None:
    world.write("mine", "0")
    world.line.save(trigger="interval")
    world.write("mine", "1")
    world.line.save(trigger="interval")
    with pytest.raises(tb.NotFound):
        world.undo()
    assert world.read("mine") == b"1"


# a turn without an end


def test_a_turn_without_an_end_is_closed_by_the_next_one(world: World) -> None:
    world.edit({"a": "0", "b": "0"})
    agent = world.agent()
    agent.start("one")
    world.write("a", "1")
    agent.start("two")
    world.write("b", "1")
    agent.end()
    world.undo()
    assert world.files() == {"a": b"1", "b": b"0"}
    world.undo()
    assert world.files() == {"a": b"0", "b": b"0"}


def test_a_turn_without_an_end_is_closed_at_its_last_tool_call(world: World) -> None:
    world.edit({"a": "0", "b": "0", "mine": "0"})
    agent = world.agent()
    agent.start("one")
    agent.act({"a": "1"}, key="1")
    world.write("mine", "edited")
    agent.start("two")
    agent.act({"b": "1"}, key="2")
    agent.end()
    closing = world.move("one").closing
    assert closing is not None
    assert world.line.read(closing, "mine") == b"0"
    world.undo()
    world.undo()
    assert world.files() == {"a": b"0", "b": b"0", "mine": b"edited"}


def test_a_tool_call_that_was_cut_short_belongs_to_its_turn(world: World) -> None:
    world.edit({"a": "0", "b": "0", "c": "0"})
    agent = world.agent()
    agent.start("one")
    agent.act({"a": "1"}, key="1")
    agent.begin("2")
    world.write("b", "half")
    agent.start("two")
    agent.act({"c": "1"}, key="3")
    agent.end()
    world.undo()
    assert world.files() == {"a": b"1", "b": b"half", "c": b"0"}
    world.undo()
    assert world.files() == {"a": b"0", "b": b"0", "c": b"0"}


def test_undo_takes_an_open_turn_first_and_closes_it(world: World) -> None:
    world.write("a", "0")
    world.turn("one", {"a": "1"}, session="s1")
    agent = world.agent()
    agent.start("two")
    world.write("a", "2")
    report = world.undo()
    assert world.read("a") == b"1"
    assert report.moves == (world.move("two").id,)
    assert world.move("two").closing == report.safety
    world.undo()
    assert world.read("a") == b"0"


def test_the_end_of_a_turn_that_was_undone_while_open_changes_nothing(world: World) -> None:
    world.write("a", "0")
    agent = world.agent()
    agent.start("one")
    world.write("a", "1")
    world.undo()
    agent.end()
    world.redo()
    assert world.read("a") == b"1"


def test_session_end_closes_the_open_turn(world: World) -> None:
    world.edit({"a": "0", "mine": "0"})
    agent = world.agent()
    agent.start("one")
    world.write("a", "1")
    agent.leave()
    world.write("mine", "edited")
    assert not world.move("one").open
    world.undo()
    assert world.files() == {"a": b"0", "mine": b"edited"}


def test_an_end_without_a_beginning_only_saves(world: World) -> None:
    world.write("a", "0")
    agent = world.agent()
    agent.end()
    agent.done("never begun")
    agent.leave()
    assert world.counts() == (1, 0)


# redo


def test_redo_keeps_the_edit_that_a_person_made_after_the_undo(world: World) -> None:
    world.edit({"app.py": TEXT, "mine": "0"})
    world.turn("one", {"app.py": with_line(TEXT, 2, "agent"), "new": "agent"})
    world.undo()
    world.edit({"mine": "edited", "app.py": with_line(TEXT, 8, "person")})
    world.redo()
    both = with_line(with_line(TEXT, 2, "agent"), 8, "person")
    assert world.files() == {"app.py": both.encode(), "new": b"agent", "mine": b"edited"}


def test_redo_that_would_overwrite_a_persons_edit_is_refused(world: World) -> None:
    world.write("a", "0")
    world.turn("one", {"a": "1"})
    undone = world.undo()
    world.write("a", "mine")
    with pytest.raises(tb.Conflict):
        world.redo()
    assert world.read("a") == b"mine"
    assert world.move("one").undone_by == undone.move


def test_a_new_turn_ends_plain_redo(world: World) -> None:
    world.edit({"a": "0", "b": "0"})
    world.turn("one", {"a": "1"})
    world.undo()
    world.turn("two", {"b": "1"})
    with pytest.raises(tb.NotFound):
        world.redo()
    assert world.files() == {"a": b"0", "b": b"1"}


def test_redo_of_a_named_move_still_works_after_a_new_turn(world: World) -> None:
    world.edit({"a": "0", "b": "0"})
    turn = world.turn("one", {"a": "1"})
    world.undo()
    world.turn("two", {"b": "1"})
    world.redo(turn)
    assert world.files() == {"a": b"1", "b": b"1"}


def test_redo_takes_the_id_of_the_undo_as_well(world: World) -> None:
    world.edit({"a": "0", "b": "0"})
    world.turn("one", {"a": "1"})
    undo = world.undo()
    world.turn("two", {"b": "1"})
    world.redo(undo.move)
    assert world.files() == {"a": b"1", "b": b"1"}


def test_an_idle_turn_does_not_end_redo(world: World) -> None:
    world.write("a", "0")
    world.turn("one", {"a": "1"})
    world.undo()
    with world.line.turn("idle"):
        pass
    world.redo()
    assert world.read("a") == b"1"


def test_a_manual_save_does_not_end_redo(world: World) -> None:
    world.edit({"a": "0", "mine": "0"})
    world.turn("one", {"a": "1"})
    world.undo()
    world.write("mine", "edited")
    world.line.save("a person's")
    world.redo()
    assert world.files() == {"a": b"1", "mine": b"edited"}


def test_redo_of_a_move_that_was_not_undone_is_not_found(world: World) -> None:
    world.write("a", "0")
    turn = world.turn("one", {"a": "1"})
    with pytest.raises(tb.NotFound):
        world.redo(turn)
    with pytest.raises(tb.NotFound):
        world.redo()


# a move in the middle


def test_undo_of_a_middle_move_keeps_what_came_after(world: World) -> None:
    world.edit({"a": "0", "b": "0", "c": "0"})
    world.turn("one", {"a": "1"})
    middle = world.turn("two", {"b": "1", "b2": "new"})
    world.turn("three", {"c": "1"})
    report = world.undo(middle)
    assert world.files() == {"a": b"1", "b": b"0", "c": b"1"}
    assert report.moves == (middle,)


def test_undo_of_a_middle_move_merges_where_later_turns_changed_the_same_file(world: World) -> None:
    world.write("app.py", TEXT)
    one = with_line(TEXT, 1, "one")
    two = with_line(one, 5, "two")
    world.turn("one", {"app.py": one})
    middle = world.turn("two", {"app.py": two})
    world.turn("three", {"app.py": with_line(two, 9, "three")})
    report = world.undo(middle)
    assert world.read("app.py") == with_line(one, 9, "three").encode()
    assert report.merged == ("app.py",)


def test_undo_of_a_middle_move_that_a_later_one_overwrote_is_a_conflict(world: World) -> None:
    world.write("app.py", TEXT)
    middle = world.turn("two", {"app.py": with_line(TEXT, 5, "two")})
    world.turn("three", {"app.py": with_line(TEXT, 5, "three")})
    with pytest.raises(tb.Conflict):
        world.undo(middle)
    assert world.move("two").undone_by is None


def test_plain_undo_skips_a_middle_move_that_is_already_undone(world: World) -> None:
    world.edit({"a": "0", "b": "0", "c": "0"})
    world.turn("one", {"a": "1"})
    middle = world.turn("two", {"b": "1"})
    world.turn("three", {"c": "1"})
    world.undo(middle)
    world.undo()
    assert world.files() == {"a": b"1", "b": b"0", "c": b"0"}
    world.undo()
    assert world.files() == {"a": b"0", "b": b"0", "c": b"0"}


def test_redo_of_a_middle_move_keeps_what_came_after(world: World) -> None:
    world.edit({"a": "0", "b": "0"})
    middle = world.turn("one", {"a": "1"})
    world.turn("two", {"b": "1"})
    world.undo(middle)
    world.redo()
    assert world.files() == {"a": b"1", "b": b"1"}


# since


def test_undo_since_original_takes_back_every_turn_and_keeps_a_persons_work(world: World) -> None:
    world.edit({"app.py": TEXT, "mine": "0"})
    first = world.turn("one", {"app.py": with_line(TEXT, 1, "one"), "new": "1"})
    world.write("mine", "edited")
    second = world.turn("two", {"app.py": with_line(with_line(TEXT, 1, "one"), 9, "two"), "new": None, "new2": "2"})
    report = world.undo(since="original")
    assert world.files() == {"app.py": TEXT.encode(), "mine": b"edited"}
    assert report.moves == (second, first)


def test_undo_since_a_snapshot_takes_back_only_the_turns_after_it(world: World) -> None:
    world.edit({"a": "0", "b": "0", "c": "0"})
    world.turn("one", {"a": "1"})
    kept = world.line.save("so far so good")
    second = world.turn("two", {"b": "1"})
    third = world.turn("three", {"b": "2", "c": "1"})
    assert world.undo(since=kept.id).moves == (third, second)
    assert world.files() == {"a": b"1", "b": b"0", "c": b"0"}


def test_one_redo_brings_back_everything_that_undo_since_took(world: World) -> None:
    world.write("a", "0")
    world.turn("one", {"a": "1", "x": "1"})
    world.turn("two", {"a": "2", "x": None})
    after = world.tree()
    world.undo(since="root")
    assert world.files() == {"a": b"0"}
    world.redo()
    assert world.tree() == after


def test_undo_since_passes_over_moves_already_undone(world: World) -> None:
    world.edit({"a": "0", "b": "0"})
    first = world.turn("one", {"a": "1"})
    world.turn("two", {"b": "1"})
    world.undo()
    assert world.undo(since="root").moves == (first,)
    assert world.files() == {"a": b"0", "b": b"0"}


def test_undo_since_the_latest_finds_nothing(world: World) -> None:
    world.write("a", "0")
    world.turn("one", {"a": "1"})
    with pytest.raises(tb.NotFound):
        world.undo(since="@")


# restore, undo


def test_a_restore_is_a_move_that_undo_takes_back(world: World) -> None:
    world.write("a", "0")
    world.turn("one", {"a": "1"})
    world.turn("two", {"a": "2", "b": "2"})
    after_two = world.tree()
    report = world.restore("root")
    assert report.move is not None
    assert world.move_by_id(report.move).verb == "restore"
    assert world.files() == {"a": b"0"}
    world.undo()
    assert world.tree() == after_two
    world.undo()
    assert world.files() == {"a": b"1"}


def test_a_restore_that_was_undone_can_be_redone(world: World) -> None:
    world.write("a", "0")
    world.turn("one", {"a": "1"})
    world.restore("root")
    world.undo()
    world.redo()
    assert world.files() == {"a": b"0"}


def test_undo_of_a_restore_keeps_the_edit_made_after_it(world: World) -> None:
    world.edit({"a": "0", "mine": "0"})
    world.turn("one", {"a": "1"})
    world.restore("root")
    world.write("mine", "edited")
    world.undo()
    assert world.files() == {"a": b"1", "mine": b"edited"}


# renamed later


def test_a_file_that_was_renamed_later_is_followed(world: World) -> None:
    world.write("old.py", TEXT)
    world.turn("one", {"old.py": with_line(TEXT, 2, "agent")})
    world.rename("old.py", "src/new.py")
    world.undo()
    assert world.files() == {"src/new.py": TEXT.encode()}


# saves inside a turn


@pytest.mark.parametrize("trigger", ["interval", "manual"])
def test_other_saves_inside_a_turn_do_not_split_it(world: World, trigger: str) -> None:
    world.edit({"a": "0", "b": "0"})
    with world.line.turn("one"):
        world.write("a", "1")
        world.line.save(trigger=trigger)
        world.write("b", "1")
    assert [move.level for move in world.moves()] == ["turn"]
    world.undo()
    assert world.files() == {"a": b"0", "b": b"0"}


def test_other_saves_inside_an_action_do_not_split_it(world: World) -> None:
    world.edit({"a": "0", "b": "0"})
    agent = world.agent()
    agent.begin("1", title="edit")
    world.write("a", "1")
    world.line.save(trigger="interval")
    world.line.save("by hand")
    world.write("b", "1")
    agent.done("1")
    assert [move.level for move in world.moves()] == ["action"]
    world.undo()
    assert world.files() == {"a": b"0", "b": b"0"}


# levels


def test_undo_acts_on_turns_where_there_are_turns(world: World) -> None:
    world.edit({"a": "0", "b": "0", "c": "0"})
    agent = world.agent()
    agent.hook("run_start", title="the run")
    agent.start("one")
    agent.act({"a": "1"}, key="1")
    agent.end()
    agent.start("two")
    agent.act({"b": "1"}, key="2")
    agent.act({"c": "1"}, key="3")
    agent.end()
    agent.hook("run_end")
    assert world.undo().moves == (world.move("two").id,)
    assert world.files() == {"a": b"1", "b": b"0", "c": b"0"}


def test_undo_acts_on_runs_where_there_are_no_turns(world: World) -> None:
    world.edit({"a": "0", "b": "0"})
    with world.line.run("the run", session="s1"):
        with world.line.action("first", session="s1"):
            world.write("a", "1")
        with world.line.action("second", session="s1"):
            world.write("b", "1")
    assert world.undo().moves == (world.move("the run").id,)
    assert world.files() == {"a": b"0", "b": b"0"}


def test_undo_acts_on_actions_where_there_is_nothing_higher(world: World) -> None:
    world.edit({"a": "0", "b": "0"})
    with world.line.action("first", session="s1"):
        world.write("a", "1")
    with world.line.action("second", session="s1"):
        world.write("b", "1")
    world.undo()
    assert world.files() == {"a": b"1", "b": b"0"}


def test_undo_of_another_level(world: World) -> None:
    world.edit({"a": "0", "b": "0"})
    agent = world.agent()
    agent.start("one")
    agent.act({"a": "1"}, key="1", title="first")
    agent.act({"b": "1"}, key="2", title="second")
    agent.end()
    assert world.undo(level="action").moves == (world.move("second").id,)
    assert world.files() == {"a": b"1", "b": b"0"}


def test_undo_of_a_turn_whose_last_action_is_already_undone_takes_the_rest(world: World) -> None:
    world.edit({"a": "0", "b": "0"})
    agent = world.agent()
    agent.start("one")
    agent.act({"a": "1"}, key="1")
    agent.act({"b": "1"}, key="2")
    agent.end()
    world.undo(level="action")
    world.undo()
    assert world.files() == {"a": b"0", "b": b"0"}


def test_undo_of_a_level_that_does_not_exist_is_invalid(world: World) -> None:
    with pytest.raises(tb.InvalidInput):
        world.undo(level="century")


def test_where_there_are_turns_a_closed_manual_move_is_not_plainly_undone(world: World) -> None:
    world.write("mine", "0")
    world.line.save("first")
    world.write("mine", "1")
    world.line.save("second")
    world.turn("one", {"a": "1"})
    world.undo()
    with pytest.raises(tb.NotFound):
        world.undo()
    assert world.files() == {"mine": b"1"}
    world.undo(level="manual")
    assert world.files() == {"mine": b"0"}


def test_an_open_manual_move_is_left_to_the_person_where_there_are_turns(world: World) -> None:
    world.edit({"a": "0", "b": "0"})
    world.turn("one", {"a": "1"})
    world.line.save("before I try something")
    world.write("b", "tried")
    world.undo()
    assert world.files() == {"a": b"0", "b": b"tried"}
    world.undo(level="manual")
    assert world.files() == {"a": b"0", "b": b"0"}


def test_an_open_manual_move_can_be_undone_before_the_last_turn(world: World) -> None:
    world.write("a", "0")
    world.turn("one", {"a": "1"})
    world.line.save("before I try something")
    world.write("a", "tried")
    world.undo(level="manual")
    assert world.files() == {"a": b"1"}
    world.undo()
    assert world.files() == {"a": b"0"}


# nothing to undo


def test_a_fresh_timeline_has_nothing_to_undo(world: World) -> None:
    world.write("a", "0")
    with pytest.raises(tb.NotFound) as raised:
        world.undo()
    assert raised.value.exit_code == 10
    assert world.counts() == (0, 0)


def test_nothing_to_undo_writes_nothing_though_files_changed(world: World) -> None:
    world.write("a", "0")
    world.turn("one", {"a": "1"})
    world.undo()
    world.write("a", "mine")
    with pytest.raises(tb.NotFound):
        world.undo()
    assert world.read("a") == b"mine"


def test_undo_of_a_move_already_taken_back_is_not_found(world: World) -> None:
    world.write("a", "0")
    turn = world.turn("one", {"a": "1"})
    world.undo(turn)
    with pytest.raises(tb.NotFound):
        world.undo(turn)


def test_undo_of_an_unknown_move_is_not_found_and_says_where_to_look(world: World) -> None:
    world.turn("one", {"a": "1"})
    with pytest.raises(tb.NotFound) as raised:
        world.undo("0" * 32)
    assert raised.value.hints


# an agent that marks all its actions


def test_a_turn_that_marks_its_actions_and_has_none_leaves_what_changed_to_the_person(world: World) -> None:
    world.write("app.py", "1")
    world.turn("work", {"app.py": "2"})
    world.line.save(trigger="turn_start", session="s", title="a question", context={"marks": True})
    world.write("mine", "typed while the agent was thinking")
    world.line.save(trigger="turn_end", session="s")
    assert [move.title for move in world.moves()] == ["work"]
    world.undo()
    assert world.files() == {"app.py": b"1", "mine": b"typed while the agent was thinking"}


def test_what_changed_before_an_end_without_a_beginning_may_be_anybody_s(world: World) -> None:
    """The hook before the tool failed, or was too late: nothing tells when the tool began."""
    world.write("app.py", "1")
    world.line.save(trigger="turn_start", session="s", title="work", context={"marks": True})
    world.write("app.py", "2")
    world.line.save(trigger="after_action", session="s", key="call", title="Bash: sed")
    world.write("mine", "typed meanwhile")
    world.line.save(trigger="turn_end", session="s")
    assert world.move("work").closing is not None
    assert world.move("Bash: sed").level == "action"
    with pytest.raises(tb.Partial):
        world.undo()
    assert world.files() == {"app.py": b"2", "mine": b"typed meanwhile"}
    world.undo(shared=True)
    assert world.files() == {"app.py": b"1", "mine": b"typed meanwhile"}


def test_an_action_that_is_told_to_have_ended_twice_is_one(world: World) -> None:
    """As where hooks are installed for the user and for the project."""
    world.write("app.py", "1")
    for _ in range(2):
        world.line.save(trigger="turn_start", session="s", title="work", context={"marks": True})
    for _ in range(2):
        world.line.save(trigger="before_action", session="s", key="call", title="Bash: sed")
    world.write("app.py", "2")
    for _ in range(2):
        world.line.save(trigger="after_action", session="s", key="call", title="Bash: sed")
    for _ in range(2):
        world.line.save(trigger="turn_end", session="s")
    assert sorted(move.title for move in world.moves()) == ["Bash: sed", "work"]
    world.undo()
    assert world.files() == {"app.py": b"1"}


# an agent that is alone in its world


def test_what_changes_between_its_actions_is_the_run_s_if_it_said_that_it_is_alone(world: World) -> None:
    """In a sandbox a click starts what ends long after the click."""
    world.write("app", "1")
    world.line.save(trigger="run_start", session="s", title="install", context={"marks": False})
    world.line.save(trigger="before_action", session="s", title="click")
    world.write("app", "2")
    world.line.save(trigger="after_action", session="s", title="click")
    world.write("app", "3")
    world.write("log", "done")
    world.line.save(trigger="run_end", session="s")
    assert world.undo().moves == (world.move("install").id,)
    assert world.files() == {"app": b"1"}
