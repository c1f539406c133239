"""What docker-agent's snapshots, and those of its kin, get wrong: each case must come out right here."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import takeback as tb
from support.agent import TEXT, MakeWorld, World, with_line
from support.git import commit_all, init_repository

pytestmark = pytest.mark.service("git")

BYTES = pytest.mark.skipif(sys.platform == "darwin", reason="its file systems hold only normalised text as names")

# the store is damaged, or gone


def test_undo_with_the_store_gone_deletes_nothing(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.edit({"a": "0", "b": "0"})
    world.turn("one", {"a": "1", "new": "1"})
    present = world.tree()
    shutil.rmtree(world.store_path)
    with pytest.raises(tb.NotFound):
        world.reopened().line.undo()
    assert world.tree() == present


def test_undo_with_damaged_packs_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.edit({f"file{number}": os.urandom(200_000) for number in range(4)})
    world.turn("one", {f"file{number}": "small" for number in range(4)})
    present = world.tree()
    packs = [path for path in (world.store_path / "packs").rglob("*") if path.is_file()]
    assert packs
    for pack in packs:
        size = pack.stat().st_size
        with pack.open("r+b") as file:
            file.seek(size // 3)
            file.write(bytes(size // 3))
    fresh = world.reopened()
    with pytest.raises(tb.Integrity):
        fresh.line.undo()
    assert world.tree() == present
    assert fresh.move("one").undone_by is None
    assert fresh.store.verify(read_data=True).problems


def test_undo_with_missing_packs_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.edit({f"file{number}": os.urandom(200_000) for number in range(4)})
    world.turn("one", {f"file{number}": "small" for number in range(4)})
    present = world.tree()
    shutil.rmtree(world.store_path / "packs")
    fresh = world.reopened()
    with pytest.raises(tb.TakebackError):
        fresh.line.undo()
    assert world.tree() == present


def test_undo_works_after_the_session_has_ended(world: World) -> None:
    world.edit({"a": "0", "large": os.urandom(400_000)})
    before = world.tree()
    world.turn("one", {"a": "1", "large": None, "new": "1"})
    world.agent("").leave()
    world.reopened().undo()
    assert world.tree() == before


# names


@pytest.mark.parametrize(
    "names",
    [
        ["größe.txt", "naïve.txt", "日本語.txt", "🙂/emoji.txt"],
        ['quo"te.txt', "sing'le.txt", "back\\slash.txt", "new\nline.txt", "tab\t.txt"],
        ["-rf", "--force", ":(glob)**", "*", "?", "[a-z]", "~", "$HOME", "#", "!", " leading", "trailing ", "a b"],
        pytest.param([os.fsdecode(b"\xe9.txt"), os.fsdecode(b"\xff\xfe"), os.fsdecode(b"\xc3\x28/x")], marks=BYTES),
        pytest.param(["e\u0301.txt", "\u00e9.txt"], marks=BYTES),
        ["x" * 255, "/".join(["d" * 100] * 12) + "/f"],
    ],
    ids=["other scripts", "quotes", "patterns", "not UTF-8", "both normal forms", "long"],
)
def test_files_of_any_name_come_back(repository: World, names: list[str]) -> None:
    for name in names:
        repository.write(name, f"{len(name)}\n")
    before = repository.tree()

    def work() -> None:
        for place, name in enumerate(names):
            if place % 2:
                repository.remove(name)
            else:
                repository.write(name, "changed\n")
            repository.write("new " + name.rpartition("/")[2][:200], "new\n")

    repository.turn("one", work)
    after = repository.tree()
    repository.undo()
    assert repository.tree() == before
    repository.redo()
    assert repository.tree() == after


# content and modes


def test_a_committed_large_file_that_the_agent_shrank_comes_back(repository: World) -> None:
    large = os.urandom(3 << 20)
    repository.write("large.bin", large)
    commit_all(repository.root)
    repository.turn("one", {"large.bin": "small"})
    repository.undo()
    assert repository.read("large.bin") == large


def test_a_committed_file_over_the_cap_that_the_agent_shrank_is_not_deleted(make_world: MakeWorld) -> None:
    world = make_world(max_file_size="1KiB")
    init_repository(world.root)
    world.edit({"large.bin": b"x" * 5000, "a": "0"})
    commit_all(world.root)
    world.turn("one", {"large.bin": "small", "a": "1"})
    world.undo()
    assert world.files() == {"large.bin": b"small", "a": b"0"}


def test_crlf_comes_back_as_crlf_under_text_auto(repository: World) -> None:
    repository.edit({".gitattributes": "* text=auto eol=lf\n", "dos.txt": b"one\r\ntwo\r\n"})
    repository.git("add", ".")
    repository.turn("one", {"dos.txt": b"changed\n"})
    repository.undo()
    assert repository.read("dos.txt") == b"one\r\ntwo\r\n"


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o444, 0o700, 0o711, 0o666])
def test_a_mode_comes_back_whole(repository: World, mode: int) -> None:
    repository.write("file", "0", mode=mode)
    repository.turn("one", {"file": None})
    repository.undo()
    assert repository.mode("file") == mode


def test_an_empty_directory_comes_back(repository: World) -> None:
    (repository.root / "data" / "empty").mkdir(parents=True)
    before = repository.tree()
    repository.turn("one", {"data": None})
    repository.undo()
    assert repository.tree() == before


def test_a_symbolic_link_comes_back_as_a_link(repository: World) -> None:
    repository.link("link", "README.md")
    before = repository.tree()
    repository.turn("one", {"link": None})
    repository.undo()
    assert repository.tree() == before


def test_an_attribute_filter_is_never_run(repository: World) -> None:
    repository.git("config", "filter.evil.clean", "touch ran-clean; cat")
    repository.git("config", "filter.evil.smudge", "touch ran-smudge; cat")
    repository.edit({".gitattributes": "*.dat filter=evil\n", "x.dat": "0"})
    repository.turn("one", {"x.dat": "1"})
    repository.undo()
    assert repository.read("x.dat") == b"0"
    assert not repository.exists("ran-clean") and not repository.exists("ran-smudge")


# the work of others


def test_a_file_that_a_person_made_during_the_turn_stays(repository: World) -> None:
    agent = repository.agent()
    agent.start("one")
    agent.act({"agent.txt": "1"}, key="1")
    repository.write("mine.txt", "a person's\n")
    agent.act({"README.md": "changed\n"}, key="2")
    agent.end()
    repository.undo()
    assert repository.files() == {"README.md": b"A project\n", "mine.txt": b"a person's\n"}


def test_edits_that_a_person_made_after_the_turn_stay(repository: World) -> None:
    repository.edit({"app.py": TEXT, "other.py": "0\n"})
    repository.turn("one", {"app.py": with_line(TEXT, 2, "agent"), "other.py": "agent\n", "README.md": "agent\n"})
    repository.write("app.py", with_line(with_line(TEXT, 2, "agent"), 8, "person"))
    repository.write("other.py", "person\n")
    report = repository.undo()
    assert repository.read("app.py") == with_line(TEXT, 8, "person").encode()
    assert repository.read("other.py") == b"person\n"
    assert repository.read("README.md") == b"A project\n"
    assert [kept.path for kept in report.conflicts] == ["other.py"]


# git in unusual states


def test_a_nested_repository_without_commits_is_captured(repository: World) -> None:
    init_repository(repository.root / "nested")
    repository.edit({"nested/file": "0", "a": "0"})
    repository.turn("one", {"nested/file": "1", "nested/new": "1", "a": "1"})
    repository.undo()
    assert repository.read("nested/file") == b"0"
    assert repository.read("a") == b"0"
    assert not repository.exists("nested/new")


def test_a_stale_index_lock_does_not_stop_anything(repository: World) -> None:
    lock = repository.root / ".git" / "index.lock"
    lock.write_bytes(b"")
    repository.turn("one", {"README.md": "changed\n"})
    report = repository.undo()
    assert report.changed == ("README.md",)
    assert repository.read("README.md") == b"A project\n"
    assert lock.exists()


def test_a_broken_index_does_not_stop_anything(repository: World) -> None:
    (repository.root / ".git" / "index").write_bytes(b"not an index")
    repository.turn("one", {"README.md": "changed\n"})
    repository.undo()
    assert repository.read("README.md") == b"A project\n"


def test_hooks_of_git_do_not_run(repository: World) -> None:
    hooks = repository.root / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    for name in ("post-checkout", "post-index-change", "pre-commit", "post-commit", "reference-transaction"):
        hook = hooks / name
        hook.write_text(f"#!/bin/sh\ntouch '{repository.base}/hook-ran'\n")
        hook.chmod(0o755)
    repository.turn("one", {"README.md": "changed\n", "new": "1"})
    repository.undo()
    repository.redo()
    repository.restore("root")
    assert not (repository.base / "hook-ran").exists()


def test_a_file_that_is_committed_though_ignored_is_captured(repository: World) -> None:
    repository.edit({".gitignore": "*.cfg\n", "app.cfg": "0\n", "local.cfg": "0\n"})
    repository.git("add", "--force", "app.cfg", ".gitignore")
    repository.git("commit", "--quiet", "--message=Configuration")
    repository.turn("one", {"app.cfg": "1\n", "local.cfg": "1\n"})
    repository.undo()
    assert repository.read("app.cfg") == b"0\n"
    assert repository.read("local.cfg") == b"1\n"


def test_info_exclude_counts_as_well(repository: World) -> None:
    (repository.root / ".git" / "info").mkdir(exist_ok=True)
    (repository.root / ".git" / "info" / "exclude").write_text("private/\n")
    repository.edit({"private/x": "0", "a": "0"})
    repository.turn("one", {"private/x": "1", "a": "1"})
    repository.undo()
    assert repository.read("private/x") == b"1"
    assert repository.read("a") == b"0"


def test_the_repository_of_the_user_is_never_touched(repository: World) -> None:
    repository.write("staged", "0")
    repository.git("add", "staged")
    repository.git("stash", "list")
    before = repository.git_directory()
    repository.turn("one", {"README.md": "changed\n", "staged": None, "new": "1"})
    repository.undo()
    repository.redo()
    repository.restore("root")
    repository.line.save("again")
    assert repository.git_directory() == before


def test_a_repository_without_commits_works(world: World) -> None:
    init_repository(world.root)
    world.write("a", "0")
    world.turn("one", {"a": "1"})
    world.undo()
    assert world.files() == {"a": b"0"}


def test_a_worktree_whose_git_is_a_file_works(repository: World) -> None:
    there = repository.base / "worktree"
    repository.git("worktree", "add", "--quiet", str(there))
    line = repository.store.timeline("main", sources=[tb.Workspace(there)])
    pointer = (there / ".git").read_bytes()
    with line.turn("one"):
        (there / "README.md").write_text("changed\n")
    line.undo()
    assert (there / "README.md").read_text() == "A project\n"
    assert (there / ".git").read_bytes() == pointer


# what it does not have at all


def test_it_works_outside_git(world: World) -> None:
    world.write("a", "0")
    world.turn("one", {"a": "1"})
    world.undo()
    assert world.files() == {"a": b"0"}


def test_outside_git_heavy_directories_are_left_out(world: World) -> None:
    world.edit({"a": "0", "node_modules/x/index.js": "0", ".venv/lib/y.py": "0"})
    world.turn("one", {"a": "1", "node_modules/x/index.js": "1"})
    report = world.undo()
    assert report.changed == ("a",)
    assert world.read("node_modules/x/index.js") == b"1"


def test_another_process_can_undo_and_redo(world: World) -> None:
    world.write("a", "0")
    before = world.tree()
    world.turn("one", {"a": "1", "new": "1"})
    after = world.tree()
    script = (
        "import sys, takeback as tb\n"
        "line = tb.open(sys.argv[1]).timeline('main', sources=[tb.Workspace(sys.argv[2])])\n"
        "getattr(line, sys.argv[3])()\n"
    )
    for verb, expected in (("undo", before), ("redo", after)):
        command = [sys.executable, "-c", script, str(world.store_path), str(world.root), verb]
        subprocess.run(command, check=True, capture_output=True)
        assert world.tree() == expected
    world.undo()
    assert world.tree() == before


def test_an_agent_in_a_subdirectory_touches_nothing_beside_it(repository: World) -> None:
    repository.edit({"service/app.py": "0", "other/app.py": "0"})
    line = repository.store.timeline("main", sources=[tb.Workspace(repository.root / "service")])
    with line.turn("one"):
        repository.edit({"service/app.py": "1", "other/app.py": "1"})
    line.undo()
    assert repository.read("service/app.py") == b"0"
    assert repository.read("other/app.py") == b"1"


def test_what_the_shell_changed_is_taken_back_as_well(world: World) -> None:
    world.edit({"a": "0", "b": "0"})
    with world.line.turn("one"):
        subprocess.run("echo 1 > a; rm b; mkdir -p out; mv a out/", shell=True, cwd=world.root, check=True)
    world.undo()
    assert world.files() == {"a": b"0", "b": b"0"}


def test_undo_leaves_the_times_of_untouched_files(repository: World) -> None:
    repository.edit({f"file{number}": "0" for number in range(20)})
    repository.turn("one", {"README.md": "changed\n"})
    before = {number: (repository.root / f"file{number}").stat() for number in range(20)}
    repository.undo()
    assert all((repository.root / f"file{number}").stat() == status for number, status in before.items())


def test_a_failed_undo_never_says_that_it_restored(world: World) -> None:
    world.write("a", "0")
    world.turn("one", {"a": "1"})
    world.write("a", "mine")
    with pytest.raises(tb.Conflict) as raised:
        world.undo()
    assert "estored" not in raised.value.message
