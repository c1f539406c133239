"""Requests to the owner of a value in another process: undo and redo withdraw them and make them again, and what changes nothing
is no undo."""

from __future__ import annotations

import pytest

import takeback as tb
from support.agent import World
from support.owners import Owner


@pytest.fixture
def owner(world: World) -> Owner:
    world.write("a.txt", "1")
    owner = Owner(world)
    owner.turn("first", b"one", **{"a.txt": "2"})
    owner.turn("second", b"two", **{"a.txt": "3"})
    return owner


def _forgets(owner: Owner) -> None:
    """A turn that says something and writes nothing, and of which nothing is left."""
    owner.turn("third", b"three")
    owner.notes.pop()
    owner.line.save(trigger="interval")


def test_undo_elsewhere_passes_over_a_turn_whose_memory_the_owner_has_taken_back_itself(
    world: World, owner: Owner
) -> None:
    _forgets(owner)
    report = world.line.undo()
    assert (report.title, report.pending, world.read("a.txt")) == ("second", ("memory",), b"2")
    owner.line.sync()
    assert owner.notes == [b"one"]
    world.line.redo()
    owner.line.sync()
    assert (owner.notes, world.read("a.txt")) == ([b"one", b"two"], b"3")


def test_what_would_change_nothing_is_no_undo(world: World) -> None:
    owner = Owner(world)
    owner.line.save()
    _forgets(owner)
    before = owner.line.head
    with pytest.raises(tb.NotFound, match="nothing to undo"):
        world.line.undo()
    assert not owner.pending() and owner.line.head == before


def test_undo_elsewhere_passes_over_a_restore_whose_memory_came_back_since(world: World, owner: Owner) -> None:
    owner.line.restore("root", only=["memory"])
    owner.notes[:] = [b"one", b"two"]
    owner.line.save(trigger="interval")
    report = world.line.undo()
    assert (report.title, report.pending) == ("second", ("memory",))


def test_undo_withdraws_a_request_for_what_was_saved_last_and_redo_makes_it_again(world: World, owner: Owner) -> None:
    owner.notes.append(b"unsaved")
    world.line.restore("@")
    report = world.line.undo()
    assert (report.changed, report.pending, owner.pending()) == (("memory",), (), False)
    assert any("is not asked any more" in note for note in report.notes)
    assert owner.line.sync() is None and owner.notes == [b"one", b"two", b"unsaved"]
    assert world.read("a.txt") == b"3"
    assert world.line.redo().pending == ("memory",) and owner.pending()
    assert world.line.undo().pending == () and not owner.pending()
    world.line.redo()
    owner.line.sync()
    assert owner.notes == [b"one", b"two"]
    assert world.store.verify(read_data=True).ok


def test_undo_of_a_restore_withdraws_the_request_and_takes_back_the_files(world: World, owner: Owner) -> None:
    here = owner.line.save()
    world.write("a.txt", "4")
    world.line.save()
    owner.notes.append(b"unsaved")
    assert world.line.restore(here).pending == ("memory",) and world.read("a.txt") == b"3"
    world.line.undo()
    assert (world.read("a.txt"), owner.pending()) == (b"4", False)
    world.line.redo()
    assert (world.read("a.txt"), owner.pending()) == (b"3", True)


def test_a_plan_to_withdraw_a_request_touches_nothing_until_it_is_applied(world: World, owner: Owner) -> None:
    world.line.restore("@")
    plan = world.line.plan_undo()
    assert not plan.empty and plan.told == [("change", "memory")] and owner.pending()
    world.line.apply(plan)
    assert not owner.pending()


def test_a_request_stands_when_a_later_one_is_taken_back(world: World, owner: Owner) -> None:
    owner.notes.append(b"unsaved")
    world.line.restore("@")
    world.line.restore("root", only=["memory"])
    world.line.undo()
    assert owner.pending() and owner.recorded() == [b"one", b"two"]
    world.line.undo()
    assert not owner.pending() and owner.recorded() == [b"one", b"two"]
    world.line.redo()
    assert owner.pending() and owner.recorded() == [b"one", b"two"]
    world.line.redo()
    assert owner.pending() and owner.recorded() == []


def test_a_second_restore_to_what_was_saved_last_is_redone_as_a_request(world: World, owner: Owner) -> None:
    here = owner.line.save()
    owner.notes.append(b"unsaved")
    world.line.restore("root", only=["memory"])
    world.line.restore(here, only=["memory"])
    world.line.undo()
    assert owner.recorded() == []
    world.line.redo()
    assert owner.pending() and owner.recorded() == [b"one", b"two"]
    owner.line.sync()
    assert owner.notes == [b"one", b"two"]


def test_a_request_that_the_owner_has_come_to_is_not_withdrawn(world: World, owner: Owner) -> None:
    here = owner.line.save()
    first = world.line.restore(here)
    owner.line.sync()
    owner.notes.append(b"three")
    owner.line.save(trigger="interval")
    world.line.restore(here)
    assert first.move is not None
    with pytest.raises(tb.NotFound, match="nothing left of move"):
        world.line.undo(first.move)
    assert owner.pending()
    owner.line.sync()
    assert owner.notes == [b"one", b"two"]


