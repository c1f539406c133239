"""A value whose object lives in another process is restored as pending, and its owner puts it in place."""

from __future__ import annotations

import asyncio

import pytest

import takeback as tb
from support.agent import World
from support.owners import Memory, Owner


@pytest.fixture
def owner(world: World) -> Owner:
    world.write("a.txt", "1")
    owner = Owner(world)
    owner.turn("first", b"one", **{"a.txt": "2"})
    owner.turn("second", b"two", **{"a.txt": "3"})
    return owner


def test_undo_elsewhere_takes_back_files_at_once_and_memory_with_the_owners_next_save(
    world: World, owner: Owner
) -> None:
    notes = owner.notes
    report = world.line.undo()
    assert (report.pending, world.read("a.txt")) == (("memory",), b"2")
    assert owner.notes == [b"one", b"two"] and owner.recorded() == [b"one"] and owner.pending()
    owner.line.save()
    assert owner.notes is notes and notes == [b"one"]
    assert not owner.pending()
    assert world.store.verify(read_data=True).ok


def test_what_completes_an_undo_is_no_move_of_its_own(world: World, owner: Owner) -> None:
    world.line.undo()
    owner.line.save()
    world.line.undo()
    assert world.read("a.txt") == b"1" and owner.recorded() == []
    owner.line.save()
    assert owner.notes == []
    world.line.redo()
    world.line.redo()
    owner.line.save()
    assert world.read("a.txt") == b"3" and owner.notes == [b"one", b"two"]


def test_what_the_owner_had_not_saved_is_saved_first_and_undo_brings_it_back(world: World, owner: Owner) -> None:
    owner.notes.append(b"unsaved")
    world.line.undo()
    report = owner.line.sync()
    assert report is not None and report.move is not None
    assert owner.notes == [b"one"]
    assert owner.recorded(report.safety) == [b"one", b"two", b"unsaved"]
    owner.line.undo(report.move)
    assert owner.notes == [b"one", b"two", b"unsaved"]


def test_other_saves_carry_what_is_pending_along(world: World, owner: Owner) -> None:
    world.line.restore("root", only=["memory"])
    world.write("b.txt", "somebody saves")
    world.line.save()
    assert owner.pending() and owner.recorded() == []
    assert owner.line.sync() is not None
    assert owner.notes == []
    assert world.exists("b.txt") and world.read("a.txt") == b"3"


def test_what_is_taken_back_before_the_owner_came_to_it_is_pending_no_more(world: World, owner: Owner) -> None:
    owner.notes.append(b"unsaved")
    world.line.restore("root")
    report = world.line.undo()
    assert report.pending == () and not owner.pending()
    assert owner.line.sync() is None
    assert owner.notes == [b"one", b"two", b"unsaved"]


def test_a_restore_asks_the_owner_even_if_what_it_saved_last_is_the_same(world: World, owner: Owner) -> None:
    owner.notes.append(b"unsaved")
    assert world.line.restore("@").pending == ("memory",)
    assert world.line.restore("@").pending == ("memory",)
    owner.line.save()
    assert owner.notes == [b"one", b"two"]


def test_undo_of_a_turn_that_goes_on_takes_back_what_its_agent_has_not_saved_yet(world: World, owner: Owner) -> None:
    with owner.line.turn("third"):
        owner.notes.append(b"three")
        world.write("a.txt", "4")
        assert world.line.undo().pending == ("memory",)
    assert world.read("a.txt") == b"3" and owner.notes == [b"one", b"two"]


def test_a_restore_of_paths_leaves_memory_alone_unless_it_is_named(world: World, owner: Owner) -> None:
    assert world.line.restore("root", paths=["a.txt"]).pending == ()
    assert owner.recorded() == [b"one", b"two"]
    assert owner.line.restore("root", paths=["a.txt"], only=["workspace", "memory"]).pending == ()
    assert owner.notes == []


def test_a_plan_says_what_will_be_pending_and_changes_nothing(world: World, owner: Owner) -> None:
    plan = world.line.plan("root", only=["memory"])
    assert plan.pending == ("memory",) and not plan.empty
    assert not owner.pending()
    assert world.line.apply(plan).pending == ("memory",)
    assert owner.line.sync() is not None and owner.notes == []


def test_an_owner_that_is_as_asked_already_says_so(world: World, owner: Owner) -> None:
    world.line.restore("root", only=["memory"])
    owner.notes.clear()
    assert owner.line.sync() is not None
    assert not owner.pending()
    assert owner.line.sync() is None


def test_what_cannot_be_put_in_place_is_said_and_stays_as_it_is(world: World, owner: Owner) -> None:
    world.line.restore("root", only=["memory"])
    owner.state.refuses = tb.InvalidInput("this object will not")
    with pytest.raises(tb.InvalidInput, match="will not") as caught:
        owner.line.save()
    assert any("takeback undo" in hint for hint in caught.value.hints)
    assert owner.notes == [b"one", b"two"]
    owner.state.refuses = None
    owner.line.save()
    assert world.store.verify().ok


def test_another_process_of_the_owner_gets_it_too(world: World, owner: Owner) -> None:
    world.line.undo()
    later = Owner(world, [b"something of its own"])
    later.line.save()
    assert later.notes == [b"one"]
    later.line.undo()
    assert later.notes == [b"something of its own"]


def test_async_callers_sync_too(world: World, owner: Owner) -> None:
    world.line.undo()

    async def call() -> object:
        return await owner.line.aio.sync()

    assert asyncio.run(call()) is not None
    assert owner.notes == [b"one"]


def test_a_fork_brings_memory_along_for_whoever_comes(world: World, owner: Owner) -> None:
    owner.line.fork("@", "attempt", to={"workspace": world.base / "attempt"})
    there = Memory([b"new agent"])
    line = world.store.timeline("attempt", sources=[tb.Workspace(world.base / "attempt"), tb.State("memory", there)])
    line.save()
    assert there.notes == [b"one", b"two"] and owner.notes == [b"one", b"two"]
    with pytest.raises(tb.InvalidInput, match="has no place in a directory"):
        owner.line.fork("@", "third", to={"workspace": world.base / "third", "memory": world.base / "m"})
    assert not (world.base / "third").exists()
    world.line.fork("@", "other", to={"workspace": world.base / "other"})
    with pytest.raises(tb.InvalidInput, match="has no place in a directory"):
        world.line.restore("@", only=["memory"], to=world.base / "out")
    assert world.store.verify(read_data=True).ok


def test_undo_of_a_memory_that_changed_since_is_a_conflict(world: World, owner: Owner) -> None:
    (first,) = (move.id for move in owner.line.log().moves if move.title == "first")
    world.write("b.txt", "")
    for line in (world.line, owner.line):
        with pytest.raises(tb.Conflict, match="memory: it has changed since") as caught:
            line.undo(first, only=["memory"])
        assert any("--only memory" in hint for hint in caught.value.hints)
        assert not any(" -- memory" in hint for hint in caught.value.hints)
    assert owner.notes == [b"one", b"two"]
