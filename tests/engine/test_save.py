"""Save, and what can be asked about what was saved."""

from __future__ import annotations

import mmap
import os
import time

import pytest

import takeback as tb
from support.agent import TEXT, World

# nothing changed


def test_saving_an_unchanged_tree_gives_the_same_snapshot_with_the_label_added(world: World) -> None:
    world.write("a", "0")
    first = world.line.save("one")
    second = world.line.save("two")
    assert second.id == first.id
    assert set(second.labels) == {"one", "two"}
    assert world.counts()[0] == 1


def test_saving_an_unchanged_tree_without_a_label_keeps_the_labels(world: World) -> None:
    world.write("a", "0")
    world.line.save("one")
    assert world.line.save().labels == ("one",)


def test_a_snapshot_of_its_own_can_be_had_although_nothing_changed(world: World) -> None:
    world.write("a", "0")
    first = world.line.save("one")
    second = world.line.save("two", always=True)
    assert second.id != first.id == second.parent
    assert (second.labels, second.changed) == (("two",), 0)
    assert second.parts["workspace"].same_state(first.parts["workspace"])
    world.write("a", "1")
    world.line.undo()
    assert world.read("a") == b"0"
    assert world.counts()[0] == 4


def test_a_touched_file_is_no_change(world: World) -> None:
    world.write("a", "0")
    first = world.line.save()
    os.utime(world.root / "a", ns=(1, 1))
    world.write("b", "x")
    world.remove("b")
    assert world.line.save().id == first.id


def test_a_file_rewritten_with_the_same_bytes_is_no_change(world: World) -> None:
    world.write("a", "0")
    first = world.line.save()
    world.remove("a")
    world.write("a", "0")
    assert world.line.save().id == first.id


def test_an_empty_project_can_be_saved(world: World) -> None:
    empty = world.line.save("empty")
    world.write("a", "0")
    world.restore(empty)
    assert world.tree() == {}


# what is a change


def test_a_snapshot_counts_the_paths_that_changed(world: World) -> None:
    world.edit({"a": "0", "b": "0", "c": "0"})
    world.line.save()
    world.edit({"a": "1", "b": None, "new": "1"})
    world.chmod("c", 0o755)
    assert world.line.save().changed == 4


@pytest.mark.parametrize("change", ["mode", "link", "empty directory", "deleted"])
def test_every_kind_of_change_makes_a_snapshot(world: World, change: str) -> None:
    world.edit({"a": "0", "b": "0"})
    world.link("link", "a")
    first = world.line.save()
    if change == "mode":
        world.chmod("a", 0o600)
    elif change == "link":
        world.link("link", "b")
    elif change == "empty directory":
        (world.root / "empty").mkdir()
    else:
        world.remove("a")
    second = world.line.save()
    assert second.parent == first.id


def test_edits_of_the_same_size_right_after_a_save_are_seen(world: World) -> None:
    world.write("a", "0000")
    path = world.root / "a"
    stamp = path.stat().st_mtime_ns
    for number in range(25):
        content = f"{number:04}".encode()
        with path.open("r+b") as file:
            file.write(content)
        os.utime(path, ns=(stamp, stamp))
        assert world.line.read(world.line.save(), "a") == content


def test_an_edit_by_memory_map_is_seen(world: World) -> None:
    world.write("a", b"0" * 4096)
    world.line.save()
    with (world.root / "a").open("r+b") as file, mmap.mmap(file.fileno(), 0) as memory:
        memory[0:1] = b"1"
    assert world.line.read(world.line.save(), "a")[:2] == b"10"


# what a snapshot says


def test_a_snapshot_says_where_it_comes_from(world: World) -> None:
    world.write("a", "0")
    first = world.line.save("one", context={"model": "test", "step": 3})
    world.write("a", "1")
    second = world.line.save(trigger="interval")
    assert first.parent is None
    assert (first.trigger, second.trigger) == ("manual", "interval")
    assert second.parent == first.id
    assert world.line.show(first.id) == first
    assert first.context["model"] == "test"
    assert first.context["step"] == 3
    assert first.timeline == "main"
    assert list(first.parts) == ["workspace"]


