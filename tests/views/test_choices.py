from __future__ import annotations

import pytest

import takeback as tb
from support.agent import World
from takeback.errors import Conflict, InvalidInput, NotFound
from takeback.views.choices import Wanted, apply, groups, narrowed, plan
from takeback.views.desk import Desk


@pytest.fixture
def broken(world: World, desk: Desk) -> World:
    """An agent changed a file, made two in a new directory, and deleted one."""
    world.write("keep/gone.txt", "gone\n")
    world.line.save("before")
    with world.line.turn("clean up", session="s"):
        world.write("a.txt", "broken\n")
        world.write("new/x.txt", "x\n")
        world.write("new/y.txt", "y\n")
        world.remove("keep")
    return world


def chosen(desk: Desk, wanted: Wanted, *paths: str) -> Wanted:
    whole = plan(desk, wanted)
    return narrowed(wanted, whole, groups(desk, desk.here, whole), [("workspace", path) for path in paths])


def test_a_plan_is_grouped_by_part_and_sorted_by_what_happens(broken: World, desk: Desk) -> None:
    (group,) = groups(desk, desk.here, plan(desk, Wanted("restore", reference="before")))
    assert (group.part, group.kind, group.whole) == ("workspace", "workspace", False)
    assert [(item.action, item.path) for item in group.items] == [
        ("create", "keep"),
        ("create", "keep/gone.txt"),
        ("change", "a.txt"),
        ("delete", "new"),
        ("delete", "new/x.txt"),
        ("delete", "new/y.txt"),
    ]


@pytest.mark.parametrize("verb", ["restore", "undo", "since"])
def test_only_what_was_chosen_is_done(broken: World, desk: Desk, verb: str) -> None:
    wanted = Wanted(verb, reference=None if verb == "undo" else "before")
    less = chosen(desk, wanted, "keep/gone.txt", "new/x.txt")
    report = apply(desk, plan(desk, less))
    assert sorted(report.changed) == ["keep", "keep/gone.txt", "new/x.txt"]
    assert broken.read("keep/gone.txt") == b"gone\n" and broken.read("a.txt") == b"broken\n"
    assert broken.exists("new/y.txt") and not broken.exists("new/x.txt")


def test_a_directory_chosen_without_all_that_is_in_it_stays(broken: World, desk: Desk) -> None:
    less = chosen(desk, Wanted("restore", reference="before"), "new", "new/x.txt")
    assert less.paths == {"workspace": ("new/x.txt",)}
    apply(desk, plan(desk, less))
    assert broken.exists("new/y.txt")


def test_all_of_it_is_the_whole_plan(broken: World, desk: Desk) -> None:
    wanted = Wanted("restore", reference="before")
    every = [item.path for group in groups(desk, desk.here, plan(desk, wanted)) for item in group.items]
    assert chosen(desk, wanted, *every) == wanted


def test_the_rest_of_a_move_can_be_taken_back_later(broken: World, desk: Desk) -> None:
    less = chosen(desk, Wanted("undo"), "a.txt")
    assert less.move is not None
    planned = plan(desk, less)
    assert any("5 other paths left as asked" in note for note in planned.notes)
    apply(desk, planned)
    apply(desk, plan(desk, Wanted("undo", move=less.move)))
    assert broken.read("keep/gone.txt") == b"gone\n" and not broken.exists("new")


def test_a_part_can_be_left_out(world: World, desk: Desk) -> None:
    memory = {"n": 1}
    line = world.store.timeline(sources=[tb.Workspace(world.root), tb.State("memory", memory)])
    line.save("both")
    memory["n"] = 2
    world.write("a.txt", "two\n")
    line.save()
    wanted = Wanted("restore", reference="both")
    whole = plan(desk, wanted)
    found = groups(desk, desk.here, whole)
    assert [(group.part, group.whole, group.pending) for group in found] == [
        ("workspace", False, False),
        ("memory", True, True),
    ]
    less = narrowed(wanted, whole, found, [("memory", "memory")])
    assert (less.only, less.paths) == (("memory",), None)
    report = apply(desk, plan(desk, less))
    assert report.pending == ("memory",) and world.read("a.txt") == b"two\n"


def test_a_world_that_moved_is_a_conflict_and_nothing_happens(broken: World, desk: Desk) -> None:
    planned = plan(desk, Wanted("restore", reference="before"))
    broken.write("a.txt", "a person's\n")
    with pytest.raises(Conflict):
        apply(desk, planned)
    assert broken.read("a.txt") == b"a person's\n" and broken.exists("new/x.txt")


@pytest.mark.parametrize(
    ("wanted", "why"),
    [
        (Wanted("restore"), "a snapshot has to be named"),
        (Wanted("since", reference=""), "a snapshot has to be named"),
        (Wanted("promote"), "a fork has to be named"),
        (Wanted("purge"), "cannot be planned"),
        (Wanted("redo", paths={"workspace": ("a",)}), "done as a whole"),
    ],
)
def test_what_cannot_be_planned_says_why(broken: World, desk: Desk, wanted: Wanted, why: str) -> None:
    with pytest.raises(InvalidInput, match=why):
        plan(desk, wanted)


def test_nothing_chosen_is_refused(broken: World, desk: Desk) -> None:
    with pytest.raises(InvalidInput, match="nothing is chosen"):
        chosen(desk, Wanted("undo"))


def test_redo_and_promote_are_planned(broken: World, desk: Desk) -> None:
    fork = broken.line.fork("before", "attempt", str(broken.base / "attempt"))
    with fork.turn("better"):
        with open(f"{fork.root}/a.txt", "w") as file:
            file.write("better\n")
    promote = plan(desk, Wanted("promote", fork="attempt"))
    assert all(group.whole for group in groups(desk, desk.here, promote))
    apply(desk, plan(desk, Wanted("undo")))
    redo = plan(desk, Wanted("redo"))
    assert ("change", "a.txt") in redo.told
    apply(desk, redo)
    assert broken.read("a.txt") == b"broken\n"


def test_a_turn_whose_title_begins_with_promote_can_be_chosen_from(world: World, desk: Desk) -> None:
    with world.line.turn("promote bob to admin", session="s"):
        world.edit({"a.txt": "2\n", "b.txt": "2\n"})
    (group,) = groups(desk, 0, plan(desk, Wanted("undo")))
    assert not group.whole


def test_plain_undo_shows_the_agent_s_move_and_then_the_person_s_own(world: World, desk: Desk) -> None:
    with world.line.turn("work", session="s"):
        world.write("b.txt", "b\n")
    world.line.save("mine")
    world.write("mine.txt", "mine\n")
    both = plan(desk, Wanted("undo"))
    assert (both.title, [each.title for each in both.others]) == ("work", ["changes since “mine”"])
    apply(desk, both)
    own = plan(desk, Wanted("undo"))
    assert own.title == "changes since “mine”"
    apply(desk, own)
    assert not world.exists("mine.txt")
    with pytest.raises(NotFound):
        plan(desk, Wanted("undo"))


def test_what_was_purged_since_the_plan_was_made_does_not_come_back_and_is_no_damage(world: World, desk: Desk) -> None:
    world.edit({"secret": "hunter2\n"})
    held = world.line.save("held").id
    world.edit({"secret": None})
    world.line.save()
    made = plan(desk, Wanted("restore", reference=held))
    world.store.purge("secret")
    with pytest.raises(Conflict, match="not in the store any more"):
        apply(desk, made)
    assert not world.exists("secret")
