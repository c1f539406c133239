"""relocate: a project was moved, and its timelines go with it."""

from __future__ import annotations

from pathlib import Path

import pytest

import takeback as tb
from support import campaigns
from support.agent import World
from support.counts import Tell
from support.faults.zygote import Zygote
from support.template import Template
from takeback.store.catalogue import operations


def moved(world: World) -> Path:
    """The project stands elsewhere now."""
    new = world.base / "elsewhere" / "project"
    new.parent.mkdir()
    world.root.rename(new)
    return new


@pytest.fixture
def turned(world: World) -> World:
    world.write("a.txt", "one\n")
    world.line.save("first")
    world.turn("a turn", {"a.txt": "two\n"})
    return world


def line_of(world: World, root: Path, name: str = "main") -> tb.Timeline:
    return world.store.timeline(name, sources=[tb.Workspace(root)])


def test_the_timeline_goes_on_at_the_new_place(turned: World) -> None:
    log = turned.line.log()
    new = moved(turned)
    (found,) = turned.store.relocate(turned.root, new)
    assert (found.timeline, found.old, found.new) == ("main", str(turned.root), str(new))
    line = line_of(turned, new)
    assert line.log() == log
    line.undo()
    assert (new / "a.txt").read_text() == "one\n"
    line.redo()
    line.save("goes on")
    assert turned.store.verify(read_data=True).ok


def test_relocating_back_undoes_it(turned: World) -> None:
    new = moved(turned)
    before = turned.store.timelines()
    turned.store.relocate(turned.root, new)
    new.rename(turned.root)
    turned.store.relocate(new, turned.root)
    assert turned.store.timelines() == before
    with turned.store.blobs.database.read() as tx:
        done = [each for each in operations.newest(tx, 10) if each.verb == "relocate"]
    assert [each.detail["new"] for each in done] == [str(turned.root), str(new)]


def test_timelines_of_roots_below_go_along(turned: World) -> None:
    turned.write("sub/b.txt", "b\n")
    line_of(turned, turned.root / "sub", "own").save()
    (turned.base / "project-2").mkdir()
    line_of(turned, turned.base / "project-2").save()
    new = moved(turned)
    turned.store.relocate(turned.root, new)
    assert {(row.root, row.name) for row in turned.store.timelines()} == {
        (str(new), "main"),
        (str(new / "sub"), "own"),
        (str(turned.base / "project-2"), "main"),
    }


def test_a_project_that_moved_into_itself_is_no_trouble(turned: World) -> None:
    turned.write("project/b.txt", "b\n")
    line_of(turned, turned.root / "project").save()
    turned.store.relocate(turned.root, turned.root / "project")
    (turned.root / "project" / "project").mkdir()
    assert {row.root for row in turned.store.timelines()} == {
        str(turned.root / "project"),
        str(turned.root / "project" / "project"),
    }


def test_a_timeline_of_the_same_name_is_never_replaced(turned: World) -> None:
    other = turned.base / "other"
    other.mkdir()
    line_of(turned, other).save()
    before = turned.store.timelines()
    with pytest.raises(tb.Conflict) as caught:
        turned.store.relocate(turned.root, other)
    assert caught.value.hints
    assert turned.store.timelines() == before


def test_the_new_place_must_be_there(turned: World) -> None:
    before = turned.store.timelines()
    with pytest.raises(tb.InvalidInput, match="does not exist"):
        turned.store.relocate(turned.root, turned.base / "nowhere")
    with pytest.raises(tb.InvalidInput, match="already"):
        turned.store.relocate(turned.root, turned.root)
    assert turned.store.timelines() == before


def test_what_has_no_timeline_is_not_found_and_what_has_one_is_named(turned: World) -> None:
    new = moved(turned)
    with pytest.raises(tb.NotFound) as caught:
        turned.store.relocate(turned.base / "wrong", new)
    assert any(str(turned.root) in hint and "gone" in hint for hint in caught.value.hints)


def test_who_finds_nothing_after_a_move_is_told_how_to_go_on(turned: World) -> None:
    new = moved(turned)
    line = line_of(turned, new)
    assert line.nearby() == [f"was it moved here? takeback store relocate {turned.root} {new}"]
    with pytest.raises(tb.NotFound, match="nothing has been saved") as caught:
        line.show("@")
    assert "store relocate" in caught.value.hints[0]


def undo(world: World) -> None:
    world.line.undo()


@pytest.mark.campaign("relocate-killed")
def test_an_interrupted_restore_is_finished_at_the_new_place(
    zygote: Zygote, memory_path: Path, record_property: Tell
) -> None:
    """Killed at any step, the project moved, the timeline relocated: the next save there finishes or forgets it."""
    base = memory_path / "world"
    base.mkdir()
    world = World(base)
    big = {f"f{number}.txt": f"{number}\n" for number in range(5)}
    world.edit(big)
    world.line.save("many")
    world.turn("all gone", dict.fromkeys(big))
    world.store.close()
    template = Template(memory_path / "template", base)
    points = zygote.points(base, undo, world)
    interrupted = killed = 0
    chosen = campaigns.pick(range(1, len(points) + 1), 8)
    for at in chosen:
        template.reset()
        killed += zygote.killed(base, at, undo, world)
        found = world.reopened()
        place = moved(found)
        found.store.relocate(found.root, place)
        line = line_of(found, place)
        interrupted += line.interrupted() is not None
        line.save()
        assert line.interrupted() is None
        assert len({name for name in big if (place / name).exists()}) in (0, len(big))
        assert not line.diff()
        found.store.close()
    assert interrupted and killed > len(chosen) // 2
    campaigns.count_runs(record_property, len(chosen))
