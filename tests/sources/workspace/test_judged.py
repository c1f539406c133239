"""While an agent is at work a path is captured if the rules keep it that stood there before, or those that stand there now."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

import takeback as tb
from support.agent import World
from support.git import init_repository
from support.rules import captured
from support.trees import make_tree
from takeback.model.ids import BlobKind
from takeback.sources.workspace.ignore import RULE_FILES, Patterns, root_rules

DIRECTORIES = ("", "a", "b", "a/b", "a/c", "a/b/c", "d")
NAMES = ("x", "y.log", "z.tmp", "x1", "keep.log")
LINES = (
    "*",
    "*.log",
    "*.tmp",
    "x*",
    "!x",
    "!keep.log",
    "!*",
    "a/",
    "/b",
    "b/",
    "c",
    "!c/",
    "d",
    "a/b/",
    "**/c",
    "# a word",
    "",
)


def rules(rng: random.Random) -> dict[str, str]:
    """Files of rules in some of the directories."""
    return {
        f"{directory}/{rng.choice(list(RULE_FILES))}".lstrip("/"): "\n".join(rng.choices(LINES, k=rng.randint(1, 3)))
        + "\n"
        for directory in rng.sample(DIRECTORIES, rng.randint(0, 3))
    }


def put(root: Path, wanted: dict[str, str]) -> None:
    """Have these files of rules and no others."""
    for directory in DIRECTORIES:
        for name in RULE_FILES:
            (root / directory / name).unlink(missing_ok=True)
    make_tree(root, wanted)


def kept(root: Path, copy: Path, wanted: dict[str, str]) -> set[str]:
    """What rules keep of the files that stand there; they may be others by now."""
    shutil.copytree(root, copy, dirs_exist_ok=True)
    put(copy, wanted)
    found = captured(copy, root_rules(str(copy), Patterns()))
    shutil.rmtree(copy)
    return {path for path in found if path.rpartition("/")[2] not in RULE_FILES}


def held(world: World) -> set[str]:
    found = {path for path, entry in world.line.files("@") if entry.kind == "f"}
    return {path for path in found if path.rpartition("/")[2] not in RULE_FILES}


@pytest.mark.service("git")
@pytest.mark.parametrize("seed", range(24))
def test_what_either_rules_keep_is_captured_and_taken_back(seed: int, memory_path: Path) -> None:
    rng = random.Random(seed)
    world, copy = World(memory_path), memory_path / "copy"
    if rng.random() < 0.5:
        init_repository(world.root)
    before = rules(rng)
    make_tree(world.root, {f"{directory}/{rng.choice(NAMES)}".lstrip("/"): "old" for directory in DIRECTORIES})
    put(world.root, before)
    world.line.save()
    expected = held(world)
    assert expected == kept(world.root, copy, before)
    first = world.tree()
    with world.line.turn("work"):
        for step in range(4):
            now = rules(rng)
            put(world.root, now)
            for directory in rng.sample(DIRECTORIES, 3):
                make_tree(
                    world.root, {f"{directory}/{rng.choice(NAMES)}{rng.choice(['', step])}".lstrip("/"): str(step)}
                )
            saved = world.line.save(trigger="interval")
            expected |= kept(world.root, copy, before) | kept(world.root, copy, now)
            assert held(world) == expected
            assert world.line.save(trigger="interval").id == saved.id
            if rng.random() < 0.3:
                for file in (world.store_path / "derived").iterdir():
                    file.unlink()
                assert world.line.save(trigger="interval").id == saved.id
    last, mine = world.tree(), kept(world.root, copy, before)
    if not world.moves():
        return
    world.undo()
    for path, data in world.files().items():
        if path.rpartition("/")[2] not in RULE_FILES:
            then = {first[path].data} if path in first else set()  # what was ignored may have been captured meanwhile
            known = then if path in mine else {*then, last[path].data}
            assert data in known, "what was ignored at the beginning is left alone, or what it was then"
    for name in RULE_FILES:
        assert world.tree().get(name) == first.get(name)
    assert {path for path in first if path in mine} <= world.files().keys()
    world.redo()
    assert world.tree() == last


@pytest.mark.service("git")
def test_rules_that_did_not_change_leave_no_second_record(world: World) -> None:
    world.write(".gitignore", "*.log\n")
    with world.line.turn("work"):
        world.write("a", "1")
    assert "trusted" not in world.line.show("@").parts["workspace"].refs


def test_a_purge_takes_the_trusted_rules_of_a_directory_along(world: World) -> None:
    world.write("d/.gitignore", "a secret\n")
    world.line.save()
    world.turn("hide", {"d/.gitignore": "*\n", "d/x": "1"})
    part = world.line.show("@").parts["workspace"]
    assert "trusted" in part.refs
    world.line.purge("d", copies=True)
    with world.store.blobs.reader() as reader:
        for snapshot in world.line.log().snapshots:
            refs = world.line.show(snapshot.id).parts["workspace"].refs
            for key in ("rules", "trusted"):
                assert key not in refs or b"secret" not in reader.get(refs[key], BlobKind.DOCUMENT)


def test_the_trusted_rules_go_along_to_another_store(world: World, tmp_path: Path) -> None:
    world.line.save()
    world.turn("hide", {".gitignore": "*\n", "x": "1"})
    with tb.open(tmp_path / "other") as store:
        world.store.push(store)
        line = store.timeline("main", sources=[tb.Workspace(world.root)])
        assert [change.lines for change in line.unagreed()] == [("*",)]
        world.write("y", "2")
        assert {path for path, _ in line.files(line.save())} == {".gitignore", "x", "y"}
        assert store.verify(read_data=True).ok
