"""What no snapshot holds: undo says what a move did to it, and never costs its only copy."""

from __future__ import annotations

import os
import shutil
import stat
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import takeback as tb
from support.agent import TEXT, MakeWorld, World
from support.git import commit_all, git, init_repository
from support.privileges import as_ordinary_user
from takeback.model.plan import Report

SECRET = "TOKEN=0123456789abcdef0123456789abcdef\n"


@pytest.fixture
def project(make_world: MakeWorld) -> World:
    """A repository with an ignored file and an ignored directory, and files over the limit."""
    world = make_world(max_file_size="1KiB")
    init_repository(world.root)
    world.edit({".gitignore": ".env*\n!.env.example\nbuild/\n", ".env.example": "TOKEN=\n", "app.py": TEXT})
    commit_all(world.root)
    world.edit(
        {".env": SECRET, "build/report": "the only report\n", "build/deep/data": "data\n", "big.bin": "b" * 5000}
    )
    let_time_pass(world.root / "big.bin")
    world.line.save()
    return world


def let_time_pass(file: Path) -> None:
    """Until the clock of files says a later time than when this one was made."""
    while time.clock_gettime_ns(getattr(time, "CLOCK_REALTIME_COARSE", 5)) <= file.stat().st_ctime_ns:
        pass


def work(world: World, act: Callable[[], object], **edits: str) -> Report:
    """A turn that does this and changes app.py; undone, redone to the last byte, and undone again."""

    def turn() -> None:
        act()
        world.edit({"app.py": "changed\n", **edits})

    world.turn("work", turn)
    ruined = world.tree()
    first = world.undo()
    assert world.read("app.py") == TEXT.encode()
    world.redo()
    assert world.tree() == ruined
    world.undo()
    return first


def all_of(*acts: Callable[[], object]) -> Callable[[], object]:
    return lambda: [act() for act in acts]


def lost(report: Report) -> dict[str, str]:
    return {each.path: f"{each.how} {each.to}".rstrip() for each in report.lost if each.counts}


# said


def test_undo_says_what_was_removed_that_no_snapshot_holds(project: World) -> None:
    def remove() -> None:
        for path in (".env", ".git", "build", "big.bin"):
            project.remove(path)

    report = work(project, remove)
    assert lost(report) == {".env": "removed", ".git/": "removed", "build/": "removed", "big.bin": "removed"}


def test_what_a_move_leaves_alone_is_not_said(project: World) -> None:
    report = work(project, lambda: None)
    assert report.lost == ()


def test_git_may_do_its_work(project: World) -> None:
    def use() -> None:
        project.write("new.py", "new\n")
        commit_all(project.root)
        git(project.root, "checkout", "--quiet", "-b", "other")
        git(project.root, "config", "user.name", "somebody else")
        git(project.root, "gc", "--quiet")

    project.turn("work", use)
    assert project.undo().lost == ()


def test_a_repository_that_was_made_anew_is_another_one(project: World) -> None:
    def anew() -> None:
        project.remove(".git")
        init_repository(project.root)
        commit_all(project.root)

    assert lost(work(project, anew)) == {".git/": "replaced"}


def test_the_file_that_leads_to_the_repository_is_looked_at_too(project: World) -> None:
    git(project.root, "worktree", "add", "--quiet", "sub")
    project.line.save()
    assert (project.root / "sub/.git").is_file()
    assert lost(work(project, lambda: project.remove("sub/.git"))) == {"sub/.git": "removed"}


def test_what_was_replaced_is_said_whatever_inode_the_new_one_has(project: World) -> None:
    def replace() -> None:
        for path in (".env", "big.bin"):
            project.remove(path)
            project.write(path, "other\n" if path == ".env" else "o" * 4000)

    assert lost(work(project, replace)) == {".env": "replaced", "big.bin": "replaced"}


def test_what_became_a_directory_or_a_link_is_replaced(project: World) -> None:
    project.write(".env.local", SECRET)
    project.line.save()

    def replace() -> None:
        for path in (".env", ".env.local"):
            project.remove(path)
        (project.root / ".env").mkdir()
        project.link(".env.local", "app.py")

    assert lost(work(project, replace)) == {".env": "replaced", ".env.local": "replaced"}


def test_a_link_in_the_place_of_an_ignored_directory_goes_and_the_directory_stays_where_it_is(project: World) -> None:
    def link() -> None:
        project.rename("build", "kept")
        project.link("build", "kept")

    report = work(project, link)
    assert lost(report) == {"build/": "moved kept"}
    assert project.read("kept/report") == b"the only report\n"
    assert "build" in {item.path for item in report.kept}


