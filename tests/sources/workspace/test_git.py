"""What is read of git's own files, against the real git; and that nothing of it ever raises or changes."""

from __future__ import annotations

import os
import random
import shutil
from pathlib import Path

import pytest

from support.git import commit_all, git, init_repository
from support.trees import Spec, make_tree, read_tree
from takeback.sources.workspace.git import Head, Repository, find
from takeback.sources.workspace.git import config as gitconfig

pytestmark = pytest.mark.service("git")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    return init_repository(tmp_path / "repository")


def found(path: Path) -> Repository:
    repository = find(str(path))
    assert repository is not None
    return repository


def tracked(path: Path) -> list[bytes]:
    return list(found(path).tracked().paths)


def listed(path: Path) -> list[bytes]:
    return sorted(git(path, "ls-files", "-z").split(b"\0")[:-1])


# Where.


def test_a_repository_is_found_from_every_directory_in_it(repository: Path) -> None:
    make_tree(repository, {"a/b/c": "1"})
    for inside in ("", "a", "a/b"):
        assert found(repository / inside).top_level == str(repository)
    assert found(repository).git_dir == found(repository).common_dir == str(repository / ".git")


def test_no_repository_is_none(tmp_path: Path) -> None:
    pointers: dict[str, Spec] = {"b/.git": "no pointer", "c/.git": b"gitdir: \0", "d/.git": "gitdir: /nowhere"}
    make_tree(tmp_path, {"a/.git/config": "x", **pointers})
    assert [find(str(tmp_path / each)) for each in ("", "a", "b", "c", "d", "missing")] == [None] * 6


def test_a_fifo_in_the_place_of_a_git_file_does_not_block(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / ".git")
    assert find(str(tmp_path)) is None


def test_a_worktree_has_its_own_head_and_index_and_shares_the_rest(repository: Path, tmp_path: Path) -> None:
    make_tree(repository, {"a": "1"})
    commit = commit_all(repository)
    git(repository, "worktree", "add", "-q", "-b", "side", str(tmp_path / "tree"))
    git(tmp_path / "tree", "rm", "-q", "a")
    tree = found(tmp_path / "tree")
    assert (tree.top_level, tree.common_dir) == (str(tmp_path / "tree"), str(repository / ".git"))
    assert (tree.head(), found(repository).head()) == (Head(commit, "side"), Head(commit, "main"))
    assert (tracked(tmp_path / "tree"), tracked(repository)) == ([], [b"a"])


# Head.


def test_head_of_every_kind(repository: Path) -> None:
    assert found(repository).head() == Head(None, "main")
    make_tree(repository, {"a": "1"})
    commit = commit_all(repository)
    assert found(repository).head() == Head(commit, "main")
    git(repository, "pack-refs", "--all", "--prune")
    assert found(repository).head() == Head(commit, "main")
    git(repository, "checkout", "-q", "-b", "feature/é")
    assert found(repository).head() == Head(commit, "feature/é")
    git(repository, "checkout", "-q", "--detach")
    assert found(repository).head() == Head(commit, None)


@pytest.mark.parametrize(
    "head",
    [
        b"",
        b"garbage",
        b"ref: ../../etc/passwd",
        b"ref: refs/heads/../../HEAD",
        b"ref: refs/heads/.invalid",
        b"\0" * 40,
        b"ref:",
    ],
)
def test_a_damaged_head_says_nothing(head: bytes, repository: Path) -> None:
    (repository / ".git/HEAD").write_bytes(head)
    assert found(repository).head() == Head(None, None)


def test_a_head_that_refers_to_itself_ends(repository: Path) -> None:
    make_tree(repository, {".git/refs/heads/loop": "ref: refs/heads/loop\n", ".git/HEAD": "ref: refs/heads/loop\n"})
    assert found(repository).head() == Head(None, "loop")


# Index.

NAMES = ["a-b", "a.b", "a/b", "a/c/d", "é/ü", "with space", "x" * 200 + "/y", "z/" + "w" * 120]


@pytest.mark.parametrize("version", ["2", "3", "4"])
def test_all_tracked_paths_are_read_from_an_index_of_every_version(version: str, repository: Path) -> None:
    make_tree(repository, {os.fsencode(name): "1" for name in NAMES} | {b"bytes\xff/\xfe": "1"})
    commit_all(repository)
    make_tree(repository, {"later": "1"})
    git(repository, "update-index", "--index-version", "2" if version == "3" else version)
    if version == "3":
        git(repository, "add", "--intent-to-add", "later")
    assert (repository / ".git/index").read_bytes()[7] == int(version)
    assert tracked(repository) == listed(repository)
    assert len(tracked(repository)) >= 8


def test_entries_in_conflict_count_as_tracked(repository: Path) -> None:
    make_tree(repository, {"a": "1\n"})
    commit_all(repository)
    git(repository, "checkout", "-q", "-b", "other")
    make_tree(repository, {"a": "2\n"})
    commit_all(repository)
    git(repository, "checkout", "-q", "main")
    make_tree(repository, {"a": "3\n"})
    commit_all(repository)
    with pytest.raises(AssertionError):
        git(repository, "merge", "other")
    assert found(repository).tracked().holds(b"a")


