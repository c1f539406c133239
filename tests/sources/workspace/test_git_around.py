"""Repositories around, inside and beside a workspace: their files are captured, and git itself is never disturbed or run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import takeback as tb
from support.agent import MakeWorld, World, look
from support.captures import comes_back, content, fill, saved
from support.git import commit_all, git, init_repository
from support.trees import Node, make_tree, read_tree

pytestmark = pytest.mark.service("git")


def held(world: World) -> set[str]:
    """The files in a fresh snapshot."""
    return {path for path, node in content(world, world.line.save()).items() if node.kind != "dir"}


def everything(directory: Path) -> dict[bytes, Node]:
    """All bytes, `.git` included."""
    return read_tree(directory, skip=())


# nested


@pytest.mark.parametrize("commits", [False, True])
@pytest.mark.parametrize("outer", [False, True])
def test_a_nested_repository_is_captured_as_plain_files(world: World, commits: bool, outer: bool) -> None:
    if outer:
        init_repository(world.root)
    fill(world, {"top": "t", "vendor/lib/main.c": "main", "vendor/lib/.gitignore": "*.o\n", "vendor/lib/main.o": "o"})
    init_repository(world.root / "vendor/lib")
    if commits:
        commit_all(world.root / "vendor/lib")
    if outer:
        commit_all(world.root) if commits else git(world.root, "add", "top")
    first = world.line.save()
    files = {"top", "vendor/lib/main.c", "vendor/lib/.gitignore"}
    assert {path for path, node in content(world, first).items() if node.kind != "dir"} == files
    inside = everything(world.root / "vendor/lib/.git")
    world.edit({"vendor/lib/main.c": "changed", "top": "changed", "vendor/lib/new": "new"})
    world.restore(first)
    assert world.read("vendor/lib/main.c") == b"main"
    assert world.read("vendor/lib/main.o") == b"o"
    assert not world.exists("vendor/lib/new")
    assert everything(world.root / "vendor/lib/.git") == inside


def test_a_submodule_is_captured_as_plain_files(repository: World, tmp_path: Path) -> None:
    library = init_repository(tmp_path / "library")
    make_tree(library, {"lib.c": "lib", "sub/deep.c": "deep"})
    commit_all(library)
    git(repository.root, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(library), "lib")
    commit_all(repository.root)
    assert (repository.root / "lib/.git").is_file()
    first = saved_around(repository, "lib/.git")
    before = everything(repository.root)
    repository.edit({"lib/lib.c": "changed", "lib/sub/deep.c": None})
    repository.restore(first)
    assert everything(repository.root) == before


def test_a_worktree_inside_is_captured_as_plain_files(repository: World) -> None:
    git(repository.root, "worktree", "add", "--quiet", "trees/feature", "-b", "feature")
    repository.write("trees/feature/new", "new")
    first = saved_around(repository, "trees/feature/.git")
    before = everything(repository.root)
    repository.edit({"trees/feature/README.md": "changed", "trees/feature/new": None})
    repository.restore(first)
    assert everything(repository.root) == before


def saved_around(world: World, pointer: str) -> tb.Snapshot:
    """All but the file that points to a git directory is captured."""
    snapshot = world.line.save()
    tree = world.tree()  # leaves out what is called .git
    assert pointer not in tree
    assert content(world, snapshot) == tree
    return snapshot


def test_a_workspace_that_is_itself_a_worktree(repository: World, tmp_path: Path) -> None:
    repository.write(".gitignore", "*.log\n")
    git(repository.root, "add", ".")
    git(repository.root, "commit", "--quiet", "--message", "rules")
    git(repository.root, "worktree", "add", "--quiet", str(tmp_path / "tree" / "project"), "-b", "feature")
    world = World(tmp_path / "tree")
    fill(world, {"a.log": "ignored", "new": "kept"})
    assert held(world) == {".gitignore", "README.md", "new"}
    assert world.line.show("@").context["git"] == {
        "commit": git(world.root, "rev-parse", "HEAD").decode().strip(),
        "branch": "feature",
    }


def test_a_bare_repository_inside_is_plain_files(repository: World) -> None:
    git(repository.root, "clone", "--quiet", "--bare", ".", "mirror.git")
    fill(repository, {"not/a/repository/HEAD": "ref: refs/heads/main\n"})
    comes_back_around(repository)


def comes_back_around(world: World) -> None:
    """As `comes_back`, with the repository left standing."""
    snapshot, tree = saved(world), world.tree()
    for name in os.listdir(world.root):
        if name != ".git":
            world.remove(name)
    world.restore(snapshot)
    assert world.tree() == tree


def test_without_any_git_everything_works(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    fill(world, {"file": "x", "d/.gitignore": "ignored\n", "d/ignored": "left alone"})
    assert held(world) == {"file", "d/.gitignore"}
    world.remove("d/ignored")
    comes_back(world)


@pytest.mark.parametrize("damage", ["HEAD", "index", "config", "refs", "objects"])
def test_a_damaged_repository_is_no_obstacle(repository: World, damage: str) -> None:
    place = repository.root / ".git" / damage
    if place.is_dir():
        place.rename(place.with_name("moved"))
    else:
        place.write_bytes(b"\xff\0garbage")
    fill(repository, {"new": "new"})
    comes_back_around(repository)


# rules


def test_what_git_tracks_is_captured_although_it_is_ignored(repository: World) -> None:
    fill(repository, {"dist/app.js": "built", "dist/other.js": "built", "secret.env": "s"})
    git(repository.root, "add", "dist/app.js")
    repository.write(".gitignore", "dist/\n*.env\n")
    assert held(repository) == {"README.md", ".gitignore", "dist/app.js"}
    git(repository.root, "add", "--force", "secret.env")
    assert held(repository) == {"README.md", ".gitignore", "dist/app.js", "secret.env"}


def test_info_exclude_and_the_users_excludes_count(repository: World, home: Path) -> None:
    make_tree(home, {".config/git/ignore": "*.swp\n"})
    (repository.root / ".git/info").mkdir(exist_ok=True)
    (repository.root / ".git/info/exclude").write_text("scratch/\n")
    fill(repository, {"a.swp": "", "scratch/x": "", "node_modules/kept": "inside git only git's rules hold"})
    assert held(repository) == {"README.md", "node_modules/kept"}


def test_include_wins_over_gitignore_and_exclude_over_all_but_that(make_world: MakeWorld) -> None:
    world = make_world(include=[".env"], exclude=["*.md", ".env"])
    init_repository(world.root)
    fill(world, {".gitignore": ".env\n*.log\n!keep.log\n", ".env": "e", "a.log": "", "keep.log": "", "x.md": ""})
    assert held(world) == {".gitignore", ".env", "keep.log"}


# git itself


def test_head_and_branch_are_noted(repository: World) -> None:
    commit = repository.git("rev-parse", "HEAD")
    assert repository.line.save().context["git"] == {"commit": commit, "branch": "main"}
    repository.git("checkout", "--quiet", "--detach")
    repository.write("file", "1")
    assert repository.line.save().context["git"] == {"commit": commit, "branch": None}
    repository.git("checkout", "--quiet", "-b", "feature/x")
    repository.git("pack-refs", "--all")
    repository.write("file", "2")
    assert repository.line.save().context["git"] == {"commit": commit, "branch": "feature/x"}


def test_an_unborn_branch_and_no_repository_are_noted_as_such(world: World) -> None:
    fill(world, {"file": "1"})
    assert "git" not in world.line.save().context
    init_repository(world.root)
    world.write("file", "2")
    assert world.line.save().context["git"] == {"commit": None, "branch": "main"}


def test_a_restore_across_commits_says_so_in_the_plan(repository: World) -> None:
    first = repository.line.save()
    repository.write("README.md", "changed\n")
    repository.git("checkout", "--quiet", "-b", "later")
    commit = commit_all(repository.root)
    plan = repository.line.plan(first)
    (note,) = plan.notes
    assert commit[:10] in note and "later" in note and first.context["git"]["commit"][:10] in note and "main" in note
    report = repository.restore(first)
    assert report.notes == plan.notes
    assert repository.git("rev-parse", "HEAD") == commit


SCRIPT = """
import json, os, sys
started = []
def hook(event, arguments):
    if event in ("subprocess.Popen", "os.exec", "os.posix_spawn", "os.spawn", "os.system", "os.fork", "os.forkpty"):
        started.append(event)
