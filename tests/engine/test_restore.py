"""Restore: exactly as it was, in whole or in part, with the present saved first."""

from __future__ import annotations

import errno
import os
import signal
import socket
from pathlib import Path
from typing import Any

import pytest

import takeback as tb
from support.agent import TEXT, MakeWorld, World, files, look
from support.effects import leftovers
from support.privileges import as_ordinary_user
from support.processes import KILLED, in_child
from takeback.sources.workspace.place.content import Stager
from takeback.sources.workspace.place.entries import Entries


@pytest.fixture
def project(world: World) -> World:
    """A saved tree of every kind of thing, with the label `good`."""
    world.edit({"app.py": TEXT, "src/a.py": "a\n", "src/deep/b.py": "b\n", "docs/index.md": "# docs\n"})
    world.write("run.sh", "#!/bin/sh\n", mode=0o750)
    world.write("secret", "s\n", mode=0o600)
    world.link("link", "src/a.py")
    world.link("dangling", "nowhere")
    (world.root / "empty").mkdir(mode=0o700)
    world.line.save("good")
    return world


def break_everything(world: World) -> None:
    world.edit({"app.py": "broken", "src": None, "docs/index.md": None, "docs": None, "docs/new": "x", "new": "x"})
    world.chmod("run.sh", 0o644)
    world.chmod("secret", 0o644)
    world.link("link", "elsewhere")
    world.remove("dangling")
    world.write("dangling", "a file now\n")
    (world.root / "empty").rmdir()
    world.write("src", "a file now\n")


# whole


def test_restore_makes_the_whole_tree_as_it_was(project: World) -> None:
    good = project.tree()
    break_everything(project)
    report = project.restore("good")
    assert project.tree() == good
    assert report.verb == "restore"


def test_restore_then_undo_is_as_if_nothing_happened(project: World) -> None:
    break_everything(project)
    broken = project.tree()
    project.restore("good")
    project.undo()
    assert project.tree() == broken


def test_restore_forward_again_to_a_later_snapshot(project: World) -> None:
    good = project.tree()
    break_everything(project)
    broken = project.tree()
    later = project.line.save("broken")
    project.restore("good")
    project.restore(later)
    assert project.tree() == broken
    project.restore("good")
    assert project.tree() == good


def test_restore_into_a_project_that_is_all_gone(project: World) -> None:
    good = project.tree()
    for name in os.listdir(project.root):
        project.remove(name)
    project.restore("good")
    assert project.tree() == good


def test_restore_takes_a_snapshot_as_well_as_a_reference(project: World) -> None:
    good = project.line.show("good")
    project.write("app.py", "broken")
    project.restore(good)
    assert project.read("app.py") == TEXT.encode()


def test_restore_of_the_present_changes_nothing(project: World) -> None:
    present = project.tree()
    report = project.restore("good")
    assert report.changed == ()
    assert project.tree() == present


def test_restore_of_an_unknown_reference_is_not_found(project: World) -> None:
    with pytest.raises(tb.NotFound):
        project.restore("no such label")


def test_restore_writes_only_what_differs(project: World) -> None:
    def stat(path: str) -> tuple[int, int, int]:
        status = (project.root / path).lstat()
        return status.st_ino, status.st_mtime_ns, status.st_ctime_ns

    untouched = ["src/a.py", "src/deep/b.py", "run.sh", "link", "docs/index.md"]
    before = [stat(path) for path in untouched]
    project.write("app.py", "broken")
    report = project.restore("good")
    assert report.changed == ("app.py",)
    assert [stat(path) for path in untouched] == before


def test_a_mode_is_restored_without_writing_the_content(project: World) -> None:
    before = (project.root / "run.sh").stat()
    project.chmod("run.sh", 0o600)
    project.restore("good")
    after = (project.root / "run.sh").stat()
    assert (after.st_ino, after.st_mtime_ns, after.st_mode) == (before.st_ino, before.st_mtime_ns, before.st_mode)


def test_a_large_file_is_restored_byte_for_byte(world: World) -> None:
    large = os.urandom(3 << 20)
    world.write("large.bin", large)
    world.line.save("good")
    world.write("large.bin", large[: 1 << 20] + b"inserted" + large[1 << 20 :])
    world.restore("good")
    assert world.read("large.bin") == large