def test_an_undo_of_a_turn_that_goes_on_can_be_redone_and_made_again_before_its_agent_saves(
    world: World, owner: Owner
) -> None:
    with owner.line.turn("third"):
        owner.notes.append(b"three")
        assert world.line.undo().pending == ("memory",)
        assert world.line.redo().pending == () and not owner.pending()
        report = world.line.undo()
        assert (report.title, report.pending, world.read("a.txt")) == ("third", ("memory",), b"3")
    assert owner.notes == [b"one", b"two"]


def test_so_it_can_with_files(world: World, owner: Owner) -> None:
    with owner.line.turn("third"):
        owner.notes.append(b"three")
        world.write("a.txt", "4")
        world.line.undo()
        world.line.redo()
        assert (world.read("a.txt"), owner.pending()) == (b"4", False)
        world.line.undo()
        assert (world.read("a.txt"), owner.pending()) == (b"3", True)
    assert owner.notes == [b"one", b"two"]


def test_a_request_of_a_turn_is_not_made_again_after_its_memory_was_saved(world: World, owner: Owner) -> None:
    with owner.line.turn("third"):
        owner.notes.append(b"three")
        world.line.undo()
        world.line.redo()
    assert owner.recorded() == [b"one", b"two", b"three"] == owner.notes
    with pytest.raises(tb.Conflict, match="memory: it has changed since"):
        world.line.undo(only=["memory"])
    assert not owner.pending()


def test_undo_in_a_turn_takes_back_what_was_asked_for_meanwhile_before_it_asks_for_more(
    world: World, owner: Owner
) -> None:
    with owner.line.turn("third"):
        owner.notes.append(b"three")
        world.line.restore("root", only=["memory"])
        report = world.line.undo()
        assert (report.title, report.pending, owner.pending()) == ("restore " + _root(owner), (), False)
        assert world.line.undo().pending == ("memory",)
    assert owner.notes == [b"one", b"two"]


def _root(owner: Owner) -> str:
    return owner.line.show("root").id[:8]


def test_redo_passes_over_an_undo_that_only_asked_for_what_the_owner_had(world: World, owner: Owner) -> None:
    (second,) = (move.id for move in owner.line.log().moves if move.title == "second")
    with owner.line.turn("third"):
        world.line.undo(second, only=["workspace"])
        asked = world.line.undo()
        assert (asked.title, asked.pending, world.read("a.txt")) == ("third", ("memory",), b"2")
        assert owner.line.sync() is not None
        with pytest.raises(tb.NotFound, match="nothing left of undo"):
            world.line.redo(asked.move)
        report = world.line.redo()
        assert (report.title, report.pending, world.read("a.txt")) == ("second", (), b"3")


def test_a_catch_up_ends_no_move_of_a_persons(world: World) -> None:
    owner = Owner(world)
    world.write("a.txt", "1")
    owner.line.save()
    owner.notes.append(b"one")
    owner.line.save()
    world.line.restore("root", only=["memory"])
    world.write("a.txt", "2")
    world.line.save("here")
    owner.line.sync()
    assert owner.notes == []
    assert [move.title for move in owner.line.log().moves if move.open] == ["here"]
    world.write("a.txt", "3")
    report = world.line.undo()
    assert (report.title, report.changed, report.pending) == ("changes since “here”", ("a.txt",), ())
    assert world.read("a.txt") == b"2" and owner.notes == []


@pytest.mark.parametrize("by_owner", [True, False])
def test_what_an_owner_had_not_saved_when_it_caught_up_is_nobodys_change(world: World, by_owner: bool) -> None:
    owner = Owner(world, [b"one"])
    world.write("a.txt", "1")
    owner.line.save()
    owner.notes.append(b"two")
    owner.line.save()
    world.line.restore("root", only=["memory"])
    world.line.save("here")
    owner.notes.append(b"unsaved")
    owner.line.sync()
    assert owner.notes == [b"one"]
    owner.notes.append(b"three")
    world.write("a.txt", "2")
    owner.line.save(trigger="interval")
    report = (owner.line if by_owner else world.line).undo()
    owner.line.sync()
    assert (report.title, report.conflicts) == ("changes since “here”", ())
    assert (owner.notes, world.read("a.txt")) == ([b"one"], b"1")
    report = owner.line.undo()
    assert (report.title, owner.notes) == ("restore memory, as it was asked for", [b"one", b"two", b"unsaved"])


def test_a_turn_in_which_its_agent_caught_up_takes_back_what_it_said_since(world: World) -> None:
    owner = Owner(world, [b"one"])
    owner.line.save()
    owner.turn("first", b"two")
    with owner.line.turn("second"):
        world.line.restore("root", only=["memory"])
        owner.notes.append(b"unsaved")
        owner.line.sync()
        owner.notes.append(b"three")
    assert owner.notes == [b"one", b"three"]
    report = world.line.undo()
    owner.line.sync()
    assert (report.title, report.conflicts, owner.notes) == ("second", (), [b"one"])
