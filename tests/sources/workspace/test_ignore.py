from __future__ import annotations

import os
import random
import time
from pathlib import Path

import pytest

from support.git import commit_all, git, init_repository
from support.rules import captured, enter, walk
from support.trees import Link, Spec, make_tree
from takeback.errors import Integrity
from takeback.sources.workspace.ignore import DEFAULT_EXCLUDES, Patterns, Rules, RulesRecord, TrackedCache, root_rules
from takeback.sources.workspace.ignore.patterns import matcher

pytestmark = pytest.mark.service("git")


def rules_of(root: Path, include: tuple[str, ...] = (), exclude: tuple[str, ...] = ()) -> Rules:
    return root_rules(str(root), Patterns(include, exclude))


def files(root: Path, include: tuple[str, ...] = (), exclude: tuple[str, ...] = ()) -> set[str]:
    """What is captured, apart from the files that hold rules."""
    found = captured(root, rules_of(root, include, exclude))
    return {path for path in found if not path.endswith((".gitignore", ".takebackignore"))}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    return init_repository(tmp_path / "repository")


# Order of decisions.


@pytest.mark.parametrize("name", [".git", ".GIT", ".Git", ".g\u200cit", "\ufeff.git", ".takeback-stage-x"])
def test_git_and_staging_directories_are_always_left_out(name: str, repository: Path) -> None:
    make_tree(repository, {f"{name}/x": "1", f"sub/{name}": "gitdir: x", "sub/kept": "1"})
    assert files(repository, include=("*", ".git/**", f"sub/{name}")) == {"sub/kept"}
    record = RulesRecord.of(rules_of(repository, include=("**",)))
    assert record.ignored(f"a/{name}/config", False) and record.ignored(name, True)
    assert not rules_of(repository, include=(".git/config",)).must_descend(name)


def test_include_wins_over_everything_else(repository: Path) -> None:
    make_tree(
        repository, {".gitignore": ".env\n*.log\n", ".takebackignore": ".env", ".env": "1", "d/.env": "1", "x.log": "1"}
    )
    assert files(repository) == set()
    assert files(repository, include=(".env",), exclude=(".env",)) == {".env", "d/.env"}


def test_a_plain_name_does_not_reach_into_ignored_directories_but_a_path_does(repository: Path) -> None:
    make_tree(
        repository,
        {".gitignore": "vendor/\n", "vendor/.env": "1", "vendor/a/.env": "1", "vendor/a/b": "1", "ok/.env": "1"},
    )
    assert files(repository, include=(".env",)) == {"ok/.env"}
    assert files(repository, include=("vendor/.env",)) == {"vendor/.env", "ok/.env"}
    assert files(repository, include=("/vendor/a/*",)) == {"vendor/a/.env", "vendor/a/b", "ok/.env"}
    assert files(repository, include=("vendor/**/.env",)) == {"vendor/.env", "vendor/a/.env", "ok/.env"}
    assert files(repository, include=("*/.env",)) == {"ok/.env"}
    assert files(repository, include=("vendor/", "!vendor/a/")) == {"vendor/.env", "ok/.env"}


def test_reaching_does_not_depend_on_what_else_is_kept_in_an_ignored_directory(repository: Path) -> None:
    make_tree(repository, {"vendor/tracked": "1"})
    commit_all(repository)
    make_tree(repository, {".gitignore": "vendor/\n", "vendor/.env": "1"})
    assert files(repository, include=(".env",)) == {"vendor/tracked"}


def test_an_included_directory_is_included_with_all_that_is_in_it(repository: Path) -> None:
    make_tree(repository, {".gitignore": "*.o\nout/\nout/**\n", "out/a.o": "1", "out/d/b": "1", "a.o": "1"})
    assert files(repository, include=("out/",)) == {"out/a.o", "out/d/b"}


def test_what_git_tracks_is_kept_also_in_ignored_directories(repository: Path) -> None:
    make_tree(repository, {"build/kept/a": "1", "b.log": "1", "plain": "1"})
    commit_all(repository)
    make_tree(repository, {".gitignore": "build/\n*.log\n", "build/new": "1", "build/kept/new": "1", "c.log": "1"})
    assert files(repository) == {"build/kept/a", "b.log", "plain"}
    assert files(repository, exclude=("*.log", "plain")) == {"build/kept/a", "b.log", "plain"}


