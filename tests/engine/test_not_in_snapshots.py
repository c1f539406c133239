"""What no snapshot holds, and what an agent did to it: undo says it, is no success then, and leaves every only copy in place."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

import takeback as tb
from support.agent import TEXT, MakeWorld, World
from support.git import commit_all, init_repository
from takeback.model.plan import Report
from takeback.sources import clock

SECRET = "TOKEN=0123456789abcdef0123456789abcdef\n"


@pytest.fixture
def project(make_world: MakeWorld) -> World:
    """A repository with an ignored file and an ignored directory, and a file over the limit."""
    world = make_world(max_file_size="1KiB")
    init_repository(world.root)
    world.edit({".gitignore": ".env\ndata/\n", "app.py": TEXT, "report.csv": "old\n", "example": "EXAMPLE=" + "x" * 60})
    commit_all(world.root)
    world.edit({".env": SECRET, "data/keep.csv": "the only numbers\n" * 9, "big.bin": "b" * 5000})
    world.line.save()
    return world


def lost(report: Report) -> dict[str, str]:
    """What makes an undo one in part."""
    return {each.path: each.how for each in report.lost if each.counts}


def let_time_pass() -> None:
    """Until the clock that files are stamped with says a later time."""
    now = clock.read().coarse_ns
    while clock.read().coarse_ns <= now:
        pass


# written over


@pytest.mark.parametrize("how", ["longer", "as long", "copied"])
def test_undo_says_that_an_ignored_file_was_written_over(project: World, how: str) -> None:
    def work() -> None:
        if how == "copied":
            shutil.copyfile(project.root / "example", project.root / ".env")
        else:
            project.write(".env", SECRET.replace("0", "9") if how == "as long" else f"OTHER=1\n{SECRET}")
        project.write("app.py", "changed\n")

    project.turn("work", work)
    report = project.undo()
    assert project.read("app.py") == TEXT.encode()
    assert lost(report) == {".env": "written"}


@pytest.mark.parametrize("content", [f"OTHER=1\n{SECRET}", None], ids=["written over", "removed"])
def test_undo_takes_no_older_turn_when_the_newest_one_only_ruined_what_no_snapshot_holds(
    project: World, content: str | None
) -> None:
    older = project.turn("older", {"app.py": "an agent's\n"})
    with project.line.turn("newest"):
        project.edit({".env": content})
    with pytest.raises(tb.Partial, match=r"\.env") as raised:
        project.line.undo()
    assert project.read("app.py") == b"an agent's\n"
    assert any(older[:8] in hint for hint in raised.value.hints)


def test_undo_keeps_the_only_copy_that_was_moved_over_a_captured_file(project: World) -> None:
    far = project.base / "far.txt"
    far.write_text("far away\n" * 20)
    project.write("far.csv", "old\n")
    let_time_pass()
    project.line.save()
    let_time_pass()

    def move() -> None:
        project.rename("data/keep.csv", "report.csv")
        shutil.move(far, project.root / "far.csv")

    project.turn("move", move)
    with pytest.raises(tb.Conflict, match=r"no snapshot holds it there"):
        project.undo()
    assert project.read("report.csv") == b"the only numbers\n" * 9
    assert project.read("far.csv") == b"far away\n" * 20


@pytest.mark.parametrize("beside", ["a removal", "a change of a file that looks alike"])
def test_undo_keeps_the_only_copy_that_was_moved_to_a_new_path_beside_other_changes(
    project: World, beside: str
) -> None:
    numbers = "".join(f"{number} of the only numbers\n" for number in range(30))
    project.write("data/only.csv", numbers)
    project.edit({"scratch.txt": "scratch\n", "alike.csv": numbers + "and more\n"})
    let_time_pass()
    project.line.save()
    let_time_pass()

    def move() -> None:
        project.rename("data/only.csv", "report.csv")
        if beside == "a removal":
            project.remove("scratch.txt")
        else:
            project.write("alike.csv", numbers + "and others\n")

    project.turn("tidy", move)
    report = project.undo()
    assert project.read("report.csv") == numbers.encode()
    assert [item.path for item in report.conflicts] == ["report.csv"]
    assert project.exists("scratch.txt") and project.read("alike.csv").endswith(b"and more\n")


@pytest.mark.parametrize("how", ["written", "cut"])
def test_undo_says_that_a_file_over_the_limit_was_made_a_small_one(project: World, how: str) -> None:
    def work() -> None:
        if how == "written":
            project.write("big.bin", "small\n")
        else:
            os.truncate(project.root / "big.bin", 100)
        project.write("app.py", "changed\n")

    project.turn("work", work)
    assert lost(project.undo()) == {"big.bin": "replaced"}
    assert project.read("app.py") == TEXT.encode()


# directories


def test_undo_says_that_the_inside_of_the_repository_was_removed(project: World) -> None:
    def work() -> None:
        project.remove(".git/objects")
        project.remove(".git/refs")
        project.write("app.py", "changed\n")

    project.turn("work", work)
    assert lost(project.undo()) == {".git/objects/": "removed", ".git/refs/": "removed"}


def test_undo_says_that_an_ignored_directory_was_made_anew_whatever_inode_it_has(project: World) -> None:
    inode = (project.root / "data").stat().st_ino

    def work() -> None:
        project.remove("data")
        made: list[Path] = []
        while len(made) < 100 and inode not in (path.stat().st_ino for path in made[-1:]):
            made.append(project.root / f"made{len(made)}")
            made[-1].mkdir()
        made.pop().rename(project.root / "data")
        for path in made:
            path.rmdir()
        project.write("app.py", "changed\n")

    project.turn("work", work)
    assert lost(project.undo()) == {"data/": "replaced"}


def test_undo_says_nothing_of_a_repository_whose_modes_were_changed(project: World) -> None:
    def work() -> None:
        for path in (project.root, *project.root.rglob("*")):
            path.chmod(path.stat().st_mode | 0o020)

    project.turn("work", work)
    report = project.undo()
    assert project.mode("app.py") == 0o644
    assert report.lost == ()


# left


def test_undo_says_that_a_file_stays_gone_in_whose_place_a_pipe_is(world: World) -> None:
    world.edit({"a.txt": "1\n", "b.txt": "1\n"})

    def work() -> None:
        world.remove("a.txt")
        os.mkfifo(world.root / "a.txt")
        world.write("b.txt", "2\n")

    world.turn("work", work)
    report = world.line.undo()
    assert world.read("b.txt") == b"1\n"
    assert [item.path for item in report.conflicts] == ["a.txt"]


@pytest.mark.parametrize("calls", [1, 2])
def test_undo_of_a_file_that_was_moved_aside_for_a_new_one_leaves_no_second_copy(world: World, calls: int) -> None:
    world.write("app.py", TEXT)
    for number in range(3):
        world.write("other", f"{number}\n")
        world.line.save(f"save {number}")
    before = world.tree()
    agent = world.agent()
    agent.start("rewrite")
    agent.begin("1")
    world.rename("app.py", "app_old.py")
    if calls == 2:
        agent.done("1")
        agent.begin("2", ["app.py"])
    world.write("app.py", "a new one\n" * 5)
    agent.done(str(calls))
    agent.end()
    report = world.undo()
    assert world.tree() == before
    assert report.kept == ()