def test_what_was_moved_to_another_ignored_name_is_said(project: World) -> None:
    report = work(project, lambda: project.rename(".env", ".env.bak"))
    assert lost(report) == {".env": "moved .env.bak"}
    assert project.read(".env.bak") == SECRET.encode()


@pytest.mark.parametrize(("name", "counts"), [("debug.log", False), (".env", True)])
def test_what_was_written_to_in_place_is_told_and_is_a_loss_unless_it_is_a_log(
    project: World, name: str, counts: bool
) -> None:
    project.edit({".gitignore": ".env\nbuild/\n*.log\n", "debug.log": "begun\n"})

    def append() -> None:
        with open(project.root / name, "a") as file:
            file.write("more\n")

    report = work(project, append)
    assert [(each.path, each.how, each.counts) for each in report.lost] == [(name, "written", counts)]


def test_what_was_cut_short_in_place_is_lost(project: World) -> None:
    assert lost(work(project, lambda: project.write(".env", "x\n"))) == {".env": "replaced"}


def test_what_programs_make_again_by_themselves_is_no_loss(project: World) -> None:
    project.edit({".gitignore": "__pycache__/\n", "pkg/__pycache__/a.pyc": "x", "pkg/a.py": "a\n"})
    project.line.save()
    report = work(project, lambda: shutil.rmtree(project.root / "pkg"))
    assert [(each.path, each.counts) for each in report.lost] == [("pkg/__pycache__/", False)]
    assert project.read("pkg/a.py") == b"a\n"


def test_what_came_and_went_within_the_move_is_not_said(project: World) -> None:
    agent = project.agent()
    agent.start("work")
    agent.act({".env.tmp": "x", "app.py": "1"}, key="a", paths=["app.py", ".env.tmp"])
    project.write("mine", "a person's")
    agent.begin("b", ["app.py"])
    project.remove(".env.tmp")
    project.write("app.py", "2")
    agent.done("b")
    agent.end()
    assert project.undo(shared=True).lost == ()


def test_what_a_person_removed_before_the_turn_is_not_said_to_be_the_turns(project: World) -> None:
    project.turn("before", {"app.py": "1\n"})
    project.remove(".env")
    project.turn("work", {"app.py": "2\n"})
    assert project.undo().lost == ()


def test_what_a_person_made_before_the_turn_and_the_turn_removed_is_said(project: World) -> None:
    project.turn("before", {"app.py": "1\n"})
    project.write(".env.new", SECRET)
    project.turn("work", {".env.new": None, "app.py": "2\n"})
    assert lost(project.undo()) == {".env.new": "removed"}


def test_a_turn_that_did_nothing_else_stays_the_newest_and_the_next_older_one_is_named(project: World) -> None:
    older = project.turn("edit", {"app.py": "1\n"})
    project.turn("clean", {".env": None})
    with pytest.raises(tb.Partial, match=r"\.env: removed") as refused:
        project.line.undo()
    assert project.read("app.py") == b"1\n"
    assert f"`takeback undo {older[:8]}` takes back the next older move" in refused.value.hints
    project.undo(older)
    assert project.read("app.py") == TEXT.encode()


def test_where_there_is_nothing_else_to_take_back_that_is_said(project: World) -> None:
    project.turn("clean", all_of(lambda: project.remove(".env"), lambda: project.remove(".git")))
    with pytest.raises(tb.Partial, match=r"\.env: removed\n  \.git/: removed"):
        project.line.undo()
    with pytest.raises(tb.Partial, match=r"\.env: removed"):
        project.line.undo(project.move("clean").id)


def test_what_a_person_has_put_back_is_not_said(project: World) -> None:
    def replace() -> None:
        project.rename(".env", ".env.bak")
        project.edit({".env": "other\n", "app.py": "1\n"})

    project.turn("work", replace)
    project.rename(".env.bak", ".env")
    assert project.undo().lost == ()
    assert project.read(".env") == SECRET.encode()


def test_only_the_paths_that_were_asked_for_are_spoken_of(project: World) -> None:
    project.turn("work", {".env": None, "app.py": "1\n"})
    assert project.undo(paths={"workspace": ["app.py"]}).lost == ()