# in part


def test_restore_of_one_file_leaves_the_rest(project: World) -> None:
    break_everything(project)
    broken = project.files()
    report = project.restore("good", paths=["app.py"])
    assert project.files() == {**broken, "app.py": TEXT.encode()}
    assert report.changed == ("app.py",)


@pytest.mark.parametrize("path", ["src", "src/"])
def test_restore_of_a_directory_restores_what_is_below_it(project: World, path: str) -> None:
    project.edit({"app.py": "broken", "src/a.py": "broken", "src/deep/b.py": None, "src/new": "x", "srcs": "not below"})
    project.restore("good", paths=[path])
    tree = project.files()
    assert {name: content for name, content in tree.items() if name.startswith("src/")} == {
        "src/a.py": b"a\n",
        "src/deep/b.py": b"b\n",
    }
    assert tree["app.py"] == b"broken"
    assert tree["srcs"] == b"not below"


def test_restore_of_a_file_whose_directory_is_gone(project: World) -> None:
    project.remove("src")
    project.restore("good", paths=["src/deep/b.py"])
    assert project.read("src/deep/b.py") == b"b\n"
    assert not project.exists("src/a.py")


def test_restore_of_a_path_that_was_not_there_then_removes_it(project: World) -> None:
    project.edit({"new": "x", "newer": "y"})
    project.restore("good", paths=["new"])
    assert not project.exists("new")
    assert project.exists("newer")


def test_restore_of_several_paths(project: World) -> None:
    project.edit({"app.py": "broken", "src/a.py": "broken", "docs/index.md": None, "secret": "broken"})
    report = project.restore("good", paths=["app.py", "docs/"])
    assert {"app.py", "docs/index.md"} <= set(report.changed)
    assert project.read("src/a.py") == project.read("secret") == b"broken"
    assert project.read("docs/index.md") == b"# docs\n"


def test_restore_of_a_path_that_never_was_is_not_found(project: World) -> None:
    project.write("app.py", "broken")
    with pytest.raises(tb.NotFound):
        project.restore("good", paths=["no/such/file"])


@pytest.mark.parametrize("path", ["../outside", "/etc/passwd", "src/../../outside"])
def test_a_path_outside_the_root_is_invalid(project: World, path: str) -> None:
    with pytest.raises(tb.InvalidInput):
        project.restore("good", paths=[path])


def test_restore_of_a_named_part(project: World) -> None:
    project.write("app.py", "broken")
    project.restore("good", only=["workspace"])
    assert project.read("app.py") == TEXT.encode()


def test_restore_of_an_unknown_part_is_not_found(project: World) -> None:
    project.write("app.py", "broken")
    with pytest.raises((tb.NotFound, tb.InvalidInput), match="nonsense"):
        project.restore("good", only=["nonsense"])


def test_undo_of_a_partial_restore_takes_back_only_that(project: World) -> None:
    project.edit({"app.py": "broken", "src/a.py": "broken"})
    broken = project.tree()
    project.restore("good", paths=["app.py"])
    project.undo()
    assert project.tree() == broken


# to another directory


def test_restore_to_another_directory_leaves_the_project_alone(project: World) -> None:
    good = project.tree()
    break_everything(project)
    broken = project.tree()
    there = project.base / "copy"
    project.line.restore("good", to={"workspace": there})
    assert look(there) == good
    assert project.tree() == broken


def test_restore_of_some_paths_to_another_directory(project: World) -> None:
    there = project.base / "copy"
    project.line.restore("good", paths=["src/"], to={"workspace": there})
    assert files(look(there)) == {"src/a.py": b"a\n", "src/deep/b.py": b"b\n"}