@pytest.mark.service("git")
def test_a_snapshot_notes_git_head_and_branch(repository: World) -> None:
    snapshot = repository.line.save()
    context = str(dict(snapshot.context))
    assert repository.git("rev-parse", "HEAD") in context
    assert "main" in context


def test_the_time_of_a_snapshot_is_when_it_was_taken(world: World) -> None:
    before = time.time_ns()
    world.write("a", "0")
    snapshot = world.line.save()
    assert before <= snapshot.time_ns <= time.time_ns()


def test_an_unknown_trigger_is_invalid(world: World) -> None:
    with pytest.raises(tb.InvalidInput):
        world.line.save(trigger="whenever")
    assert world.counts() == (0, 0)


# labels and pins


def test_a_snapshot_can_have_several_labels(world: World) -> None:
    world.write("a", "0")
    snapshot = world.line.save("one")
    world.line.label(snapshot.id, "two")
    assert set(world.line.show("two").labels) == {"one", "two"}
    assert world.line.show("one").id == world.line.show("two").id == snapshot.id


def test_a_label_that_is_given_again_names_the_newer_snapshot(world: World) -> None:
    world.write("a", "0")
    world.line.save("good")
    world.write("a", "1")
    second = world.line.save("good")
    assert world.line.show("good").id == second.id


def test_a_pin_stays_until_it_is_taken_off(world: World) -> None:
    world.write("a", "0")
    snapshot = world.line.save()
    assert not snapshot.pinned
    world.line.pin(snapshot.id)
    world.line.pin(snapshot.id)
    assert world.line.show(snapshot.id).pinned
    assert world.reopened().line.show("@").pinned
    world.line.unpin("@")
    assert not world.line.show(snapshot.id).pinned


def test_a_label_survives_the_process(world: World) -> None:
    world.write("a", "0")
    snapshot = world.line.save("good")
    assert world.reopened().line.show("good").id == snapshot.id


# log, read, diff


def test_the_log_is_newest_first_and_every_snapshot_names_its_parent(world: World) -> None:
    ids = []
    for number in range(4):
        world.write("a", str(number))
        ids.append(world.line.save().id)
    snapshots = world.line.log().snapshots
    assert [snapshot.id for snapshot in snapshots] == ids[::-1]
    assert [snapshot.parent for snapshot in snapshots] == [*ids[-2::-1], None]


def test_the_log_can_be_limited(world: World) -> None:
    for number in range(4):
        world.write("a", str(number))
        world.line.save(f"v{number}")
    assert [snapshot.labels for snapshot in world.line.log(limit=2).snapshots] == [("v3",), ("v2",)]


def test_the_log_of_a_path_has_only_what_changed_it(world: World) -> None:
    world.edit({"a": "0", "src/b": "0"})
    world.line.save("both")
    world.write("a", "1")
    world.line.save("only a")
    world.write("src/b", "1")
    world.line.save("only b")
    world.remove("a")
    world.line.save("a gone")
    log = world.line.log
    assert [snapshot.labels for snapshot in log(path="a").snapshots] == [("a gone",), ("only a",), ("both",)]
    assert [snapshot.labels for snapshot in log(path="src/b").snapshots] == [("only b",), ("both",)]


def test_an_empty_timeline_has_an_empty_log(world: World) -> None:
    log = world.line.log()
    assert (tuple(log.snapshots), tuple(log.moves)) == ((), ())


def test_read_gives_a_file_as_it_was(world: World) -> None:
    world.edit({"a": TEXT, "empty": ""})
    world.line.save("good")
    world.edit({"a": "changed", "empty": None})
    assert world.line.read("good", "a") == TEXT.encode()
    assert world.line.read("good", "empty") == b""


