"""An apply that fails leaves everything exactly as it was, says so, and can be tried again. At every call: `tests/crash`."""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import takeback as tb
from support.agent import World
from support.trees import Dir, Spec, make_tree
from takeback.engine import apply, journal
from takeback.model.plan import Effect
from takeback.sources.protocol import Staged
from takeback.store.catalogue import journals
from takeback.store.reader import Reader

BEFORE: dict[str, Spec] = {"a": "1", "b": "1", "gone/x": "1", "gone/empty": Dir(0o700), "swap": "file", "mode": "m"}


def work(world: World) -> None:
    world.edit({"a": "2", "b": None, "new/deep": "2", "gone": None, "swap": None})
    make_tree(world.root, {"swap/inside": "directory"})
    world.chmod("mode", 0o600)


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path)
    make_tree(world.root, BEFORE)
    world.line.save("before")
    with world.line.turn("work"):
        work(world)
    return world


def clean(world: World) -> bool:
    with world.store.blobs.database.read() as tx:
        assert journals.every(tx) == []
    assert not any(name.startswith(".takeback") for name in os.listdir(world.root))
    return not world.store.verify(read_data=True).problems


def test_a_file_that_reads_back_otherwise_is_an_error_and_all_is_as_before(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    after = world.tree()
    (source,) = world.line._line.sources.values()

    def wrong(effects: Sequence[Effect]) -> tuple[Effect, ...]:
        monkeypatch.undo()
        return tuple(effects[:1])

    monkeypatch.setattr(source, "unfinished", wrong)
    with pytest.raises(tb.Integrity, match="reads back differently"):
        world.line.undo()
    assert world.tree() == after
    assert clean(world)
    world.undo()


def test_a_directory_that_cannot_be_synced_is_an_error_and_all_is_as_before(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    after, root, sync = world.tree(), os.stat(world.root), os.fsync

    def fail_for_the_root(descriptor: int) -> None:
        if os.path.samestat(os.fstat(descriptor), root):
            monkeypatch.undo()
            raise OSError(errno.EIO, "Input/output error")
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", fail_for_the_root)
    with pytest.raises(tb.Unavailable, match="Input/output error") as caught:
        world.line.undo()
    assert caught.value.hints
    assert world.tree() == after
    assert clean(world)
    world.undo()


def test_an_undo_that_cannot_be_recorded_is_an_error_and_all_is_as_before(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    after = world.tree()

    def full(*_: Any) -> None:
        monkeypatch.undo()
        raise tb.Unavailable("the disk is full")

    monkeypatch.setattr(apply, "conclude", full)
    with pytest.raises(tb.Unavailable, match="disk is full") as caught:
        world.line.undo()
    assert not caught.value.hints
    assert world.tree() == after
    assert clean(world)
    world.undo()


def test_an_undo_that_can_neither_be_recorded_nor_taken_back_is_finished_by_the_next_command(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = world.line.show("before")

    def full(*_: Any) -> None:
        raise tb.Unavailable("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(apply, "conclude", full)
        patch.setattr(journal, "roll_back", full)
        with pytest.raises(tb.Unavailable, match="the next `takeback` command here finishes this undo"):
            world.line.undo()
    assert world.line.interrupted() is not None
    world.line.save(trigger="interval")
    assert not world.line.diff(before)
    assert world.moves()[0].verb == "undo"
    assert clean(world)


def test_an_undo_that_is_stopped_just_after_it_was_recorded_stays(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, conclude = world.line.show("before"), apply.conclude

    def then_stop(*arguments: Any) -> None:
        conclude(*arguments)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(apply, "conclude", then_stop)
        world.line.undo()
    assert not world.line.diff(before)
    assert clean(world)


def test_staging_that_fails_records_nothing(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    after, counts = world.tree(), world.counts()

    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fchmod", full)
        with pytest.raises(tb.Unavailable, match="disk is full"):
            world.line.undo()
    assert (world.tree(), world.counts()) == (after, counts)
    assert clean(world)


@pytest.mark.parametrize("when", ["before staging", "after staging"])
@pytest.mark.parametrize("path", ["a", "new/deep", "swap/inside"])
def test_an_edit_of_the_same_size_after_the_look_is_never_overwritten(
    world: World, monkeypatch: pytest.MonkeyPatch, path: str, when: str
) -> None:
    """However long the look and the staging took."""
    (source,) = world.line._line.sources.values()
    stage = source.stage
    edited = b"P" * len(world.read(path))

    def edit() -> None:
        world.write(path, edited)
        written = (world.root / path).stat().st_ctime_ns
        while time.time_ns() < written + 200_000_000:
            pass

    def meanwhile(reader: Reader, effects: Sequence[Effect]) -> Staged:
        monkeypatch.undo()
        if when == "before staging":
            edit()
        staged = stage(reader, effects)
        if when == "after staging":
            edit()
        return staged

    monkeypatch.setattr(source, "stage", meanwhile)
    with pytest.raises(tb.Conflict):
        world.line.undo()
    assert world.read(path) == edited
    assert world.read("swap/inside" if path != "swap/inside" else "a")
    assert not world.exists("gone")
    assert clean(world)
