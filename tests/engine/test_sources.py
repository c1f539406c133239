from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import takeback as tb
from support.agent import World


@pytest.fixture
def line(tmp_path: Path) -> tb.Timeline:
    for name in ("code", "notes"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text("1")
    return tb.open(":memory:").timeline(sources=[tb.Workspace(tmp_path / "code")])


def test_a_source_that_is_added_is_captured_and_put_back_from_then_on(line: tb.Timeline, tmp_path: Path) -> None:
    line.save()
    line.add(tb.Workspace(tmp_path / "notes", name="notes"))
    assert list(line.sources) == ["workspace", "notes"]
    before = line.save()
    (tmp_path / "notes" / "file").write_text("2")
    line.save()
    line.restore(before)
    assert (tmp_path / "notes" / "file").read_text() == "1"


def test_two_sources_of_one_name_are_refused(line: tb.Timeline, tmp_path: Path) -> None:
    with pytest.raises(tb.InvalidInput, match="two sources are called 'workspace'"):
        line.add(tb.Workspace(tmp_path / "notes"))
    with pytest.raises(tb.InvalidInput, match="two sources are called 'workspace'"):
        tb.open(":memory:").timeline(sources=[tb.Workspace(tmp_path / name) for name in ("code", "notes")])


def test_the_head_moves_when_a_snapshot_is_made_and_only_then(line: tb.Timeline, tmp_path: Path) -> None:
    assert line.head is None
    first = line.save()
    assert line.head == first.id == line.save().id
    (tmp_path / "code" / "file").write_text("2")
    assert line.save().id == line.head != first.id


def test_a_timeline_of_values_can_be_taken_back_where_none_of_the_objects_is() -> None:
    store, notes = tb.open(":memory:"), ["one"]
    owner = store.timeline("agent", sources=[tb.State("notes", notes)])
    first = owner.save()
    notes.append("two")
    owner.save()
    assert store.timeline("agent").restore(first).pending == ("notes",)
    owner.sync()
    assert notes == ["one"]


def test_without_sources_and_values_there_is_nothing_to_save(line: tb.Timeline) -> None:
    with pytest.raises(tb.InvalidInput, match="has no sources"):
        tb.open(":memory:").timeline("empty").save()


def test_restores_of_timelines_without_a_root_do_not_meet(tmp_path: Path) -> None:
    """Each is begun and ended in the middle of the other."""
    store = tb.open(tmp_path / "store")
    others: list[tb.Report] = []

    class Meeting(tb.State):
        def unfinished(self, effects):  # type: ignore[no-untyped-def]
            if not others:
                values[1].append("lost")
                others.append(lines[1].restore(firsts[1]))
            return super().unfinished(effects)

    values: list[list[str]] = [["a"], ["b"]]
    lines = [
        store.timeline("a", sources=[Meeting("value", values[0])]),
        store.timeline("b", sources=[tb.State("value", values[1])]),
    ]
    firsts = [line.save() for line in lines]
    values[0].append("lost")
    lines[0].restore(firsts[0])
    assert len(others) == 1
    assert values == [["a"], ["b"]]


def test_a_restore_without_a_root_that_fails_is_taken_back() -> None:
    class Broken(tb.State):
        def unfinished(self, effects):  # type: ignore[no-untyped-def]
            raise RuntimeError("broken")

    values: tuple[list[int], list[int]] = ([1], [1])
    line = tb.open(":memory:").timeline("x", sources=[tb.State("a", values[0]), Broken("b", values[1])])
    first = line.save()
    for each in values:
        each.append(2)
    with pytest.raises(RuntimeError, match="broken"):
        line.restore(first)
    assert values[0] == [1, 2]


def test_one_text_is_one_part_or_one_path(world: World) -> None:
    world.write("src", "1")
    world.write("s", "1")
    before = world.line.save()
    world.write("src", "2")
    world.write("s", "2")
    assert [each.path for each in world.line.diff(before, paths="src").files] == ["src"]
    assert world.line.restore(before, only="workspace", paths="src").changed == ("src",)
    assert (world.read("src"), world.read("s")) == (b"1", b"2")
    with world.line.action("write", paths="src"):
        world.write("src", "3")
    (action,) = (move for move in world.line.log().moves if move.level == "action")
    assert action.reported == ("src",)
    assert world.line.undo(only="workspace").changed == ("src",)


@pytest.mark.parametrize("wrong", [tb.State("memory", []), [[1]], "memory", 5])
def test_what_is_no_list_of_sources_is_refused_with_an_example(world: World, wrong: Any) -> None:
    with pytest.raises(tb.InvalidInput, match="list of sources") as caught:
        world.store.timeline("another", sources=wrong)
    assert "sources=[" in caught.value.hints[0]
