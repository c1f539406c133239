"""Our decisions against those of the real git, on trees and patterns made up at random."""

from __future__ import annotations

import os
import random
import subprocess
from pathlib import Path

import pytest

from support.git import git, init_repository
from support.rules import captured, walk
from takeback.model.tree import name_text
from takeback.sources.workspace.ignore import Patterns, RulesRecord, root_rules

NAMES = [
    b"a",
    b"b",
    b"ab",
    b"abc",
    b"foo",
    b"bar",
    b"foo.o",
    b"x.log",
    b"a b",
    b"a ",
    b"#c",
    b"!d",
    b"A",
    b"foo[1]",
    b"a-b",
]
NAMES += [
    b"\xc3\xa9",
    b"\xff",
    b"a\nb",
    b"back\\slash",
    b"1",
    b"9z",
    b"_",
    b".hidden",
    b"caf\xc3\xa9.txt",
    b"tab\t",
    b"]",
    b"^",
]
PIECES = [
    b"a",
    b"b",
    b"ab",
    b"foo",
    b"bar",
    b"*",
    b"**",
    b"?",
    b"[ab]",
    b"[!a]",
    b"[^f]",
    b"[a-c]",
    b"[[:alpha:]]",
    b"[[:digit:]z]",
]
PIECES += [
    b"[[:space:]]",
    b"[[:punct:]]",
    b"\\a",
    b"\\*",
    b"\\[",
    b"[",
    b"]",
    b"[]]",
    b"[]-a]",
    b"[a-]",
    b"[\\]]",
    b"[[:nope:]]",
]
PIECES += [
    b"[[:upper:]",
    b".o",
    b".log",
    b"*.o",
    b"f*",
    b"*o*",
    b"***",
    b"\\",
    b" ",
    b"\\ ",
    b"\xc3\xa9",
    b"\xff",
    b"[\xc3]",
    b"?\xa9",
]
PIECES += [
    b"[z-a]",
    b"[!]a]",
    b"[!!]",
    b"[/]",
    b"[a/b]",
    b"[[:graph:]]",
    b"[[:print:]]",
    b"[[:cntrl:]]",
    b"[[:xdigit:]]",
    b"[[:lower:]]",
]


def pattern(rng: random.Random) -> bytes:
    segments = []
    for _ in range(rng.choice([1, 1, 1, 2, 2, 3])):
        segments.append(b"**" if rng.random() < 0.15 else b"".join(rng.choices(PIECES, k=rng.choice([1, 1, 1, 2, 3]))))
    start = rng.choice([b"", b"", b"", b"/", b"**/", b"!", b"!", b"!/", b"\\!", b"\\#", b"#", b"!!"])
    end = rng.choice([b"", b"", b"", b"/", b"/**", b"/*", b" ", b"  ", b"\\ ", b"\\", b"\r", b"\t", b"//", b"\0x"])
    return start + b"/".join(segments) + end


def text(rng: random.Random) -> bytes:
    lines = [pattern(rng) for _ in range(rng.choice([1, 2, 3, 5, 8]))]
    return rng.choice([b"", b"", b"\xef\xbb\xbf"]) + b"\n".join(lines) + rng.choice([b"", b"\n", b"\n\n"])


def make_tree(rng: random.Random, root: bytes) -> list[bytes]:
    """Files up to four levels deep; all paths, directories among them, from the root."""
    paths = set()
    for _ in range(40):
        parts = rng.choices(NAMES, k=rng.choice([1, 1, 2, 3, 4]))
        for depth in range(1, len(parts) + 1):
            path = b"/".join(parts[:depth])
            if depth < len(parts):
                if os.path.isfile(os.path.join(root, path)):
                    break
                os.makedirs(os.path.join(root, path), exist_ok=True)
            elif not os.path.isdir(os.path.join(root, path)):
                Path(os.fsdecode(os.path.join(root, path))).touch()
            paths.add(path)
    return sorted(paths)


def ignored_by_git(where: Path, paths: list[bytes]) -> dict[bytes, bool]:
    """Git's verdict on each path, whether it is tracked or not."""
    command = ["git", "check-ignore", "--no-index", "--stdin", "-z", "-v", "-n"]
    done = subprocess.run(command, cwd=where, input=b"\0".join(paths) + b"\0", capture_output=True)
    assert done.returncode in (0, 1), done.stderr
    fields = iter(done.stdout.split(b"\0")[:-1])
    rows = zip(fields, fields, fields, fields, strict=True)
    return {path: bool(source) and not found.startswith(b"!") for source, _, found, path in rows}


@pytest.mark.service("git")
@pytest.mark.parametrize("seed", range(150))
def test_each_path_is_ignored_just_as_git_ignores_it(seed: int, tmp_path: Path, home: Path) -> None:
    rng = random.Random(seed)
    init_repository(tmp_path)
    if rng.random() < 0.15:
        git(tmp_path, "config", "core.ignorecase", "true")
    root = os.fsencode(tmp_path)
    paths = make_tree(rng, root)
    directories = [b"", *(path for path in paths if os.path.isdir(os.path.join(root, path)))]
    for directory in rng.sample(directories, min(len(directories), rng.choice([1, 2, 4]))):
        Path(os.fsdecode(os.path.join(root, directory, b".gitignore"))).write_bytes(text(rng))
    if rng.random() < 0.3:
        (tmp_path / ".git/info/exclude").write_bytes(text(rng))
    if rng.random() < 0.3:
        (home / ".config/git").mkdir(parents=True)
        (home / ".config/git/ignore").write_bytes(text(rng))
    expected = ignored_by_git(tmp_path, paths)
    rules = root_rules(str(tmp_path), Patterns())
    ours = walk(tmp_path, rules)
    assert {path: ours[path] for path in paths} == {path: expected[path] for path in paths}
    record = RulesRecord.decode(RulesRecord.of(rules).encode())
    for path in paths:
        assert record.ignored(name_text(path), os.path.isdir(os.path.join(root, path))) == expected[path], path


@pytest.mark.service("git")
@pytest.mark.parametrize("seed", range(60))
def test_exactly_the_files_are_captured_that_git_would_add_or_has(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    repository = init_repository(tmp_path / "repository")
    root = os.fsencode(repository)
    paths = make_tree(rng, root)
    files = [path for path in paths if not os.path.isdir(os.path.join(root, path))]
    some = rng.sample(files, len(files) // 3)
    git(repository, "--literal-pathspecs", "add", "-f", "--", *some)
    directories = [b"", *(path for path in paths if path not in files)]
    for directory in rng.sample(directories, min(len(directories), 3)):
        Path(os.fsdecode(os.path.join(root, directory, b".gitignore"))).write_bytes(text(rng))
    for top in (b"", rng.choice(directories)):
        place = os.path.join(root, top)
        if top and ignored_by_git(repository, [top])[top]:
            continue
        listed = git(os.fsdecode(place), "ls-files", "-z", "--cached", "--others", "--exclude-standard")
        ours = captured(Path(os.fsdecode(place)), root_rules(os.fsdecode(place), Patterns()))
        theirs = {name_text(path) for path in listed.split(b"\0")[:-1]}
        assert theirs <= ours and all(os.path.basename(path) == ".gitignore" for path in ours - theirs)
