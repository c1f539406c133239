"""What others do while a capture runs, and how long it may take."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import takeback as tb
from support.agent import MakeWorld, World
from support.captures import content, fill, left_out, saved
from support.trees import Link, Spec, make_tree
from takeback.model.progress import Progress, Watch
from takeback.sources.workspace import reading


def once(monkeypatch: pytest.MonkeyPatch, act: Callable[[], object]) -> None:
    """Let something happen in the middle of the walk: when the first file is read."""
    store_file, done = reading.store_file, threading.Event()

    def meddling(*arguments: Any) -> Any:
        if not done.is_set():
            done.set()
            act()
        return store_file(*arguments)

    monkeypatch.setattr("takeback.sources.workspace.capture.store_file", meddling)


def test_what_vanishes_during_the_walk_is_absent(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    tree: dict[str, Spec] = {"d/first": "the only one that stays"}
    for number in range(20):
        tree |= {f"d/file{number}": "x", f"d/link{number}": Link("x"), f"d/directory{number}/inside": "x"}
    fill(world, tree)
    opened: list[str] = []

    def vanish() -> None:
        for entry in list((world.root / "d").iterdir()):
            opened.append(entry.name)
            world.remove(f"d/{entry.name}")

    once(monkeypatch, vanish)
    snapshot = world.line.save()
    assert len(opened) == 61
    assert left_out(snapshot) == {}
    assert len(content(world, snapshot)) <= 2  # at most what was read before
    assert content(world, world.line.save()) == world.tree()


def test_a_directory_that_becomes_a_link_during_the_walk_is_not_followed(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_tree(tmp_path / "outside", {"inside": "not yours"})
    fill(world, {f"d{number}/inside": "mine" for number in range(20)})

    def swap() -> None:
        for number in range(20):
            if not opened(world.root / f"d{number}"):
                world.remove(f"d{number}")
                world.link(f"d{number}", str(tmp_path / "outside"))

    once(monkeypatch, swap)
    snapshot = world.line.save()
    assert b"not yours" not in {node.data for node in content(world, snapshot).values()}
    links = sum((world.root / f"d{number}").is_symlink() for number in range(20))
    assert links == 19
    assert list(left_out(snapshot).values()) == ["unreadable"] * links
    assert content(world, world.line.save()) == world.tree()


def opened(directory: Path) -> bool:
    """Whether this process has the directory open."""
    status = directory.stat()
    for handle in range(3, 256):
        try:
            if os.path.samestat(os.fstat(handle), status):
                return True
        except OSError:
            continue
    return False


def test_many_threads_can_save_at_once(world: World) -> None:
    fill(world, {f"d{number}/file": str(number) for number in range(50)})
    ids: list[str] = []
    errors: list[Exception] = []
    gate = threading.Barrier(6)

    def work(number: int) -> None:
        try:
            gate.wait()
            for step in range(3):
                world.write(f"thread{number}/file", str(step))
                ids.append(world.line.save().id)
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert len(ids) == 18
    assert content(world, world.line.save()) == world.tree()
    seen = [snapshot.id for snapshot in world.line.log().snapshots]
    assert set(ids) <= set(seen)
    for snapshot, parent in zip(world.line.log().snapshots, seen[1:], strict=False):
        assert snapshot.parent == parent


def test_a_save_that_runs_out_of_time_records_nothing_and_the_next_one_is_fine(make_world: MakeWorld) -> None:
    hurried = make_world(time_budget=0)
    fill(hurried, {f"d{number}/file": str(number) for number in range(20)})
    before = hurried.tree()
    with pytest.raises(tb.OutOfTime, match="Nothing was recorded"):
        hurried.line.save("never")
    assert hurried.tree() == before
    assert list(hurried.line.log().snapshots) == []
    patient = hurried.store.timeline("main", sources=[tb.Workspace(hurried.root)])
    assert content(hurried, patient.save("now")) == before
    with pytest.raises(tb.NotFound):  # the budget is for saves alone
        hurried.line.undo()
    assert [snapshot.labels for snapshot in patient.log().snapshots] == [("now",)]


def test_the_time_runs_out_in_the_middle_of_a_large_file_too(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(world, {"large": bytes(8 << 20)})
    ticks: list[int] = []
    tick = Watch.tick

    def counted(self: Watch, phase: str, done: int, total: int | None = None, size: int = 0) -> None:
        ticks.append(size)
        if size > 2 << 20 and phase == "store" and len(ticks) > 4:
            raise tb.OutOfTime("the time is over")
        tick(self, phase, done, total, size)

    with monkeypatch.context() as patch, pytest.raises(tb.OutOfTime):
        patch.setattr(Watch, "tick", counted)
        world.line.save()
    assert max(ticks[2:]) < 8 << 20
    saved(world)


def test_progress_reaches_the_listener(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Watch, "INTERVAL", 0.0)
    fill(world, {f"d{number}/file": "x" * number for number in range(30)})
    heard: list[Progress] = []
    line = world.store.timeline("main", sources=[tb.Workspace(world.root)], listener=heard.append)
    line.save()
    assert {event.phase for event in heard} == {"scan", "store"}
    assert [event.done for event in heard] == sorted(event.done for event in heard)
    assert heard[-1].done == 60
    heard.clear()
    line.diff()
    assert heard[-1].done == 60


def test_a_listener_that_raises_ends_the_save_and_nothing_is_recorded(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Watch, "INTERVAL", 0.0)
    fill(world, {"file": "x"})

    def stop(event: Progress) -> None:
        raise KeyboardInterrupt

    line = world.store.timeline("main", sources=[tb.Workspace(world.root)], listener=stop)
    with pytest.raises(KeyboardInterrupt):
        line.save()
    assert list(world.line.log().snapshots) == []
    saved(world)
