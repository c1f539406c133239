"""What a restore records without looking is what the next save finds, also where it brought ignore rules back."""

from __future__ import annotations

import os
import time
from typing import Any

import pytest

from support.agent import World
from support.captures import fill
from support.trees import Spec

STATES: list[dict[str, Spec | None]] = [
    {"f": "1", "a/.gitignore": "x\n", "a/f": "1", "a/x": "ignored", "b/c/.takebackignore": "y\n", "b/c/f": "1"},
    {".gitignore": "a/\n", "a/.gitignore": "z\n", "f": "2"},
    {".gitignore": "a/\nb/\n", "b/c/.takebackignore": None, "b/c/f": "3"},
    {".gitignore": "b/c/\n", ".takebackignore": "!a/\n", "b/c/.gitignore": "w\n"},
    {".gitignore": None, ".takebackignore": None, "a/.gitignore": None, "f": "5"},
]


@pytest.mark.parametrize("remembers", [True, False])
def test_after_a_restore_the_next_save_finds_nothing_new(world: World, remembers: bool) -> None:
    snapshots = []
    for state in STATES:
        fill(world, {path: spec for path, spec in state.items() if spec is not None})
        for path in (path for path, spec in state.items() if spec is None):
            world.remove(path)
        snapshots.append(world.line.save())
    assert len({snapshot.id for snapshot in snapshots}) == len(STATES)
    for target in (0, 3, 1, 4, 2, 0, 4, 3, 2, 1):
        report = world.line.restore(snapshots[target])
        if not remembers:
            for file in (world.store_path / "derived").iterdir():
                file.unlink()
        assert world.line.save().id == report.snapshot
        assert world.read("a/x") == b"ignored"


def test_after_an_undo_only_the_directories_that_it_changed_are_looked_at_closely(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(world, {f"d{number}/file": str(number) for number in range(30)})
    for number in range(30):
        os.utime(world.root / f"d{number}/file", (0, 0))  # or they are compared, because they were written lately
    written = (world.root / "d29/file").stat().st_ctime_ns
    while time.time_ns() < written + 100_000_000:
        pass  # until the files are old enough to be recognised by their stat
    world.line.save()
    world.turn("work", {"d3/file": "changed", "d3/.gitignore": "x\n"})
    world.undo()
    opened: list[object] = []
    plain = os.open

    def noted(path: Any, *rest: Any, **more: Any) -> int:
        opened.append(path)
        return plain(path, *rest, **more)

    monkeypatch.setattr(os, "open", noted)
    world.line.save()
    assert opened.count(b"file") <= 1
    assert opened.count(b"d7") == 1