def test_settings_then_takebackignore_then_gitignore(repository: Path) -> None:
    make_tree(
        repository, {".gitignore": "*.log\n", "a.log": "1", "b.log": "1", "c.txt": "1", "d/e.txt": "1", "d/f.log": "1"}
    )
    make_tree(repository, {".takebackignore": "!a.log\n*.txt\n", "d/.takebackignore": "!e.txt\n!f.log"})
    assert files(repository) == {"a.log", "d/e.txt", "d/f.log"}
    assert files(repository, exclude=("a.log", "!b.log", "d/e.txt")) == {"b.log", "d/f.log"}
    assert files(repository, exclude=("d",)) == {"a.log"}


def test_rule_files_in_ignored_directories_do_not_count(repository: Path) -> None:
    make_tree(repository, {".gitignore": "d/\n", "d/.gitignore": "!x\n", "d/.takebackignore": "!x\n", "d/x": "1"})
    assert files(repository) == set()


def test_a_rule_file_that_is_a_link_is_not_read(repository: Path) -> None:
    tree: dict[str, Spec] = {"rules": "x\n", ".gitignore": Link("rules"), "x": "1"}
    make_tree(repository, tree)
    assert "x" in files(repository)


# Where the rules come from.


def test_outside_git_only_what_tools_make_again_is_left_out(tmp_path: Path) -> None:
    make_tree(tmp_path, {f"{name}x": "1" for name in DEFAULT_EXCLUDES})
    own = {f"{name}/mine": "1" for name in ("build", "dist", "target", "out", "env", "vendor", "tmp", "lib", "bin")}
    make_tree(
        tmp_path,
        {**own, "venv2/x": "1", "node_modules.txt": "1", "d/node_modules/x": "1", ".gitignore": "*.o\n", "a.o": "1"},
    )
    assert files(tmp_path) == {*own, "venv2/x", "node_modules.txt"}
    assert files(tmp_path, include=("d/node_modules/x",)) == {*own, "venv2/x", "node_modules.txt", "d/node_modules/x"}


def test_in_git_the_repository_decides_and_not_our_defaults(repository: Path) -> None:
    make_tree(repository, {"node_modules/x": "1"})
    assert files(repository) == {"node_modules/x"}


def test_rules_of_the_directories_above_the_root_hold_with_their_places(repository: Path) -> None:
    make_tree(repository, {".gitignore": "/x\npackages/*/out\n*.log\n", "packages/.gitignore": "app/y\n!keep.log\n"})
    make_tree(repository, {".git/info/exclude": "packages/app/z\n"})
    root = repository / "packages/app"
    make_tree(root, dict.fromkeys(("x", "y", "z", "out", "w", "a.log", "keep.log", "d/y", "d/out"), "1"))
    expected = {"x", "w", "keep.log", "d/y", "d/out"}
    assert files(root) == expected
    listed = git(root, "ls-files", "-o", "--exclude-standard").decode().split()
    assert set(listed) == expected
    assert files(root, exclude=("/w",), include=("/y",)) == expected - {"w"} | {"y"}


def test_tracked_paths_are_found_from_a_root_below_the_top_level(repository: Path) -> None:
    make_tree(repository, {"app/out/a": "1", "app/b": "1"})
    commit_all(repository)
    make_tree(repository, {".gitignore": "out/\nb\n", "app/out/new": "1"})
    assert files(repository / "app") == {"out/a", "b"}


def test_a_root_that_its_repository_ignores_is_as_if_outside_git(repository: Path) -> None:
    make_tree(
        repository,
        {".gitignore": "/scratch/\n*.log\n", "scratch/p/a": "1", "scratch/p/b.log": "1", "scratch/p/venv/x": "1"},
    )
    assert files(repository / "scratch/p") == {"a", "b.log"}


def test_nested_repositories_have_their_say_and_are_plain_files(repository: Path) -> None:
    make_tree(repository, {".gitignore": "*.o\n", "sub/.gitignore": "*.tmp\n!keep.o\n"})
    sub = init_repository(repository / "sub")
    make_tree(sub, dict.fromkeys(("a", "a.o", "keep.o", "a.tmp", "b.tmp", "private"), "1"))
    git(sub, "add", "-f", "b.tmp")
    make_tree(sub, {".git/info/exclude": "/private\n"})
    assert files(repository) == {"sub/a", "sub/keep.o", "sub/b.tmp"}
    record = RulesRecord.of(root := rules_of(repository))
    walk(repository, root)
    record = RulesRecord.of(root)
    assert record.ignored("sub/private", False) and not record.ignored("private", False)


