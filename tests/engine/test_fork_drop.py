"""Fork: another line from any snapshot. Drop: one snapshot less, and the moves beside it join."""

from __future__ import annotations

import pytest

import takeback as tb
from support.agent import World, files, look
from takeback.store.locks import root_lock

# fork


@pytest.fixture
def history(world: World) -> World:
    """Two turns: `a` goes 0, 1, 2."""
    world.edit({"a": "0", "src/b": "0"})
    world.write("run.sh", "x", mode=0o755)
    world.turn("one", {"a": "1"})
    world.turn("two", {"a": "2", "new": "2"})
    return world


def test_a_fork_starts_in_another_directory_as_the_snapshot_was(history: World) -> None:
    there = history.base / "attempt"
    present, counts = history.tree(), history.counts()
    fork = history.line.fork("root", "attempt-2", to={"workspace": there})
    assert files(look(there)) == {"a": b"0", "src/b": b"0", "run.sh": b"x"}
    assert look(there)["run.sh"] == ("file", 0o755, b"x")
    assert [snapshot.trigger for snapshot in fork.log().snapshots] == ["fork"]
    assert history.tree() == present
    assert history.counts() == counts


def test_a_fork_and_its_origin_go_separate_ways(history: World) -> None:
    there = history.base / "attempt"
    fork = history.line.fork("@-", "attempt-2", to={"workspace": there})
    with fork.turn("in the fork"):
        (there / "a").write_text("fork")
    history.turn("in the origin", {"a": "3"})
    fork.undo()
    assert (there / "a").read_text() == "1"
    assert history.read("a") == b"3"
    history.undo()
    assert history.read("a") == b"2"
    assert [move.title for move in fork.log().moves if move.level == "turn"] == ["in the fork"]


def test_a_fresh_fork_has_nothing_to_undo(history: World) -> None:
    fork = history.line.fork("@", "attempt-2", to={"workspace": history.base / "attempt"})
    with pytest.raises(tb.NotFound):
        fork.undo()
    assert files(look(history.base / "attempt")) == history.files()


def test_a_fork_is_found_again_by_its_root_and_name(history: World) -> None:
    there = history.base / "attempt"
    fork = history.line.fork("@-", "attempt-2", to={"workspace": there})
    again = history.reopened().store.timeline("attempt-2", sources=[tb.Workspace(there)])
    assert [snapshot.id for snapshot in again.log().snapshots] == [snapshot.id for snapshot in fork.log().snapshots]


def test_the_root_of_a_fork_is_where_it_starts(history: World) -> None:
    there = history.base / "attempt"
    fork = history.line.fork("@-", "attempt-2", to={"workspace": there})
    with fork.turn("one more"):
        (there / "a").write_text("fork")
    fork.restore("root")
    assert (there / "a").read_text() == "1"


def test_a_fork_into_a_directory_with_other_files_is_refused(history: World) -> None:
    there = history.base / "attempt"
    there.mkdir()
    (there / "a").write_text("somebody's")
    with pytest.raises((tb.Conflict, tb.InvalidInput)):
        history.line.fork("root", "attempt-2", to={"workspace": there})
    assert files(look(there)) == {"a": b"somebody's"}


def test_a_fork_of_an_unknown_snapshot_leaves_no_directory(history: World) -> None:
    with pytest.raises(tb.NotFound):
        history.line.fork("nonsense", "attempt-2", to={"workspace": history.base / "attempt"})
    assert not (history.base / "attempt").exists()


def test_a_fork_outlives_the_snapshot_that_it_started_from(history: World) -> None:
    there = history.base / "attempt"
    fork = history.line.fork("@-", "attempt-2", to={"workspace": there})
    history.line.drop("@-")
    (there / "a").unlink()
    fork.restore("root")
    assert (there / "a").read_text() == "1"


# drop


def test_a_dropped_snapshot_is_not_found(history: World) -> None:
    middle = history.line.show("@-").id
    history.line.label(middle, "middle")
    history.line.drop(middle)
    for reference in (middle, middle[:8], "middle"):
        with pytest.raises(tb.NotFound):
            history.line.show(reference)
    assert middle not in [snapshot.id for snapshot in history.line.log().snapshots]


def test_a_drop_changes_no_file(history: World) -> None:
    present = history.tree()
    history.line.drop("@-")
    assert history.tree() == present


def test_the_snapshots_around_a_dropped_one_can_be_restored(history: World) -> None:
    present = history.tree()
    history.line.drop("@-")
    history.restore("root")
    assert history.read("a") == b"0"
    history.undo()
    assert history.tree() == present


def test_the_parent_of_the_next_snapshot_is_the_one_before(history: World) -> None:
    root, middle, latest = (history.line.show(ref).id for ref in ("root", "@-", "@"))
    history.line.drop(middle)
    assert history.line.show(latest).parent == root
    assert history.line.show("@-").id == root


def test_the_moves_beside_a_dropped_snapshot_join(history: World) -> None:
    history.line.drop("@-")
    assert len(history.moves()) == 1
    history.undo()
    assert history.files() == {"a": b"0", "src/b": b"0", "run.sh": b"x"}
    history.redo()
    assert history.read("a") == b"2"


def test_a_snapshot_inside_a_move_can_be_dropped(world: World) -> None:
    world.edit({"a": "0", "b": "0"})
    with world.line.turn("one"):
        world.write("a", "1")
        inside = world.line.save(trigger="interval")
        world.write("b", "1")
    world.line.drop(inside.id)
    world.undo()
    assert world.files() == {"a": b"0", "b": b"0"}


@pytest.mark.parametrize("end", ["opening", "closing"])
def test_after_a_drop_undo_keeps_the_changes_of_another_session(world: World, end: str) -> None:
    world.edit({"a": "0", "b": "0", "c": "0"})
    with world.line.turn("mine", session="s1"):
        world.write("a", "1")
        world.turn("theirs", {"b": "1"}, session="s2")
        world.write("c", "1")
    world.line.drop(getattr(world.move("theirs"), end))
    world.undo(session="s1")
    beside = "a" if end == "opening" else "c"  # its step joined that of the other session
    assert world.files() == {"a": b"0", "b": b"1", "c": b"0", beside: b"1"}


def test_a_drop_of_what_is_not_there_is_not_found(history: World) -> None:
    counts = history.counts()
    with pytest.raises(tb.NotFound):
        history.line.drop("nonsense")
    assert history.counts() == counts


def test_nobody_drops_while_somebody_saves_there(history: World) -> None:
    line = history.store.timeline("main", root=history.root)
    line.patience = 0.05
    with root_lock(str(history.root)), pytest.raises(tb.Locked):
        line.drop("@")
    assert line.drop("@") != line.head


def test_the_store_verifies_after_a_drop(history: World) -> None:
    history.line.drop("@-")
    assert tuple(history.store.verify(read_data=True).problems) == ()
    history.undo()
    assert history.read("a") == b"0"


def test_an_undo_whose_both_ends_are_dropped_leaves_no_move_that_begins_nowhere(history: World) -> None:
    undone = history.undo()
    history.turn("three", {"a": "3"})
    for end in (undone.snapshot, undone.safety):
        history.line.drop(end)
        health = history.store.verify()
        assert health.ok, health.problems
    ends = {end for move in history.moves() for end in (move.opening, move.closing)}
    assert ends <= {row.id for row in history.line.log().snapshots}