def test_what_an_older_version_listed_counts_by_its_inode(project: World, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("takeback.sources.workspace.uncaptured.encode", lambda listed: b"[]")
        project.write("app.py", "older\n")
        project.line.save()
    project.turn("work", {".env": None, "app.py": "1\n"})
    assert lost(project.undo()) == {".env": "removed"}


# never overwritten, never deleted


@pytest.mark.parametrize(("origin", "content"), [(".env", SECRET), ("big.bin", "b" * 5000)])
def test_the_only_copy_that_was_moved_over_a_captured_file_is_left_there(
    project: World, origin: str, content: str
) -> None:
    project.turn("work", all_of(lambda: project.rename(origin, ".env.example"), lambda: project.write("app.py", "1\n")))
    ruined = project.tree()
    report = project.undo()
    assert project.read(".env.example") == content.encode()
    assert project.read("app.py") == TEXT.encode()
    assert lost(report) == {origin: "moved .env.example"}
    assert [item.path for item in report.conflicts] == [".env.example"]
    project.redo()
    assert project.tree() == ruined


def test_where_nothing_else_was_done_undo_refuses_and_restore_leaves_it_too(project: World) -> None:
    first = project.line.save()
    project.turn("work", lambda: project.rename(".env", ".env.example"))
    with pytest.raises(tb.Conflict, match="was moved here from .env"):
        project.undo()
    assert [item.path for item in project.restore(first).kept] == [".env.example"]
    assert project.read(".env.example") == SECRET.encode()


def test_a_copy_of_what_was_removed_is_left_where_it_is(project: World) -> None:
    def copy() -> None:
        shutil.copy(project.root / ".env", project.root / ".env.example")
        project.remove(".env")

    report = work_beside(project, copy)
    assert project.read(".env.example") == SECRET.encode()
    assert lost(report) == {".env": "removed"}


def work_beside(world: World, act: Callable[[], object]) -> Report:
    world.turn("work", all_of(act, lambda: world.write("app.py", "1\n")))
    ruined = world.tree()
    report = world.undo()
    assert world.read("app.py") == TEXT.encode()
    world.redo()
    assert world.tree() == ruined
    world.undo()
    return report


def test_what_was_linked_is_taken_back_because_the_first_name_stays(project: World) -> None:
    def link() -> None:
        project.remove(".env.example")
        os.link(project.root / ".env", project.root / ".env.example")
        os.link(project.root / ".env", project.root / "secrets.txt")

    report = work(project, link)
    assert report.lost == () and not report.conflicts
    assert (project.read(".env"), project.read(".env.example")) == (SECRET.encode(), b"TOKEN=\n")
    assert not project.exists("secrets.txt")


def test_a_directory_that_was_moved_out_of_the_ignored_ones_is_left(project: World) -> None:
    report = work(project, lambda: project.rename("build", "src"))
    assert lost(report) == {"build/": "moved src"}
    assert project.read("src/report") == b"the only report\n"


def test_what_was_moved_out_of_an_ignored_directory_is_left(project: World) -> None:
    def move() -> None:
        project.rename("build/report", "report.txt")
        project.rename("build/deep", "deep")
        project.write("new.txt", "the agent's own\n")

    report = work(project, move)
    assert project.read("report.txt") == b"the only report\n" and project.read("deep/data") == b"data\n"
    assert not project.exists("new.txt")
    assert {item.path for item in report.conflicts} == {"report.txt", "deep/data"}


def test_a_file_that_was_moved_and_edited_is_left(project: World) -> None:
    def move() -> None:
        project.rename(".env", "settings.txt")
        with open(project.root / "settings.txt", "a") as file:
            file.write("more\n")

    report = work(project, move)
    assert project.read("settings.txt") == SECRET.encode() + b"more\n"
    assert lost(report) == {".env": "moved settings.txt"}


def test_a_new_file_with_the_inode_of_what_was_removed_is_the_moves_own(project: World) -> None:
    inode = (project.root / ".env").stat().st_ino
    before = set(project.files())

    def reuse() -> None:
        project.remove(".env")
        written_to(project, inode)

    report = work(project, reuse)
    assert set(project.files()) == before - {".env"}
    assert not report.kept and lost(report) == {".env": "removed"}


def test_a_file_that_was_replaced_by_one_with_the_inode_of_what_was_removed_is_taken_back(project: World) -> None:
    inode = (project.root / ".env").stat().st_ino

    def reuse() -> None:
        project.remove(".env")
        project.rename(written_to(project, inode), ".env.example")

    report = work(project, reuse)
    assert project.read(".env.example") == b"TOKEN=\n"
    assert not report.conflicts and lost(report) == {".env": "removed"}


# renamed since


def test_a_link_that_was_renamed_stays_if_its_old_name_is_taken(world: World) -> None:
    world.edit({"other": "0"})
    world.link("link", "somewhere")
    world.turn("rename", all_of(lambda: world.rename("link", "link2"), lambda: world.write("other", "1")))
    world.write("link", "mine\n")
    ruined = world.tree()
    report = world.undo()
    assert os.readlink(world.root / "link2") == "somewhere"
    assert world.read("link") == b"mine\n" and world.read("other") == b"0"
    assert {item.path for item in report.conflicts} == {"link", "link2"}
    world.redo()
    assert world.tree() == ruined


@pytest.mark.parametrize("edit", ["in place", "as a new file", "all of it, in place"])
def test_a_file_that_was_renamed_and_edited_stays_if_its_old_name_is_taken(world: World, edit: str) -> None:
    world.edit({"notes.txt": TEXT, "other": "0"})
    let_time_pass(world.root / "notes.txt")

    def rename() -> None:
        world.rename("notes.txt", "old.txt")
        if edit == "as a new file":
            world.remove("old.txt")
        world.write("old.txt", "another text\n" if edit.startswith("all") else TEXT + "one line more\n")
        world.edit({"other": "1", "new.txt": "nothing to do with it\n"})

    world.turn("rename", rename)
    kept = world.read("old.txt")
    world.write("notes.txt", "mine\n")
    ruined = world.tree()
    report = world.undo()
    assert world.files() == {"notes.txt": b"mine\n", "old.txt": kept, "other": b"0"}
    assert {item.path for item in report.conflicts} == {"notes.txt", "old.txt"}
    world.redo()
    assert world.tree() == ruined


def test_files_of_a_renamed_directory_stay_if_its_old_name_is_taken(world: World) -> None:
    world.edit({"src/a.txt": TEXT, "src/b.txt": "b\n", "other": "0"})
    world.turn("rename", all_of(lambda: world.rename("src", "lib"), lambda: world.write("other", "1")))
    world.write("src", "a file of mine\n")
    ruined = world.tree()
    world.undo()
    assert world.files() == {
        "src": b"a file of mine\n", "lib/a.txt": TEXT.encode(), "lib/b.txt": b"b\n", "other": b"0",
    }  # fmt: skip
    world.redo()
    assert world.tree() == ruined


def test_other_renames_of_the_same_move_are_taken_back(world: World) -> None:
    world.edit({"a": TEXT, "b": TEXT + "b\n"})
    world.turn("rename", all_of(lambda: world.rename("a", "a2"), lambda: world.rename("b", "b2")))
    world.write("a", "mine\n")
    world.undo()
    assert world.files() == {"a": b"mine\n", "a2": TEXT.encode(), "b": (TEXT + "b\n").encode()}


def test_a_persons_own_copy_is_not_taken_for_the_file_that_she_deleted(world: World) -> None:
    world.write("other", "0")
    world.turn("write", {"agent.txt": TEXT, "other": "1"})
    world.remove("agent.txt")
    world.write("mine.txt", TEXT)
    ruined = world.tree()
    report = world.undo()
    assert world.files() == {"mine.txt": TEXT.encode(), "other": b"0"}
    assert any("mine.txt" in note for note in report.notes)
    world.redo()
    assert world.tree() == ruined


def test_nor_is_one_that_has_the_inode_of_the_deleted_file(world: World) -> None:
    world.write("other", "0")
    world.turn("write", {"agent.txt": TEXT, "other": "1"})
    inode = (world.root / "agent.txt").stat().st_ino
    world.remove("agent.txt")
    mine = written_to(world, inode)
    world.write(mine, TEXT)
    report = world.undo()
    assert world.read(mine) == TEXT.encode() and world.read("other") == b"0"
    assert mine not in report.changed


def written_to(world: World, inode: int) -> str:
    """A new file that has the inode of one that is gone."""
    for number in range(500):
        world.write(f"new{number}", f"{number}\n")
        if (world.root / f"new{number}").stat().st_ino == inode:
            return f"new{number}"
    pytest.skip("this file system does not give an inode again")


def test_a_file_that_a_person_renamed_is_followed_also_where_the_move_had_gone_on(world: World) -> None:
    world.write("other", "0")
    with world.line.turn("work", session="s"):
        world.write("made.py", TEXT)
        world.line.save(trigger="interval")
        world.write("other", "1")
    world.rename("made.py", "renamed.py")
    world.undo()
    assert world.files() == {"other": b"0"}


# a path is changed, or left alone


def test_a_path_of_which_one_edit_cannot_be_taken_back_is_left_as_a_whole(world: World) -> None:
    world.write("a", "0\n")
    agent = world.agent()
    agent.start("work")
    agent.act({"a": "1\n"}, key="one", paths=["a"])
    world.write("a", "a person's\n")
    agent.act({"a": "2\n", "b": "new\n"}, key="two", paths=["a", "b"])
    agent.end()
    report = world.undo()
    told = {item.path for item in (*report.conflicts, *report.kept)}
    assert told == {"a"} and told.isdisjoint(report.changed)
    assert world.files() == {"a": b"2\n"}


# what nobody can read


def _closed(base: Path, path: str, mode: int) -> None:
    world = World(base)
    world.edit({"src/a.txt": TEXT, "src/deep/b.txt": "b\n", "file.txt": TEXT, "other": "0"})
    (world.root / "src/a.txt").chmod(0o640)
    world.line.save()
    before = world.tree()
    world.turn("close", all_of(lambda: world.write("other", "1"), lambda: world.chmod(path, mode)))
    for _ in range(2):
        report = world.line.undo()
        assert world.tree() == before
        assert not report.conflicts and not report.lost and not report.kept
        world.line.redo()
        assert stat.S_IMODE((world.root / path).lstat().st_mode) == mode
        assert world.read("other") == b"1"
    world.line.undo()
    assert world.tree() == before
    assert not world.line.diff("@").files
    assert not world.store.verify(read_data=True).problems


@pytest.mark.parametrize("mode", [0o000, 0o200, 0o100, 0o400, 0o311])
@pytest.mark.parametrize("path", ["src", "src/deep", "file.txt"])
def test_a_mode_that_lets_nobody_read_is_taken_back(tmp_path: Path, path: str, mode: int) -> None:
    as_ordinary_user(_closed, tmp_path, path, mode)


def _closed_after_an_edit(base: Path, seen: bool) -> None:
    world = World(base)
    world.edit({"src/a.txt": TEXT, "other": "0"})
    agent = world.agent()
    agent.start("work")
    agent.begin("one", ["src/a.txt"])
    world.write("src/a.txt", "edited\n")
    if seen:
        agent.done("one")
        agent.begin("two", ["src"])
    world.chmod("src", 0)
    agent.done("two" if seen else "one")
    agent.end()
    report = world.line.undo(shared=True)
    assert world.mode("src") == 0o755
    if seen:
        assert world.read("src/a.txt") == TEXT.encode() and not report.lost
    else:
        assert [(each.path, each.how) for each in report.lost] == [("src/a.txt", "unseen")]
        (hint,) = (hint for hint in report.hints if "read last" in hint)
        assert "src/a.txt" in hint
        world.line.restore(report.snapshot, paths=["src/a.txt"])
        assert world.read("src/a.txt") == TEXT.encode()


@pytest.mark.parametrize("seen", [True, False])
def test_what_was_edited_before_its_directory_was_closed_is_taken_back_or_said(tmp_path: Path, seen: bool) -> None:
    as_ordinary_user(_closed_after_an_edit, tmp_path, seen)


def _written_and_closed(base: Path) -> None:
    world = World(base)
    world.edit({"a.txt": TEXT, "other": "0"})
    world.turn(
        "close", all_of(lambda: world.edit({"a.txt": "written\n", "other": "1"}), lambda: world.chmod("a.txt", 0))
    )
    report = world.line.undo()
    (conflict,) = report.conflicts
    assert conflict.path == "a.txt" and "chmod 644 a.txt" in conflict.reason
    assert world.read("other") == b"0"
    (hint,) = (hint for hint in report.hints if "takeback restore" in hint)
    assert "a.txt" in hint
    world.chmod("a.txt", 0o644)
    world.line.restore(world.move("close").opening, paths=["a.txt"])
    assert world.read("a.txt") == TEXT.encode()


def test_of_a_file_that_was_written_and_closed_undo_says_what_to_do(tmp_path: Path) -> None:
    as_ordinary_user(_written_and_closed, tmp_path)


def _closed_with_ignored(base: Path) -> None:
    world = World(base)
    world.edit({".takebackignore": "*.log\n", "src/a.txt": TEXT, "src/x.log": "only here\n", "other": "0"})
    world.turn("close", all_of(lambda: world.chmod("src", 0), lambda: world.write("other", "1")))
    report = world.line.undo()
    assert report.lost == () and world.read("src/x.log") == b"only here\n"


def test_what_cannot_be_seen_is_not_said_to_be_gone(tmp_path: Path) -> None:
    as_ordinary_user(_closed_with_ignored, tmp_path)