def test_a_worktree_and_a_submodule_are_found_through_their_git_file(repository: Path, tmp_path: Path) -> None:
    make_tree(repository, {".gitignore": "*.o\n", "a.o": "1"})
    git(repository, "add", "-f", ".")
    git(repository, "commit", "-qm", "x")
    make_tree(repository, {".git/info/exclude": "private\n"})
    git(repository, "worktree", "add", "-q", str(tmp_path / "tree"))
    make_tree(tmp_path / "tree", {"b.o": "1", "private": "1", "c": "1"})
    assert files(tmp_path / "tree") == {"a.o", "c"}
    git(repository, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(repository), "module")
    make_tree(repository, {".gitignore": "module/\n", "module/new.o": "1", "module/new": "1"})
    assert {path for path in files(repository) if path.startswith("module")} == {"module/a.o", "module/new"}


def test_the_users_global_excludes_come_last(repository: Path, home: Path) -> None:
    (home / ".gitconfig").write_text('[core]\n\texcludesFile = "~/my ignore"  # mine\n')
    (home / "my ignore").write_text("*.swp\n*.log\n")
    make_tree(repository, {".gitignore": "!a.log\n", "a.log": "1", "b.log": "1", "x.swp": "1", "y": "1"})
    make_tree(repository, {".git/info/exclude": "!x.swp\n"})
    assert files(repository) == {"a.log", "x.swp", "y"}


# Fingerprints and what is remembered.


def test_the_fingerprint_changes_with_everything_that_decides(repository: Path, home: Path) -> None:
    make_tree(repository, {"d/e/f": "1"})

    def fingerprint(include: tuple[str, ...] = (), exclude: tuple[str, ...] = ()) -> bytes:
        rules = rules_of(repository, include, exclude)
        inner = enter(rules, os.fsencode(repository / "d"), False)
        return enter(inner, os.fsencode(repository / "d/e"), False).fingerprint

    seen = [fingerprint()]
    assert fingerprint() == seen[0]
    seen += [fingerprint(include=("x",)), fingerprint(exclude=("x",))]
    for path, text in [
        (".gitignore", "x"),
        ("d/.gitignore", "x"),
        ("d/e/.gitignore", "x"),
        ("d/e/.takebackignore", "x"),
        (".takebackignore", "x"),
        (".git/info/exclude", "y"),
        (str(home / ".config/git/ignore"), "z"),
    ]:
        make_tree(repository, {path: text})
        seen.append(fingerprint())
    git(repository, "add", "d")
    seen.append(fingerprint())
    assert len(set(seen)) == len(seen)
    os.utime(repository / ".git/index")
    assert fingerprint() == seen[-1]


def test_an_ignored_directory_has_another_fingerprint_than_one_that_is_not(repository: Path) -> None:
    rules = rules_of(repository)
    assert enter_plain(rules, "d", True).fingerprint != enter_plain(rules, "d", False).fingerprint


def enter_plain(rules: Rules, name: str, ignored: bool) -> Rules:
    return rules.enter(name, lambda _: None, (), ignored=ignored)


