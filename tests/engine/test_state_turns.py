"""Whose an agent's memory is: a turn's as a whole, whichever of its actions are marked, unless two sessions share it."""

from __future__ import annotations

from support.agent import World
from support.owners import Owner


def _turn_with_tools(owner: Owner) -> None:
    """An agent's loop as most are: tools are actions, and what is said about them is between."""
    with owner.line.turn("refactor"):
        owner.notes.append(b"user: refactor")
        with owner.line.action("write"):
            owner.world.write("a.txt", "2")
        owner.world.write("notes.txt", "by a person, meanwhile")
        owner.notes.append(b"tool: written")
        with owner.line.action("write again"):
            owner.world.write("a.txt", "3")
        owner.notes.append(b"assistant: done")


def test_a_turn_that_marks_its_actions_takes_its_memory_back_as_a_whole(world: World) -> None:
    world.write("a.txt", "1")
    owner = Owner(world, [b"hello"])
    owner.line.save()
    _turn_with_tools(owner)
    owner.line.undo()
    assert owner.notes == [b"hello"]
    assert (world.read("a.txt"), world.read("notes.txt")) == (b"1", b"by a person, meanwhile")
    owner.line.redo()
    assert (len(owner.notes), world.read("a.txt")) == (4, b"3")


def test_so_it_does_from_another_process_in_the_middle_of_the_turn(world: World) -> None:
    world.write("a.txt", "1")
    owner = Owner(world, [b"hello"])
    owner.line.save()
    with owner.line.turn("refactor"):
        owner.notes.append(b"user: refactor")
        with owner.line.action("write"):
            world.write("a.txt", "2")
        owner.notes.append(b"not saved yet")
        report = world.line.undo()
        assert (report.pending, world.read("a.txt")) == (("memory",), b"1")
    assert owner.notes == [b"hello"]


def test_what_came_after_the_turn_is_in_conflict_and_the_hint_leads_to_before_all_of_it(world: World) -> None:
    world.write("a.txt", "1")
    owner = Owner(world, [b"hello"])
    before = owner.line.save()
    _turn_with_tools(owner)
    turn = next(move for move in owner.line.log().moves if move.title == "refactor")
    owner.notes[:] = [b"another topic"]
    owner.line.save()
    plan = owner.line.plan_undo(turn.id)
    assert [item.part for item in plan.conflicts] == ["memory"]
    assert any(before.id[:8] in hint and "--only memory" in hint for hint in plan.hints)


def test_what_another_session_may_have_said_meanwhile_is_left_alone(world: World) -> None:
    owner = Owner(world, [b"hello"])
    world.write("a.txt", "1")
    owner.line.save()
    with owner.line.turn("one", session="one"):
        with owner.line.action("write", session="one"):
            world.write("a.txt", "2")
        with owner.line.turn("other", session="other"):
            with owner.line.action("look", session="other"):
                pass
            owner.notes.append(b"said by the other, between its actions")
    report = owner.line.undo(session="one")
    assert owner.notes == [b"hello", b"said by the other, between its actions"]
    assert (report.shared, world.read("a.txt")) == (("memory",), b"1")


def test_a_turn_whose_actions_changed_nothing_is_a_move_if_something_was_said(world: World) -> None:
    world.write("a.txt", "1")
    owner = Owner(world, [b"hello"])
    _turn_with_tools(owner)
    with owner.line.turn("a question"):
        owner.notes.append(b"user: what is in it?")
        with owner.line.action("read"):
            pass
        world.write("notes.txt", "a person goes on")
        owner.notes.append(b"assistant: 3")
    report = owner.line.undo()
    assert (report.title, report.changed, len(owner.notes)) == ("a question", ("memory",), 4)
    assert (world.read("a.txt"), world.read("notes.txt")) == (b"3", b"a person goes on")
    with owner.line.turn("nothing said"):
        with owner.line.action("read"):
            pass
        world.write("notes.txt", "and on")
    assert "nothing said" not in {move.title for move in owner.line.log().moves}


def test_an_agent_that_marks_all_it_does_owns_no_memory_that_another_program_saves_meanwhile(world: World) -> None:
    world.write("a.txt", "1")
    owner = Owner(world, [b"hello"])
    owner.line.save()
    world.line.save(trigger="turn_start", session="hooked", title="work", context={"marks": True})
    world.line.save(trigger="before_action", session="hooked", key="1")
    world.write("a.txt", "2")
    world.line.save(trigger="after_action", session="hooked", key="1")
    owner.notes.append(b"said elsewhere")
    owner.line.save(trigger="interval")
    world.line.save(trigger="turn_end", session="hooked")
    report = world.line.undo()
    assert (report.title, report.pending, world.read("a.txt")) == ("work", (), b"1")
    assert owner.notes == owner.recorded() == [b"hello", b"said elsewhere"]