def test_restore_to_another_directory_waits_for_no_disk_but_a_fork_does(
    project: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[bool] = []
    real = tb.Workspace.stage

    def stage(self: tb.Workspace, *arguments: Any, durable: bool = True) -> Any:
        asked.append(durable)
        return real(self, *arguments, durable=durable)

    monkeypatch.setattr(tb.Workspace, "stage", stage)
    project.line.restore("@", to=project.root.parent / "elsewhere")
    project.line.fork("@", "other", {"workspace": project.root.parent / "forked"})
    (project.root / "more").write_text("new")
    project.line.restore("@")
    assert asked == [False, True, True]


def test_restore_to_another_directory_is_no_move_to_undo(project: World) -> None:
    project.turn("one", {"app.py": "1"})
    project.line.restore("good", to={"workspace": project.base / "copy"})
    project.undo()
    assert project.read("app.py") == TEXT.encode()


def test_restore_to_another_directory_overwrites_nothing_there(project: World) -> None:
    there = project.base / "copy"
    there.mkdir()
    (there / "app.py").write_text("somebody's only copy")
    with pytest.raises((tb.Conflict, tb.InvalidInput)):
        project.line.restore("good", to={"workspace": there})
    assert files(look(there)) == {"app.py": b"somebody's only copy"}


def die(*_: Any, **__: Any) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize("there_before", [False, True], ids=["new", "empty"])
@pytest.mark.parametrize("at", [(Stager, "put"), (Entries, "add")], ids=["staging", "placing"])
def test_a_restore_to_another_directory_that_was_killed_is_done_by_the_next(
    project: World, at: tuple[type, str], there_before: bool
) -> None:
    there = project.base / "copy"
    if there_before:
        there.mkdir()

    def restore() -> None:
        setattr(*at, die)
        World(project.base).line.restore("good", to=there)

    assert in_child(restore)[0] == KILLED
    assert there.exists() == there_before, "half of it is never there"
    inode = there.stat().st_ino if there_before else None
    project.line.restore("good", to=there)
    assert look(there) == project.tree()
    assert not leftovers(project.base)
    assert inode in (None, there.stat().st_ino), "somebody may be in a directory that is there"


def test_a_restore_to_another_directory_that_fails_leaves_nothing(
    project: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise OSError(errno.EIO, "broken")

    monkeypatch.setattr(Entries, "add", fail)
    with pytest.raises(tb.Unavailable):
        project.line.restore("good", to=project.base / "new" / "copy")
    assert os.listdir(project.base / "new") == []


def test_what_is_among_what_a_killed_restore_left_is_not_overwritten(project: World) -> None:
    there = project.base / "copy"
    project.line.restore("good", to=there)
    project.line.restore("good", to=there)
    for path, text in (("src/a.py", "mine"), ("src/new", "mine")):
        (there / path).write_text(text)
        with pytest.raises(tb.InvalidInput, match="not empty"):
            project.line.restore("good", to=there)
        assert (there / path).read_text() == "mine"
        (there / path).unlink()


def test_a_directory_that_is_new_is_like_any_that_is_made_there(project: World) -> None:
    above = project.base / "shared"
    above.mkdir()
    above.chmod(0o2775)
    (above / "plain").mkdir()
    project.line.restore("good", to=above / "copy")
    plain, copy = (above / "plain").stat(), (above / "copy").stat()
    assert (plain.st_mode, plain.st_gid) == (copy.st_mode, copy.st_gid)


# the present is saved first


def test_the_safety_snapshot_holds_the_unsaved_present(project: World) -> None:
    break_everything(project)
    broken = project.tree()
    report = project.restore("good")
    assert project.line.show(report.safety).trigger == "safety"
    there = project.base / "copy"
    project.line.restore(report.safety, to={"workspace": there})
    assert look(there) == broken


def test_a_present_that_is_already_saved_needs_no_second_snapshot(project: World) -> None:
    project.write("app.py", "broken")
    saved = project.line.save("broken")
    report = project.restore("good")
    assert report.safety == saved.id


def test_an_undo_records_what_it_left(project: World) -> None:
    project.turn("one", {"app.py": "1"})
    report = project.undo()
    assert project.line.show("@").id == report.snapshot
    assert project.line.show(report.snapshot).parent is not None
    assert project.line.read(report.snapshot, "app.py") == TEXT.encode()


# plans


def test_a_plan_touches_and_records_nothing(project: World) -> None:
    break_everything(project)
    broken, counts = project.tree(), project.counts()
    plan = project.line.plan("good")
    assert project.tree() == broken
    assert project.counts() == counts
    assert {effect.path: effect.action for effect in plan.effects if effect.path in ("app.py", "new", "run.sh")} == {
        "app.py": "change",
        "new": "delete",
        "run.sh": "chmod",
    }


def test_apply_does_exactly_what_was_planned(project: World) -> None:
    good = project.tree()
    break_everything(project)
    plan = project.line.plan("good")
    report = project.checked(lambda: project.line.apply(plan))
    assert project.tree() == good
    planned = {effect.path: effect.action for effect in plan.effects}
    assert set(report.changed) <= planned.keys()
    assert dict(report.actions).items() <= planned.items()


def test_a_plan_of_the_present_is_empty(project: World) -> None:
    assert project.line.plan("good").empty


def test_apply_refuses_when_a_planned_path_moved_since(project: World) -> None:
    project.edit({"app.py": "broken", "src/a.py": "broken"})
    plan = project.line.plan("good")
    project.write("app.py", "edited after the plan")
    with pytest.raises(tb.Conflict):
        project.checked(lambda: project.line.apply(plan))
    assert project.read("app.py") == b"edited after the plan"
    assert project.read("src/a.py") == b"broken"


def test_apply_refuses_when_a_file_to_delete_was_edited_since(project: World) -> None:
    project.write("new", "x")
    plan = project.line.plan("good")
    project.write("new", "work of an hour")
    with pytest.raises(tb.Conflict):
        project.checked(lambda: project.line.apply(plan))


def test_apply_refuses_when_something_stands_where_a_file_is_to_be_made(project: World) -> None:
    project.remove("app.py")
    plan = project.line.plan("good")
    project.write("app.py", "somebody was faster")
    with pytest.raises(tb.Conflict):
        project.checked(lambda: project.line.apply(plan))


def test_a_plan_cannot_be_applied_twice_over_later_work(project: World) -> None:
    project.write("app.py", "broken")
    plan = project.line.plan("good")
    project.line.apply(plan)
    project.write("app.py", "later work")
    with pytest.raises(tb.Conflict):
        project.checked(lambda: project.line.apply(plan))


def test_a_plan_to_undo_touches_nothing_and_is_then_applied(project: World) -> None:
    good = project.tree()
    turn = project.turn("one", {"app.py": "1", "new": "1"})
    counts = project.counts()
    plan = project.line.plan_undo()
    assert (plan.verb, plan.moves) == ("undo", (turn,))
    assert project.read("app.py") == b"1"
    assert project.counts() == counts
    assert project.move("one").undone_by is None
    report = project.checked(lambda: project.line.apply(plan))
    assert project.tree() == good
    assert project.move("one").undone_by == report.move


def test_a_plan_to_undo_an_open_turn_leaves_it_open(project: World) -> None:
    agent = project.agent()
    agent.start("one")
    project.write("app.py", "1")
    plan = project.line.plan_undo()
    assert [effect.path for effect in plan.effects] == ["app.py"]
    assert project.move("one").open


def test_a_plan_to_redo_is_applied_like_any_other(project: World) -> None:
    project.turn("one", {"app.py": "1"})
    project.undo()
    plan = project.line.plan_redo()
    assert plan.verb == "redo"
    assert project.read("app.py") == TEXT.encode()
    project.checked(lambda: project.line.apply(plan))
    assert project.read("app.py") == b"1"


def test_a_plan_to_undo_tells_of_conflicts(project: World) -> None:
    project.turn("one", {"app.py": "1", "new": "1"})
    project.write("app.py", "mine")
    plan = project.line.plan_undo()
    assert [kept.path for kept in plan.conflicts] == ["app.py"]
    assert [effect.path for effect in plan.effects] == ["new"]


def test_nothing_to_undo_is_said_when_planning(project: World) -> None:
    counts = project.counts()
    with pytest.raises(tb.NotFound):
        project.line.plan_undo()
    with pytest.raises(tb.NotFound):
        project.line.plan_redo()
    assert project.counts() == counts


# what was not captured is never deleted or overwritten


def test_undo_keeps_the_env_that_the_agent_unignored(world: World) -> None:
    world.edit({".takebackignore": ".env\n", ".env": "KEY=1\n", "a": "0"})
    world.turn("one", {".takebackignore": "", "a": "1"})
    report = world.undo()
    assert world.files() == {".takebackignore": b".env\n", ".env": b"KEY=1\n", "a": b"0"}
    assert ".env" not in report.changed


def test_restore_keeps_the_env_that_the_agent_unignored(world: World) -> None:
    world.edit({".takebackignore": ".env\n", ".env": "KEY=1\n", "a": "0"})
    world.turn("one", {".takebackignore": "", "a": "1"})
    report = world.restore("root")
    assert world.files() == {".takebackignore": b".env\n", ".env": b"KEY=1\n", "a": b"0"}
    assert ".env" in {kept.path for kept in report.kept}


@pytest.mark.service("git")
def test_the_gitignore_of_a_repository_counts_too(repository: World) -> None:
    repository.edit({".gitignore": ".env\nbuild/\n", ".env": "KEY=1\n", "build/out": "hours of work"})
    repository.turn("one", {".gitignore": None, "README.md": "changed\n"})
    with pytest.raises(tb.NotFound):
        repository.line.read("root", ".env")
    repository.undo()
    assert repository.read(".env") == b"KEY=1\n"
    assert repository.read("build/out") == b"hours of work"
    repository.redo()
    repository.restore("root")
    assert repository.read(".env") == b"KEY=1\n"
    assert repository.read("build/out") == b"hours of work"
    assert repository.read("README.md") == b"A project\n"


def test_an_env_that_the_agent_unignored_and_changed_is_left_as_it_is(world: World) -> None:
    world.edit({".takebackignore": ".env\n", ".env": "KEY=1\n", "a": "0"})
    world.turn("one", {".takebackignore": "", ".env": "KEY=2\n", "a": "1"})
    world.undo()
    assert world.files() == {".takebackignore": b".env\n", ".env": b"KEY=2\n", "a": b"0"}


def test_a_captured_file_that_the_agent_ignored_and_changed_comes_back(world: World) -> None:
    world.edit({"notes": "mine\n", "gone": "mine too\n"})
    world.turn("one", {".takebackignore": "notes\ngone\n", "notes": "changed\n", "gone": None})
    world.undo()
    assert world.files() == {"notes": b"mine\n", "gone": b"mine too\n"}


def test_an_ignored_file_is_listed_nowhere_and_never_touched(world: World) -> None:
    world.edit({".takebackignore": "*.log\n", "debug.log": "0", "a": "0"})
    world.turn("one", {"debug.log": "1", "a": "1"})
    report = world.undo()
    assert world.read("debug.log") == b"1"
    assert report.changed == ("a",)


def test_an_included_env_is_captured_and_comes_back(make_world: MakeWorld) -> None:
    world = make_world(include=[".env"])
    world.edit({".takebackignore": ".env\n", ".env": "KEY=1\n"})
    world.turn("one", {".env": None})
    world.undo()
    assert world.read(".env") == b"KEY=1\n"


def test_an_excluded_directory_is_left_alone(make_world: MakeWorld) -> None:
    world = make_world(exclude=["cache/"])
    world.edit({"a": "0", "cache/x": "0"})
    world.turn("one", {"a": "1", "cache/x": None, "cache/y": "1"})
    world.undo()
    assert world.files() == {"a": b"0", "cache/y": b"1"}


def test_a_file_that_was_too_large_and_shrank_is_not_deleted(make_world: MakeWorld) -> None:
    world = make_world(max_file_size="1KiB")
    world.edit({"big": b"x" * 4096, "a": "0"})
    snapshot = world.line.save("before")
    assert [(item.path, item.reason) for item in snapshot.not_captured] == [("big", "too large")]
    world.turn("one", {"big": b"small now", "a": "1"})
    report = world.undo()
    assert world.files() == {"big": b"small now", "a": b"0"}
    assert "big" in {kept.path for kept in report.kept}
    world.redo()
    world.restore("before")
    assert world.files() == {"big": b"small now", "a": b"0"}


def test_a_captured_file_that_outgrew_the_cap_comes_back(make_world: MakeWorld) -> None:
    world = make_world(max_file_size="1KiB")
    world.write("data", b"small")
    world.turn("one", {"data": b"x" * 4096})
    world.undo()
    assert world.read("data") == b"small"
    world.redo()
    assert world.read("data") == b"x" * 4096


def test_a_new_file_over_the_cap_survives_undo(make_world: MakeWorld) -> None:
    world = make_world(max_file_size="1KiB")
    world.write("a", "0")
    world.turn("one", {"a": "1", "out/big": b"x" * 4096})
    world.undo()
    assert world.files() == {"a": b"0", "out/big": b"x" * 4096}


def test_what_is_no_file_is_listed_and_survives(world: World) -> None:
    world.write("a", "0")
    world.line.save("before")
    with socket.socket(socket.AF_UNIX) as server:
        here = os.getcwd()
        os.chdir(world.root)
        try:
            server.bind("socket")
        finally:
            os.chdir(here)
        with world.line.turn("one"):
            world.edit({"a": "1", "run/x": "1"})
            os.mkfifo(world.root / "run/pipe")
        after = world.line.show("@")
        assert {(item.path, item.reason) for item in after.not_captured} == {("socket", "socket"), ("run/pipe", "fifo")}
        world.restore("before")
        assert world.exists("socket")
        assert world.exists("run/pipe")
        assert world.files() == {"a": b"0"}


def test_an_unreadable_file_is_listed_and_survives(tmp_path: Path) -> None:
    def work() -> None:
        world = World(tmp_path)
        world.write("a", "0")
        world.write("locked", "secret", mode=0)
        snapshot = world.line.save("before")
        assert [(item.path, item.reason) for item in snapshot.not_captured] == [("locked", "unreadable")]
        with world.line.turn("one"):
            world.chmod("locked", 0o600)
            world.edit({"a": "1", "locked": "secret, edited"})
        world.undo()
        assert world.files() == {"a": b"0", "locked": b"secret, edited"}
        world.restore("before")
        assert world.files() == {"a": b"0", "locked": b"secret, edited"}

    as_ordinary_user(work)


# git


@pytest.mark.service("git")
def test_a_restore_across_a_commit_notes_the_other_head(repository: World) -> None:
    repository.line.save("before")
    repository.write("README.md", "changed\n")
    repository.git("commit", "--quiet", "--all", "--message=Second")
    plan = repository.line.plan("before")
    assert any("HEAD" in note for note in plan.notes)


@pytest.mark.service("git")
def test_without_a_commit_there_is_no_note(repository: World) -> None:
    repository.line.save("before")
    repository.write("README.md", "changed\n")
    assert repository.line.plan("before").notes == ()


@pytest.mark.service("git")
def test_undo_lists_the_commit_that_it_cannot_take_back(repository: World) -> None:
    def work() -> None:
        repository.write("README.md", "changed\n")
        repository.git("commit", "--quiet", "--all", "--message=The agent's commit")

    repository.turn("one", work)
    head = repository.git("rev-parse", "HEAD")
    report = repository.undo()
    assert repository.read("README.md") == b"A project\n"
    assert repository.git("rev-parse", "HEAD") == head
    assert any("commit" in item.kind for item in report.outside)


@pytest.mark.service("git")
def test_restore_never_touches_the_git_directory(repository: World) -> None:
    repository.line.save("before")
    repository.edit({"README.md": "changed\n", "new": "x"})
    repository.git("add", "new")
    git = repository.git_directory()
    repository.restore("before")
    repository.undo()
    assert repository.git_directory() == git


def test_its_title_says_what_comes_back_and_as_it_was_where(world: World) -> None:
    world.write("a", "1")
    world.write("b", "1")
    saved = world.line.save("all tests pass")
    plan = world.line.plan
    assert plan(saved).title == "restore all tests pass"
    assert plan(saved, paths=["a"]).title == "restore a as in ‘all tests pass’"
    assert plan(saved, paths=["a", "b"]).title == "restore 2 paths as in ‘all tests pass’"
    world.line.unlabel(saved, "all tests pass")
    assert plan(saved).title == f"restore {saved.id[:8]}"