def test_a_split_index_is_read_with_its_shared_part(repository: Path) -> None:
    make_tree(repository, {"a": "1", "b/c": "1"})
    commit_all(repository)
    git(repository, "update-index", "--split-index")
    make_tree(repository, {"d": "1", "a": "2"})
    git(repository, "add", "d", "a")
    assert tracked(repository) == listed(repository) == [b"a", b"b/c", b"d"]


def test_a_repository_with_sha256_ids(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--object-format=sha256", "--initial-branch=main")
    make_tree(tmp_path, {"a/b": "1", "c": "1"})
    commit = commit_all(tmp_path)
    assert tracked(tmp_path) == [b"a/b", b"c"]
    assert found(tmp_path).head() == Head(commit, "main") and len(commit) == 64


def test_a_missing_or_damaged_index_tracks_nothing_and_never_raises(repository: Path) -> None:
    assert tracked(repository) == [] and found(repository).index_signature() == ()
    make_tree(repository, {f"d{number}/file": "1" for number in range(30)})
    commit_all(repository)
    index = repository / ".git/index"
    rng = random.Random(1)
    for version in ("2", "4"):
        git(repository, "update-index", "--index-version", version)
        data = index.read_bytes()
        for _ in range(400):
            damaged = bytearray(data[: rng.choice([len(data), rng.randrange(20, len(data))])])
            for _ in range(rng.choice([0, 1, 5])):
                damaged[rng.randrange(len(damaged))] = rng.randrange(256)
            index.write_bytes(damaged)
            tracked(repository)
        index.write_bytes(data)
        assert len(tracked(repository)) == 30


def test_the_signature_changes_with_the_index(repository: Path) -> None:
    make_tree(repository, {"a": "1", "b": "1"})
    git(repository, "add", "a")
    first = found(repository).index_signature()
    assert found(repository).index_signature() == first
    git(repository, "add", "b")
    assert found(repository).index_signature() != first


def test_what_lies_below_a_directory(repository: Path) -> None:
    make_tree(repository, {"a/b/c": "1", "a-b": "1", "ab": "1"})
    commit_all(repository)
    paths = found(repository).tracked()
    assert [paths.holds_below(each) for each in (b"a", b"a/b", b"a/b/c", b"ab", b"a-", b"x")] == [
        True,
        True,
        *[False] * 4,
    ]
    assert [paths.holds(each) for each in (b"a", b"a/b", b"a/b/c", b"ab", b"zz")] == [False, False, True, True, False]


def test_nothing_in_git_is_touched(repository: Path) -> None:
    make_tree(repository, {"a": "1"})
    commit_all(repository)
    everything = [repository / ".git", *(repository / ".git").rglob("*")]
    before = [(path, os.lstat(path).st_mtime_ns, os.lstat(path).st_ctime_ns) for path in everything]
    contents = read_tree(repository / ".git")
    here = found(repository)
    here.head(), here.tracked(), here.exclude_text(), here.settings
    assert [(path, os.lstat(path).st_mtime_ns, os.lstat(path).st_ctime_ns) for path in everything] == before
    assert read_tree(repository / ".git") == contents


# Configuration.


@pytest.mark.parametrize(
    "value",
    ["plain", "~/x", '"with space"', '"a # b" # c', "a\\\\b", '"a\\"b"', "a b  ; c", '  "x"y"z"', "a\\\n  b", "é"],
)
def test_values_are_read_as_git_reads_them(value: str, home: Path, tmp_path: Path) -> None:
    (home / ".gitconfig").write_text(
        f'[user]\nname = x\n[core]\n  excludesfile = {value}\n[core "sub"]\nexcludesfile = no\n'
    )
    expected = git(tmp_path, "config", "--get", "core.excludesfile").decode().removesuffix("\n")
    assert gitconfig.settings(None).excludes_file == expected


def test_the_later_and_the_nearer_setting_wins(home: Path, repository: Path) -> None:
    make_tree(home, {".config/git/config": "[CORE]\nExcludesFile=1\nignorecase\n", "more": "[core]excludesfile=3"})
    assert gitconfig.settings(None) == gitconfig.Settings("1", True, False)
    (home / ".gitconfig").write_text("[core]\nexcludesfile=2\n")
    assert gitconfig.settings(None).excludes_file == "2"
    (home / ".gitconfig").write_text("[core]\nexcludesfile=2\n[include]\npath=more\n")
    assert (
        gitconfig.settings(None).excludes_file == "3" == git(repository, "config", "core.excludesfile").decode().strip()
    )
    git(repository, "config", "core.excludesfile", "4")
    git(repository, "config", "core.ignorecase", "false")
    assert found(repository).settings == gitconfig.Settings("4", False, False)


def test_a_configuration_that_includes_itself_ends(home: Path) -> None:
    (home / ".gitconfig").write_text("[include]\npath = .gitconfig\n[core]\nexcludesfile = x\n")
    assert gitconfig.settings(None).excludes_file == "x"


def test_a_missing_home_is_no_error(home: Path) -> None:
    shutil.rmtree(home)
    assert gitconfig.global_excludes_text(gitconfig.settings(None)) == b""
