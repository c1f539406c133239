"""What was written lately is compared byte by byte: a second write through a mapping leaves no trace in its stat."""

from __future__ import annotations

import mmap
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from support.agent import World
from support.captures import content, fill
from takeback.sources.workspace import capture, reading


@contextmanager
def mapped(file: Path) -> Iterator[mmap.mmap]:
    with open(file, "r+b") as stream, mmap.mmap(stream.fileno(), 0) as memory:
        yield memory


def wait_for_a_tick(file: Path) -> None:
    """Until a file's times are old enough to be trusted as far as its last tick is concerned."""
    while time.time_ns() < file.stat().st_ctime_ns + 100_000_000:
        pass


def looks(file: Path) -> tuple[int, int, int]:
    status = file.stat()
    return status.st_mtime_ns, status.st_ctime_ns, status.st_size


def test_a_write_that_leaves_the_stat_as_it_was_is_seen(world: World) -> None:
    fill(world, {"d/data.bin": "0" * 100, "d/other": "o"})
    file = world.root / "d/data.bin"
    world.line.save()
    with mapped(file) as memory:
        memory[0] = ord("1")
        wait_for_a_tick(file)
        first = world.line.save()
        before = looks(file)
        memory[1] = ord("2")
        if looks(file) != before:
            pytest.skip("the kernel wrote the page in this very moment")
        second = world.line.save()
    assert content(world, first)["d/data.bin"].data == b"1" + b"0" * 99
    assert content(world, second)["d/data.bin"].data == b"12" + b"0" * 98
    assert world.line.save().id == second.id


def test_so_it_is_after_an_undo(world: World) -> None:
    fill(world, {"d/data.bin": "0" * 100, "e/other": "o"})
    file = world.root / "d/data.bin"
    with mapped(file) as memory:
        memory[0] = ord("1")
        wait_for_a_tick(file)
        world.line.save()
        world.turn("edit", {"e/other": "edited"})
        world.undo()
        before = looks(file)
        memory[1] = ord("2")
        if looks(file) != before:
            pytest.skip("the kernel wrote the page in this very moment")
        assert content(world, world.line.save())["d/data.bin"].data[:2] == b"12"


def compared(world: World, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that the next save compares."""
    found: list[str] = []
    plain = reading.has_bytes

    def noted(name: str, *rest: object) -> bool:
        found.append(name)
        return plain(name, *rest)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(capture, "has_bytes", noted)
        world.line.save()
    return found


def test_what_was_written_longer_ago_is_not_compared(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(world, {"old": "o", "new": "n", "ahead": "a"})
    now = time.time()
    os.utime(world.root / "old", (now - 40, now - 40))
    os.utime(world.root / "ahead", (now + 40, now + 40))
    wait_for_a_tick(world.root / "ahead")
    world.line.save()
    assert compared(world, monkeypatch) == ["new"]


def test_there_is_a_limit_to_what_is_compared(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(world, {f"d/{number}": str(number) for number in range(100)})
    wait_for_a_tick(world.root / "d/99")
    world.line.save()
    assert len(compared(world, monkeypatch)) == capture.MOST_LATELY


def test_there_is_a_limit_to_how_much_is_compared(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(world, {f"{number}": "x" * (6 << 20) for number in range(4)})
    wait_for_a_tick(world.root / "3")
    world.line.save()
    assert len(compared(world, monkeypatch)) == capture.MOST_LATELY_BYTES // (6 << 20)
