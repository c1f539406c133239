"""How a snapshot is named."""

from __future__ import annotations

import time

import pytest

import takeback as tb
from support.agent import World

REAL_TIME_NS = time.time_ns


@pytest.fixture
def history(world: World) -> list[str]:
    """Five snapshots, oldest first; `v0` to `v4` are their labels."""
    ids = []
    for number in range(5):
        world.write("a", str(number))
        ids.append(world.line.save(f"v{number}").id)
    return ids


def shift_clock(monkeypatch: pytest.MonkeyPatch, minutes: float) -> None:
    """Let this process believe that it is so many minutes later (or earlier)."""
    offset = int(minutes * 60e9)
    monkeypatch.setattr(time, "time_ns", lambda: REAL_TIME_NS() + offset)
    monkeypatch.setattr(time, "time", lambda: (REAL_TIME_NS() + offset) / 1e9)


def test_a_full_id(world: World, history: list[str]) -> None:
    assert [world.line.show(id).id for id in history] == history


def test_a_unique_prefix(world: World, history: list[str]) -> None:
    assert [world.line.show(id[:8]).id for id in history] == history


def test_a_snapshot_itself(world: World, history: list[str]) -> None:
    snapshot = world.line.show(history[2])
    assert world.line.show(snapshot).id == history[2]


def test_an_ambiguous_prefix_is_invalid_and_names_the_candidates(world: World) -> None:
    ids = []
    for number in range(17):
        world.write("a", str(number))
        ids.append(world.line.save().id)
    first_letters = [id[0] for id in ids]
    letter = next(letter for letter in first_letters if first_letters.count(letter) > 1)
    with pytest.raises(tb.InvalidInput) as raised:
        world.line.show(letter)
    assert raised.value.exit_code == 2
    assert sum(id[:8] in str(raised.value) for id in ids if id[0] == letter) >= 2


def test_a_label(world: World, history: list[str]) -> None:
    assert [world.line.show(f"v{number}").id for number in range(5)] == history


@pytest.mark.parametrize("label", ["before the migration", "größe/✓", "cafe", "2026-11-15", "10 minutes of work"])
def test_a_label_may_be_any_text(world: World, history: list[str], label: str) -> None:
    world.line.label(history[1], label)
    assert world.line.show(label).id == history[1]


@pytest.mark.parametrize("label", ["", "@", "@-2", "root", "original", "10m ago", "a\nb"])
def test_a_label_that_would_hide_another_reference_is_invalid(world: World, history: list[str], label: str) -> None:
    with pytest.raises(tb.InvalidInput):
        world.line.label(history[1], label)


@pytest.mark.parametrize(("reference", "place"), [("@", 4), ("@-", 3), ("@-1", 3), ("@-3", 1), ("@-4", 0), ("root", 0)])
def test_a_place_on_the_timeline(world: World, history: list[str], reference: str, place: int) -> None:
    assert world.line.show(reference).id == history[place]


def test_a_place_before_the_first_snapshot_is_not_found(world: World, history: list[str]) -> None:
    with pytest.raises(tb.NotFound):
        world.line.show("@-5")


def test_original_is_the_root_where_no_session_is_given(world: World, history: list[str]) -> None:
    assert world.line.show("original").id == history[0]


def test_original_of_a_session_is_before_its_first_move(world: World) -> None:
    world.edit({"a": "0", "b": "0"})
    world.turn("another's", {"a": "1"}, session="s1")
    first = world.turn("first", {"b": "1"}, session="s2")
    second = world.turn("second", {"b": "2"}, session="s2")
    assert world.undo(since="original", session="s2").moves == (second, first)
    assert world.files() == {"a": b"1", "b": b"0"}


def test_some_time_ago_is_the_latest_snapshot_of_then(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    taken = {}
    for minutes in (-120, -30, -5):
        shift_clock(monkeypatch, minutes)
        world.write("a", str(minutes))
        taken[minutes] = world.line.save().id
    shift_clock(monkeypatch, 0)
    assert world.line.show("10m ago").id == taken[-30]
    assert world.line.show("1h ago").id == taken[-120]
    assert world.line.show("1m ago").id == taken[-5]


def test_a_time_before_the_first_snapshot_is_not_found(world: World, history: list[str]) -> None:
    with pytest.raises(tb.NotFound):
        world.line.show("2d ago")


def test_a_clock_that_was_set_back_does_not_change_the_order(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.write("a", "0")
    first = world.line.save()
    shift_clock(monkeypatch, -60)
    world.turn("one", {"a": "1"})
    assert world.line.show("@-").id == first.id
    assert world.line.show("root").id == first.id
    world.undo()
    assert world.read("a") == b"0"


@pytest.mark.parametrize("reference", ["nonsense", "0" * 32, "v9", "ago", "@+1"])
def test_an_unknown_reference_is_not_found_and_says_where_to_look(
    world: World, history: list[str], reference: str
) -> None:
    with pytest.raises((tb.NotFound, tb.InvalidInput)) as raised:
        world.line.show(reference)
    assert reference in raised.value.message
    assert raised.value.hints


def test_an_empty_timeline_has_no_latest(world: World) -> None:
    for reference in ("@", "root", "original", "@-"):
        with pytest.raises(tb.NotFound):
            world.line.show(reference)


def test_a_reference_of_another_timeline_is_not_found_by_its_label(world: World, history: list[str]) -> None:
    other_root = world.base / "other"
    other_root.mkdir()
    other = world.store.timeline("main", sources=[tb.Workspace(other_root)])
    with pytest.raises(tb.NotFound):
        other.show("v1")


def test_every_verb_takes_every_reference(world: World, history: list[str]) -> None:
    world.line.pin("@-3")
    assert world.line.show("v1").pinned
    world.line.label("root", "first")
    assert world.line.read("first", "a") == b"0"
    assert [change.path for change in world.line.diff("@-", history[4][:8]).files] == ["a"]
    world.restore("@-3")
    assert world.read("a") == b"1"


def test_a_move_by_a_unique_prefix(world: World) -> None:
    world.edit({"a": "0", "b": "0"})
    first = world.turn("one", {"a": "1"})
    world.turn("two", {"b": "1"})
    world.undo(first[:8])
    assert world.files() == {"a": b"0", "b": b"1"}


def test_who_finds_nothing_is_told_where_else_there_is_something(world: World) -> None:
    world.write("sub/a", "1")
    world.line.save()
    below = world.store.timeline("main", sources=[tb.Workspace(world.root / "sub")])
    with pytest.raises(tb.NotFound) as caught:
        below.show("@")
    assert any(str(world.root) in hint and "-C" in hint for hint in caught.value.hints)
    other = world.store.timeline("typo", sources=[tb.Workspace(world.root)])
    with pytest.raises(tb.NotFound) as caught:
        other.undo()
    assert any("--timeline main" in hint for hint in caught.value.hints)


def test_numbers_beyond_all_history_are_only_not_found(world: World) -> None:
    world.write("a", "1")
    world.line.save()
    for reference in ("@-99999999999999999999", "99999999999999999999d ago"):
        with pytest.raises(tb.NotFound):
            world.line.show(reference)