@pytest.mark.parametrize("path", ["missing", "src/missing", "src"])
def test_read_of_what_is_no_file_is_an_error(world: World, path: str) -> None:
    world.write("src/a", "0")
    world.line.save("good")
    with pytest.raises((tb.NotFound, tb.InvalidInput), match=path):
        world.line.read("good", path)


def test_diff_lists_every_path_that_differs_by_its_kind_of_change(world: World) -> None:
    world.edit({"edited": "0", "deleted": "0", "moded": "0", "kind": "0", "same": "0"})
    world.line.save("a")
    world.edit({"edited": "1", "deleted": None, "kind": None, "added": "1"})
    world.link("kind", "same")
    world.chmod("moded", 0o755)
    expected = {"added": "added", "deleted": "deleted", "edited": "modified", "kind": "type", "moded": "mode"}
    assert {change.path: change.status for change in world.line.diff("a").files} == expected
    world.line.save("b")
    assert {change.path: change.status for change in world.line.diff("a", "b").files} == expected
    assert not world.line.diff("b")
    assert not world.line.diff("a", "a")


def test_diff_with_the_present_records_nothing(world: World) -> None:
    world.write("a", "0")
    world.line.save("a")
    world.write("a", "1")
    counts = world.counts()
    assert world.line.diff("a")
    assert world.counts() == counts


# moves


def test_a_turn_has_a_title_a_session_and_two_ends(world: World) -> None:
    world.write("a", "0")
    agent = world.agent("session 7")
    opening = agent.hook("turn_start", title="fix the test")
    world.write("a", "1")
    closing = agent.hook("turn_end")
    move = world.move("fix the test")
    assert (move.level, move.session, move.open) == ("turn", "session 7", False)
    assert (move.opening, move.closing) == (opening.id, closing.id)


def test_a_turn_begins_at_the_latest_snapshot_if_nothing_changed_since(world: World) -> None:
    world.write("a", "0")
    world.turn("one", {"a": "1"})
    world.turn("two", {"a": "2"})
    assert world.move("two").opening == world.move("one").closing
    assert world.counts() == (3, 2)


def test_a_move_whose_ends_are_equal_is_dropped(world: World) -> None:
    world.write("a", "0")
    with world.line.turn("idle"):
        world.write("a", "1")
        world.write("a", "0")
    assert world.counts() == (1, 0)


def test_an_open_move_is_in_the_log(world: World) -> None:
    world.write("a", "0")
    with world.line.turn("one"):
        assert world.move("one").open
        world.write("a", "1")
    assert not world.move("one").open


def test_parallel_actions_of_a_session_are_told_apart_by_their_keys(world: World) -> None:
    world.edit({"a": "0", "b": "0"})
    agent = world.agent()
    agent.begin("1", title="first")
    agent.begin("2", title="second")
    world.write("a", "1")
    agent.done("1")
    assert not world.move("first").open
    assert world.move("second").open
    world.write("b", "1")
    agent.done("2")
    assert not world.move("second").open


def test_a_reported_path_is_kept_with_its_action(world: World) -> None:
    world.write("a", "0")
    world.agent().act({"a": "1"}, key="1", paths=["a"], title="edit")
    move = world.move("edit")
    assert (move.level, move.key, move.reported) == ("action", "1", ("a",))


def test_a_store_that_was_used_verifies(world: World) -> None:
    world.write("a", TEXT)
    world.turn("one", {"a": "1"})
    world.undo()
    assert tuple(world.store.verify(read_data=True).problems) == ()


def test_half_characters_in_what_an_agent_says_are_written_as_escapes(world: World) -> None:
    with world.line.turn("fix \udcff \ud83d", session="s\udc80"):
        world.write("a", "1")
    (move,) = world.line.log(session="s\\udc80").moves
    assert move.title == "fix \\udcff \\ud83d"