sys.addaudithook(hook)
import takeback as tb
line = tb.here(sys.argv[1])
first = line.save("first")
with line.turn("work"):
    for path, text in json.loads(sys.argv[2]).items():
        with open(os.path.join(sys.argv[1], path), "w") as file:
            file.write(text)
line.diff("first"); line.plan("first"); line.log(); line.show("@")
line.undo(); line.redo(); line.restore("first"); line.undo()
line.fork("first", "other", {"workspace": sys.argv[3]})
print(json.dumps({"started": started, "moves": len(line.log().moves)}))
"""


def test_git_is_never_run_and_its_directories_keep_every_byte(repository: World, tmp_path: Path, home: Path) -> None:
    library = init_repository(repository.root / "nested")
    make_tree(library, {"lib.c": "lib", ".gitattributes": "*.c filter=mark\n"})
    commit_all(library)
    git(repository.root, "config", "filter.mark.clean", f"touch {tmp_path}/filtered")
    git(repository.root, "config", "core.fsmonitor", f"touch {tmp_path}/watched")
    for hook in ("post-checkout", "pre-commit", "post-index-change"):
        script = repository.root / ".git/hooks" / hook
        script.write_text(f"#!/bin/sh\ntouch {tmp_path}/hooked\n")
        script.chmod(0o755)
    (repository.root / ".git/index.lock").write_text("somebody is at work")
    fake = tmp_path / "bin"
    make_tree(fake, {"git": f"#!/bin/sh\ntouch {tmp_path}/ran\nexit 1\n"})
    (fake / "git").chmod(0o755)
    directories = [repository.root / ".git", library / ".git"]
    before = [(everything(each), times(each)) for each in directories]
    edits = json.dumps({"README.md": "changed", "nested/lib.c": "changed", "nested/new.c": "new"})
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(repository.root), edits, str(tmp_path / "fork")],
        env={**os.environ, "PATH": str(fake), "HOME": str(home)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {"started": [], "moves": 5}
    assert [(everything(each), times(each)) for each in directories] == before
    assert sorted(each.name for each in tmp_path.iterdir()) == ["bin", "fork", "world0"]
    assert look(tmp_path / "fork")["nested/lib.c"].data == b"lib"


def times(directory: Path) -> dict[str, tuple[int, int]]:
    """When each file below was last written or touched in any way."""
    found = {}
    for at, inner, names in os.walk(directory):
        for name in (*inner, *names):
            status = os.lstat(os.path.join(at, name))
            found[os.path.join(at, name)] = (status.st_mtime_ns, status.st_ctime_ns)
    return found


def test_the_check_for_processes_would_see_one(tmp_path: Path) -> None:
    script = SCRIPT.split("import takeback")[0] + "import subprocess\nsubprocess.run(['true'])\nprint(started)\n"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert "subprocess.Popen" in done.stdout
