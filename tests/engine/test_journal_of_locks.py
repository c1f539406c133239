"""A restore of what has a lock and no root, killed anywhere: whoever looks at it next finishes it, or takes it back."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import takeback as tb
from support import campaigns
from support.agent import look
from support.boxes import Box
from support.counts import Tell
from support.faults.zygote import Zygote
from support.processes import KILLED, in_child, start
from support.template import Template
from takeback.engine import apply
from takeback.store.catalogue import journals


class Scene:
    """Boxes with a timeline of their own, at ``first`` and with changes after it."""

    def __init__(self, base: Path, names: tuple[str, ...] = ("container",)) -> None:
        self.base = base
        self.boxes = {name: Box(base / name, name) for name in names}

    def begin(self) -> None:
        for box in self.boxes.values():
            box.place.mkdir()
            (box.place / "file").write_text("old")
        with self.store() as store:
            self.line(store).save("first")
        for box in self.boxes.values():
            (box.place / "file").write_text("new")
            (box.place / "more").write_text("more")

    def store(self) -> tb.Store:
        return tb.open(self.base / "store")

    def line(self, store: tb.Store, name: str = "boxes") -> tb.Timeline:
        return store.timeline(name, sources=list(self.boxes.values()))

    def killed(self, arm: Callable[[], object]) -> int:
        """Restore in a process that dies of what ``arm`` set up, if it comes to that."""

        def work() -> None:
            with self.store() as store:
                line = self.line(store)
                arm()
                line.restore("first")

        code, told = in_child(work)
        assert code in (0, KILLED), told
        return code

    def files(self) -> list[dict[str, bytes]]:
        return [{path: node.data for path, node in look(box.place).items()} for box in self.boxes.values()]

    def check(self, store: tb.Store) -> None:
        """It is whole, on one side or the other; what was recorded is there, nothing is left over, the present of
        before can be had again."""
        old, new = {"file": b"old"}, {"file": b"new", "more": b"more"}
        line = self.line(store)
        assert self.files() in ([old] * len(self.boxes), [new] * len(self.boxes))
        with store.blobs.database.read() as tx:
            assert journals.every(tx) == []
        assert line.interrupted() is None and not line.diff()
        beside = {path.name for path in self.base.iterdir()}
        assert beside == {"store", *self.boxes}
        if self.files()[0] == old:
            line.undo()
            assert self.files() == [new] * len(self.boxes)
        assert not store.verify(read_data=True).problems


def die(*_: Any, **__: Any) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def before(module: Any, name: str) -> Callable[[], None]:
    return lambda: setattr(module, name, die)


def after(module: Any, name: str) -> Callable[[], None]:
    def arm() -> None:
        function = getattr(module, name)

        def then_die(*arguments: Any, **options: Any) -> None:
            function(*arguments, **options)
            die()

        setattr(module, name, then_die)

    return arm


def at_rename(number: int) -> Callable[[], None]:
    def arm() -> None:
        rename, made = os.rename, 0

        def counted(*arguments: Any, **options: Any) -> None:
            nonlocal made
            made += 1
            if made == number:
                die()
            rename(*arguments, **options)

        begin = apply._begin

        def then_count(*arguments: Any) -> Any:
            result = begin(*arguments)
            os.rename = counted
            return result

        setattr(apply, "_begin", then_count)  # noqa: B010 - a function is no attribute to mypy

    return arm


POINTS = {
    "before the journal": before(apply, "_begin"),
    "after the journal": after(apply, "_begin"),
    "the old one is aside": at_rename(2),
    "the new one is in place": before(apply, "_read_back"),
    "read back": before(apply, "conclude"),
    "recorded": after(apply, "conclude"),
}


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    scene = Scene(tmp_path)
    scene.begin()
    return scene


@pytest.mark.parametrize("point", POINTS)
def test_the_next_save_finishes_it_or_it_never_began(scene: Scene, point: str) -> None:
    assert scene.killed(POINTS[point]) == KILLED
    with scene.store() as store:
        assert (scene.line(store).interrupted() is None) == (point in ("before the journal", "recorded"))
        scene.line(store).save()
        assert scene.files() == [
            {"file": b"new", "more": b"more"} if point == "before the journal" else {"file": b"old"}
        ]
        scene.check(store)


@pytest.mark.parametrize("point", POINTS)
def test_two_of_them_go_together(tmp_path: Path, point: str) -> None:
    scene = Scene(tmp_path, ("one", "two"))
    scene.begin()
    assert scene.killed(POINTS[point]) == KILLED
    with scene.store() as store:
        scene.line(store).save()
        scene.check(store)


def restore(scene: Scene) -> None:
    with scene.store() as store:
        scene.line(store).restore("first")


@pytest.mark.campaign("locks-killed")
def test_killed_at_every_step_of_the_disk(zygote: Zygote, memory_path: Path, record_property: Tell) -> None:
    """Each is a step that a box takes, or the catalogue."""
    scene = Scene(memory_path / "scene", ("one", "two"))
    scene.base.mkdir()
    scene.begin()
    template = Template(memory_path / "template", scene.base)
    points = zygote.points(scene.base, restore, scene)
    assert len(points) > 40
    chosen = campaigns.pick(range(1, len(points) + 1), 8)
    killed = 0
    for at in chosen:
        template.reset()
        killed += zygote.killed(scene.base, at, restore, scene)
        with scene.store() as store:
            scene.line(store).save()
            scene.check(store)
    assert killed > len(chosen) // 2
    campaigns.count_runs(record_property, len(chosen))


def test_another_timeline_of_the_same_thing_finishes_it_first(scene: Scene) -> None:
    assert scene.killed(POINTS["after the journal"]) == KILLED
    with scene.store() as store:
        scene.line(store, "other").save()
        assert scene.files() == [{"file": b"old"}]
        assert store.timeline("boxes").show("@").trigger == "restore"
        scene.check(store)


def test_who_has_only_one_of_two_says_what_is_missing(tmp_path: Path) -> None:
    scene = Scene(tmp_path, ("one", "two"))
    scene.begin()
    scene.killed(POINTS["after the journal"])
    with scene.store() as store:
        line = store.timeline("boxes", sources=[scene.boxes["two"]])
        with pytest.raises(tb.Unavailable, match="its parts one are not at hand") as caught:
            line.save()
        assert caught.value.hints == ("`takeback save --container one=box` finishes it",)
        assert store.timeline("boxes").interrupted() is not None
        scene.line(store).save()
        scene.check(store)


def test_memory_that_was_saved_meanwhile_by_somebody_without_it_is_kept(scene: Scene) -> None:
    memory = ["remember"]
    assert scene.killed(POINTS["the new one is in place"]) == KILLED
    with scene.store() as store:
        store.timeline("boxes", sources=[tb.State("memory", memory)]).save("meanwhile")
        scene.line(store).save()
        assert scene.files() == [{"file": b"new", "more": b"more"}]  # taken back: it was not recorded in time
        assert store.timeline("boxes").value("@", "memory") == memory
        scene.check(store)


def test_what_somebody_changed_after_the_kill_stays(scene: Scene) -> None:
    assert scene.killed(POINTS["after the journal"]) == KILLED
    (scene.boxes["container"].place / "file").write_text("a person's")
    with scene.store() as store:
        scene.line(store).save()
        assert scene.files() == [{"file": b"a person's"}]  # and ``more`` has gone
        assert not scene.line(store).diff()


def test_a_lock_that_is_taken_is_said(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    ready, tell = os.pipe()

    def hold_on(*_: Any) -> None:
        os.write(tell, b"x")
        signal.pause()

    def work() -> None:
        monkeypatch.setattr(apply, "_begin", hold_on)
        with scene.store() as store:
            scene.line(store).restore("first")

    pid, result = start(work)
    os.read(ready, 1)
    try:
        with scene.store() as store:
            line = scene.line(store)
            line.patience = 0.05
            with pytest.raises(tb.Locked, match="is in use: process"):
                line.save()
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        for fd in (ready, tell, result):
            os.close(fd)
    with scene.store() as store:
        scene.line(store).save()
        scene.check(store)


def test_a_killed_restore_of_files_is_finished_by_who_brings_a_container_that_no_snapshot_has(tmp_path: Path) -> None:
    root, place = tmp_path / "root", tmp_path / "container"
    for directory in (root, place):
        directory.mkdir()
        (directory / "file").write_text("old")

    def work() -> None:
        with tb.open(tmp_path / "store") as store:
            line = store.timeline(sources=[tb.Workspace(root)])
            line.save("first")
            (root / "file").write_text("new")
            POINTS["after the journal"]()
            line.restore("first")

    assert in_child(work)[0] == KILLED
    with tb.open(tmp_path / "store") as store:
        line = store.timeline(sources=[tb.Workspace(root), Box(place)])
        assert set(line.save().parts) == {"workspace", "container"}
        assert (root / "file").read_text() == "old" and line.interrupted() is None
