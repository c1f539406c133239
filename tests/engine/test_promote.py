"""promote: what a fork changed is done here, beside what was done here meanwhile; and undo takes it back."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import takeback as tb
from support.agent import TEXT, World, look, with_line
from support.owners import Memory


@pytest.fixture
def origin(world: World) -> World:
    world.edit({"a": "a\n", "text": TEXT, "gone": "soon\n", "src/deep/b": "b\n"})
    world.write("run.sh", "x", mode=0o755)
    world.line.save("good")
    return world


def fork(world: World, name: str = "attempt", **more: object) -> tuple[tb.Timeline, Path]:
    place = world.base / name
    return world.line.fork("@", name, place, **more), place  # type: ignore[arg-type]


def test_what_the_fork_changed_is_here_and_undo_brings_all_back(origin: World) -> None:
    _, place = fork(origin)
    before = origin.tree()
    (place / "a").write_text("better\n")
    (place / "gone").unlink()
    (place / "new").mkdir()
    (place / "new" / "file").write_bytes(b"\0\xff")
    (place / "run.sh").chmod(0o700)
    (place / "link").symlink_to("a")
    report = origin.line.promote("attempt")
    assert report.verified and not report.conflicts and report.title == "promote attempt"
    assert origin.tree() == look(place)
    origin.undo()
    assert origin.tree() == before
    origin.redo()
    assert origin.tree() == look(place)


def test_a_plan_says_it_all_changes_nothing_here_and_can_be_applied(origin: World) -> None:
    line, place = fork(origin)
    (place / "a").write_text("better\n")
    before, counts = origin.tree(), len(origin.line.log().snapshots)
    plan = origin.line.plan_promote(line)
    assert plan.told == [("change", "a")] and plan.title == "promote attempt"
    assert origin.tree() == before and len(origin.line.log().snapshots) == counts
    origin.line.apply(plan)
    assert origin.read("a") == b"better\n"


def test_the_fork_is_saved_and_otherwise_left_alone(origin: World) -> None:
    line, place = fork(origin)
    (place / "a").write_text("better\n")
    there = look(place)
    origin.line.promote("attempt")
    assert look(place) == there
    assert [row.trigger for row in line.log().snapshots] == ["safety", "fork"]
    assert line.log().moves == ()
    assert line.read("@", "a") == b"better\n"


def test_what_was_changed_here_meanwhile_is_merged_or_a_conflict_and_never_overwritten(origin: World) -> None:
    _, place = fork(origin)
    (place / "text").write_text(with_line(TEXT, 1, "the fork's"))
    (place / "a").write_text("the fork's\n")
    (place / "src" / "deep" / "b").write_text("the fork's\n")
    origin.edit({"text": with_line(TEXT, 9, "ours"), "a": "ours\n", "mine": "mine\n"})
    report = origin.line.promote("attempt")
    assert origin.read("text") == with_line(with_line(TEXT, 1, "the fork's"), 9, "ours").encode()
    assert (origin.read("a"), origin.read("mine"), origin.read("src/deep/b")) == (b"ours\n", b"mine\n", b"the fork's\n")
    assert report.merged == ("text",) and [item.path for item in report.conflicts] == ["a"]
    assert any("diff @ attempt@" in hint for hint in report.hints)


def test_only_conflicts_change_nothing_and_are_told(origin: World) -> None:
    _, place = fork(origin)
    (place / "a").write_text("the fork's\n")
    origin.edit({"a": "ours\n"})
    before = origin.tree()
    report = origin.line.promote("attempt")
    assert report.changed == () and [item.path for item in report.conflicts] == ["a"] and report.move is None
    assert origin.tree() == before
    (place / "other").write_text("x")
    again = origin.line.promote("attempt")
    assert [item.path for item in again.conflicts] == ["a"] and again.changed == ("other",)


def test_a_second_promote_brings_only_what_came_since(origin: World) -> None:
    _, place = fork(origin)
    (place / "a").write_text("one\n")
    (place / "text").write_text(with_line(TEXT, 5, "one"))
    origin.line.promote("attempt")
    assert origin.line.promote("attempt").changed == ()
    origin.edit({"text": with_line(TEXT, 5, "ours, over the fork's")})
    (place / "a").write_text("two\n")
    report = origin.line.promote("attempt")
    assert report.changed == ("a",) and not report.conflicts
    assert origin.read("a") == b"two\n" and b"ours, over" in origin.read("text")


def test_a_promote_that_was_undone_can_be_done_again(origin: World) -> None:
    _, place = fork(origin)
    (place / "a").write_text("one\n")
    origin.line.promote("attempt")
    origin.undo()
    assert origin.read("a") == b"a\n"
    origin.line.promote("attempt")
    assert origin.read("a") == b"one\n"


def test_what_was_restored_since_comes_again(origin: World) -> None:
    _, place = fork(origin)
    (place / "a").write_text("one\n")
    origin.line.promote("attempt")
    origin.restore("good")
    (place / "gone").unlink()
    origin.line.promote("attempt")
    assert origin.read("a") == b"one\n" and not (origin.root / "gone").exists()


def test_a_conflict_that_somebody_settled_is_not_told_again(origin: World) -> None:
    _, place = fork(origin)
    (place / "a").write_text("the fork's\n")
    origin.edit({"a": "ours\n"})
    assert origin.line.promote("attempt").conflicts
    origin.edit({"a": "the fork's\n"})
    assert not origin.line.promote("attempt").conflicts


def test_two_forks_that_touch_the_same_file_one_after_the_other(origin: World) -> None:
    _, one = fork(origin, "one")
    _, two = fork(origin, "two")
    (one / "text").write_text(with_line(TEXT, 1, "one's"))
    (two / "text").write_text(with_line(TEXT, 9, "two's"))
    (one / "a").write_text("one's\n")
    (two / "a").write_text("two's\n")
    origin.line.promote("one")
    report = origin.line.promote("two")
    assert origin.read("text") == with_line(with_line(TEXT, 1, "one's"), 9, "two's").encode()
    assert origin.read("a") == b"one's\n" and [item.path for item in report.conflicts] == ["a"]
    origin.undo()
    assert origin.read("text") == with_line(TEXT, 1, "one's").encode()
    origin.undo()
    assert origin.read("text") == TEXT.encode() and origin.read("a") == b"a\n"


def test_a_fork_of_a_fork_is_promoted_up_step_by_step(origin: World) -> None:
    line, place = fork(origin)
    (place / "a").write_text("first\n")
    line.save()
    inner = line.fork("@", "inner", origin.base / "inner")
    (origin.base / "inner" / "src" / "deep" / "b").write_text("second\n")
    assert line.promote("inner").changed == ("src/deep/b",)
    assert origin.line.promote("attempt").changed == ("a", "src/deep/b")
    assert origin.tree() == look(place)
    assert inner.show("attempt@").id == line.show("@").id
    assert inner.show("main@").id == origin.line.show("@").id
    assert inner.show("origin@root").id == line.show("root").id


def test_what_happened_to_the_origin_can_be_brought_into_the_fork_and_back(origin: World) -> None:
    line, place = fork(origin)
    (place / "text").write_text(with_line(TEXT, 1, "the fork's"))
    origin.edit({"text": with_line(TEXT, 9, "ours"), "a": "ours\n"})
    assert set(line.promote(origin.line).changed) == {"a", "text"}
    assert (place / "a").read_text() == "ours\n"
    report = origin.line.promote("attempt")
    assert report.changed == ("text",) and not report.conflicts
    assert origin.tree() == look(place)
    assert line.promote("origin").changed == ()


def test_a_sibling_is_promoted_into_a_sibling(origin: World) -> None:
    one, place = fork(origin, "one")
    _, two = fork(origin, "two")
    (two / "a").write_text("two's\n")
    assert one.promote("two").changed == ("a",)
    assert (place / "a").read_text() == "two's\n"


def test_of_a_fork_whose_directory_is_gone_the_last_snapshot_is_promoted(origin: World) -> None:
    line, place = fork(origin)
    (place / "a").write_text("saved\n")
    line.save()
    (place / "a").write_text("lost\n")
    shutil.rmtree(place)
    report = origin.line.promote("attempt")
    assert origin.read("a") == b"saved\n"
    assert any("not there any more" in note for note in report.notes)


def test_an_earlier_snapshot_of_the_fork_can_be_promoted(origin: World) -> None:
    line, place = fork(origin)
    (place / "a").write_text("one\n")
    line.save("half")
    (place / "a").write_text("two\n")
    line.save()
    origin.line.promote("attempt@half")
    assert origin.read("a") == b"one\n"
    origin.line.promote("attempt@")
    assert origin.read("a") == b"two\n"
    origin.line.promote("attempt@-")
    assert origin.read("a") == b"one\n"


def test_only_some_parts(world: World) -> None:
    memory = Memory([b"one"])
    line = world.store.timeline("main", sources=[tb.Workspace(world.root), tb.State("memory", memory)])
    world.write("a", "0")
    line.save()
    line.fork("@", "attempt", world.base / "attempt")
    theirs = Memory([])
    there = world.store.timeline("attempt", sources=[tb.Workspace(world.base / "attempt"), tb.State("memory", theirs)])
    there.save()
    theirs.notes.append(b"two")
    (world.base / "attempt" / "a").write_text("1")
    there.save()
    assert line.promote("attempt", only=["memory"]).changed == ("memory",)
    assert memory.notes == [b"one", b"two"] and world.read("a") == b"0"
    line.promote("attempt")
    assert world.read("a") == b"1"
    line.undo()
    line.undo()
    assert memory.notes == [b"one"] and world.read("a") == b"0"
    with pytest.raises(tb.NotFound, match="has no part"):
        line.promote("attempt", only=["nothing"])


def test_memory_that_lives_elsewhere_becomes_pending_and_its_owner_takes_it(world: World) -> None:
    memory = Memory([b"one"])
    world.write("a", "0")
    owner = world.store.timeline("main", sources=[tb.Workspace(world.root), tb.State("memory", memory)])
    owner.save()
    owner.fork("@", "attempt", world.base / "attempt")
    theirs = Memory([])
    there = world.store.timeline("attempt", sources=[tb.State("memory", theirs)], root=str(world.base / "attempt"))
    there.save()
    theirs.notes.append(b"two")
    there.save()
    report = world.line.promote("attempt")
    assert report.pending == ("memory",) and memory.notes == [b"one"]
    owner.save()
    assert memory.notes == [b"one", b"two"]
    owner.undo()
    assert memory.notes == [b"one"]


def test_memory_that_changed_here_since_is_a_conflict(world: World) -> None:
    memory, theirs = Memory([b"one"]), Memory([])
    line = world.store.timeline("main", sources=[tb.Workspace(world.root), tb.State("memory", memory)])
    line.save()
    line.fork("@", "attempt", world.base / "attempt")
    there = world.store.timeline("attempt", sources=[tb.State("memory", theirs)], root=str(world.base / "attempt"))
    there.save()
    theirs.notes.append(b"two")
    there.save()
    memory.notes.append(b"ours")
    report = line.promote("attempt")
    assert [item.path for item in report.conflicts] == ["memory"] and memory.notes == [b"one", b"ours"]


def test_nothing_to_promote_changes_nothing(origin: World) -> None:
    fork(origin)
    before = origin.tree()
    report = origin.line.promote("attempt")
    assert report.changed == () and report.move is None and origin.tree() == before


def test_an_unknown_fork_is_not_found_with_those_that_there_are(origin: World) -> None:
    with pytest.raises(tb.NotFound, match="no fork 'attempt'") as error:
        origin.line.promote("attempt")
    assert "takeback fork" in error.value.hints[0]
    fork(origin, "other")
    with pytest.raises(tb.NotFound) as error:
        origin.line.promote("attempt")
    assert "other" in error.value.hints[0]


def test_a_timeline_without_a_common_beginning_is_refused(origin: World) -> None:
    stranger = World(origin.base, directory="elsewhere", timeline="stranger")
    stranger.write("a", "1")
    stranger.line.save()
    with pytest.raises(tb.InvalidInput, match="no beginning in common"):
        origin.line.promote(stranger.line)


def test_a_fork_can_be_promoted_when_what_it_was_made_from_is_dropped(origin: World) -> None:
    line, place = fork(origin)
    origin.edit({"b": "1"})
    origin.line.save()
    origin.line.drop("good")
    (place / "a").write_text("better\n")
    origin.line.promote("attempt")
    assert origin.read("a") == b"better\n"
    line.drop("root")
    (place / "a").write_text("best\n")
    with pytest.raises(tb.NotFound, match="nobody knows any more"):
        origin.line.promote("attempt")


def test_what_is_ignored_here_is_never_overwritten(origin: World) -> None:
    origin.git("init", "-q")
    origin.edit({".gitignore": ".env\n", ".env": "ours, and in no snapshot"})
    origin.line.save()
    _, place = fork(origin)
    (place / ".gitignore").write_text("")
    (place / ".env").write_text("the fork's")
    report = origin.line.promote("attempt")
    assert origin.read(".env") == b"ours, and in no snapshot"
    assert [item.path for item in report.conflicts] == [".env"] and origin.read(".gitignore") == b""