def test_an_unchanged_index_is_not_read_again(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_tree(repository, {"build/kept": "1", "a": "1"})
    commit_all(repository)
    make_tree(repository, {".gitignore": "build/\nother/\n"})
    cache = TrackedCache()
    rules = root_rules(str(repository), Patterns(), tracked_cache=cache)
    answers = (rules.fingerprint, rules.must_descend("build"), rules.must_descend("other"))
    again = TrackedCache.decode(cache.encode())
    monkeypatch.setattr("takeback.sources.workspace.git.Repository.tracked", lambda self: pytest.fail("read again"))
    rules = root_rules(str(repository), Patterns(), tracked_cache=again)
    assert (rules.fingerprint, rules.must_descend("build"), rules.must_descend("other")) == answers
    assert answers[1:] == (True, False)
    assert again.encode() == cache.encode()
    monkeypatch.undo()
    git(repository, "rm", "-q", "--cached", "build/kept")
    rules = root_rules(str(repository), Patterns(), tracked_cache=TrackedCache.decode(cache.encode()))
    assert not rules.must_descend("build") and rules.fingerprint != answers[0]


@pytest.mark.parametrize(
    "data",
    [b"", b"x", b"[]", b"{}", b'{"a":1}', b'{"a":[1,2]}', b'{"a":[["x"],"zz",{}]}', b'{"a":[[],5,{}]}', b"[" * 99999],
)
def test_a_damaged_memory_is_an_empty_one(data: bytes) -> None:
    assert TrackedCache.decode(data).known == {}


def test_whether_an_answer_depended_on_the_index_is_told(repository: Path) -> None:
    make_tree(repository, {".gitignore": "*.o\n", "a": "1"})
    rules = rules_of(repository)
    assert not rules.ignored("a", False) and not rules.consulted
    assert rules.ignored("a.o", False) and rules.consulted


# Records.


def test_a_record_decides_as_the_walk_did_and_survives_its_bytes(repository: Path) -> None:
    make_tree(
        repository, {".gitignore": "*.o\nout/\n", "d/.gitignore": "!x.o\n/y\n", "d/x.o": "1", "a.o": "1", "out/a": "1"}
    )
    make_tree(repository / "d", {".takebackignore": "z\n", "y": "1", "z": "1", "e/y": "1"})
    rules = rules_of(repository, include=("out/a",), exclude=("w",))
    verdicts = walk(repository, rules)
    record = RulesRecord.decode(RulesRecord.of(rules).encode())
    assert record.encode() == RulesRecord.of(rules).encode()
    for path, ignored in verdicts.items():
        if not path.startswith(b".git/"):
            assert (
                record.ignored(os.fsdecode(path), os.path.isdir(os.path.join(os.fsencode(repository), path))) == ignored
            )
    assert record.ignored("w", False) and record.ignored("new/w/x", False) and record.ignored("any/b.o", False)
    assert (
        record.ignored("out/b/c", False) and not record.ignored("out/a", False) and not record.ignored("new/x", False)
    )


def test_a_record_remembers_the_directories_above_the_root(repository: Path) -> None:
    make_tree(repository, {".gitignore": "app/x\n", "app/.gitignore": "y\n", "app/a": "1"})
    record = RulesRecord.decode(RulesRecord.of(rules_of(repository / "app")).encode())
    assert record.ignored("x", False) and record.ignored("d/y", True) and not record.ignored("d/x", False)


def test_a_record_of_any_other_bytes_is_refused(repository: Path) -> None:
    make_tree(repository, {".gitignore": "x\n", "d/.gitignore": "y\n"})
    rules = rules_of(repository, include=("a",), exclude=("b", "c"))
    walk(repository, rules)
    data = RulesRecord.of(rules).encode()
    rng = random.Random(1)
    hostile = [b"", b"R1", data[:-1], data + b"x", b"R1\0" + b"\xff" * 40, b"\0" * 50, data.replace(b"R1", b"R2")]
    hostile += [data[:at] for at in range(len(data))]
    for _ in range(3000):
        changed = bytearray(data)
        for _ in range(rng.choice([1, 2, 8])):
            changed[rng.randrange(len(data))] = rng.randrange(256)
        hostile.append(bytes(changed))
    for each in hostile:
        try:
            record = RulesRecord.decode(each)
        except Integrity:
            continue
        assert record.encode() == each
        record.ignored("d/e/f", False)


# Patterns that mean no good.


@pytest.mark.parametrize(
    "pattern",
    [b"*a" * 40 + b"b", b"**/a/" * 30 + b"*b", b"*?" * 60 + b"b", b"[a-z]*" * 50 + b"!", b"a/**/" * 40 + b"b"],
)
def test_no_pattern_takes_forever(pattern: bytes) -> None:
    path = "/".join(["a" * 60] * 40)
    started = time.process_time()
    assert matcher(pattern).decide(path, "a" * 250, False) is None
    assert time.process_time() - started < 5  # it would be years


@pytest.mark.parametrize("seed", range(20))
def test_no_bytes_make_a_rule_file_fail(seed: int) -> None:
    rng = random.Random(seed)
    alphabet = b"ab/*?[]!^-\\: #\n\r\0\xff\xc3\xa9."
    text = bytes(rng.choices(alphabet, k=2000)) + rng.randbytes(500) + b"[" * 9000 + b"\n" + b"*" * 9000
    for path in ("a", "a/b", "a/b.c", "\udcff/é", "b" * 255):
        matcher(text).decide(path, path.rpartition("/")[2], rng.random() < 0.5)
