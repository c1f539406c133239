"""A restore was killed, and some of what it changes cannot be reached any more: the rest is as it was, and goes on."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import pytest

import takeback as tb
from support.processes import KILLED, in_child
from support.trees import make_tree
from takeback.errors import Unavailable
from takeback.sources.workspace.source import Workspace


class Away(Workspace):
    """A directory that can be out of reach, as an engine can."""

    away = False

    def _reach(self) -> None:
        if self.away:
            raise Unavailable("nobody answers", hints=["start it"])

    def capture(self, *given: Any) -> Any:
        self._reach()
        return super().capture(*given)

    def stage(self, *given: Any, **more: Any) -> Any:
        self._reach()
        return super().stage(*given, **more)

    def unfinished(self, *given: Any) -> Any:
        self._reach()
        return super().unfinished(*given)


class World:
    def __init__(self, place: Path) -> None:
        self.store = tb.open(place / "store")
        self.code, self.data = place / "code" / "a", place / "data" / "d"
        self.away = Away(place / "data", name="data")
        self.line = self.store.timeline(sources=[tb.Workspace(place / "code"), self.away])

    def write(self, text: str) -> None:
        for path in (self.code, self.data):
            path.write_text(text)

    @property
    def texts(self) -> tuple[str, str]:
        return self.code.read_text(), self.data.read_text()


@pytest.fixture
def world(tmp_path: Path) -> World:
    """Killed in the middle: what is behind the first part's rename differs between the two parts."""
    make_tree(tmp_path, {"code/a": "old", "data/d": "old"})
    first = World(tmp_path)
    first.line.save("first")
    first.store.close()
    for path in (first.code, first.data):
        path.write_text("new")

    def killed() -> None:
        mine = World(tmp_path)
        apply = mine.away.stage

        def staged(*given: Any, **more: Any) -> Any:
            found = apply(*given, **more)
            go_on = found.apply

            def die() -> None:
                go_on()
                os.kill(os.getpid(), signal.SIGKILL)

            return _Dies(found, die)

        mine.away.stage = staged  # type: ignore[method-assign]
        mine.line.restore("first")

    assert in_child(killed)[0] == KILLED
    return World(tmp_path)


class _Dies:
    def __init__(self, staged: Any, apply: Any) -> None:
        self._staged, self.apply = staged, apply

    def __getattr__(self, name: str) -> Any:
        return getattr(self._staged, name)


def test_it_is_finished_if_all_is_there(world: World) -> None:
    assert world.texts in (("new", "old"), ("old", "old"))
    world.line.save()
    assert world.texts == ("old", "old") and world.line.interrupted() is None


def test_what_is_out_of_reach_is_missed_and_the_rest_is_as_it_was(world: World) -> None:
    world.away.away = True
    snapshot = world.line.save()
    assert world.code.read_text() == "new"
    assert "was interrupted and is to be taken back, but nobody answers" in snapshot.missed["data"]
    assert world.line.interrupted() is not None


def test_work_goes_on_without_it_and_it_is_taken_back_once_it_is_there_again(world: World) -> None:
    world.away.away = True
    world.line.save()
    world.code.write_text("mine")
    world.line.save()
    world.line.restore("first", only=["workspace"])
    assert world.code.read_text() == "old"
    world.line.undo()
    assert world.code.read_text() == "mine"
    with pytest.raises(Unavailable, match="nobody answers"):
        world.line.restore("first")
    world.away.away = False
    assert not world.line.save().partial
    assert world.texts == ("mine", "new") and world.line.interrupted() is None
    world.line.restore("first")
    assert world.texts == ("old", "old")


def test_who_does_not_have_it_at_hand_is_not_kept_from_working(world: World, tmp_path: Path) -> None:
    world.away.away = True
    world.line.save()
    world.store.close()
    store = tb.open(tmp_path / "store")
    files = store.timeline(sources=[tb.Workspace(tmp_path / "code")])
    (tmp_path / "code" / "a").write_text("mine")
    assert not files.save().partial
    files.undo()
    assert (tmp_path / "code" / "a").read_text() == "new"
    store.close()


class Both(World):
    """Two directories that are reached by the same way."""

    def __init__(self, place: Path, way: str = "one") -> None:
        super().__init__(place)
        self.more = place / "more" / "m"
        self.other = Away(place / "more", name="more")
        self.line = self.store.timeline(sources=[tb.Workspace(place / "code"), self.away, self.other])
        for source in (self.away, self.other):
            source.lock = f"engine {place} {way}"

    def out_of_reach(self) -> None:
        self.away.away = self.other.away = True


def _killed_with_all_in_place(place: Path, way: str) -> None:
    from takeback.engine import apply

    def die(*given: Any) -> Any:
        os.kill(os.getpid(), signal.SIGKILL)

    mine = Both(place, way)
    apply._read_back = die  # type: ignore[assignment]
    mine.line.restore("first")


def test_several_that_are_reached_by_one_way_wait_for_it_together(tmp_path: Path) -> None:
    make_tree(tmp_path, {"code/a": "old", "data/d": "old", "more/m": "old"})
    first = Both(tmp_path)
    first.line.save("first")
    first.store.close()
    for text, way in (
        ("new", "one"),
        ("newer", "two"),
    ):  # the second time, something waits under the first name already
        for path in (first.code, first.data, first.more):
            path.write_text(text)
        assert in_child(lambda way=way: _killed_with_all_in_place(tmp_path, way))[0] == KILLED  # type: ignore[misc]
        world = Both(tmp_path)
        world.out_of_reach()
        assert world.line.save().missed.keys() == {"data", "more"}
        assert world.code.read_text() == text
        world.store.close()
    world = Both(tmp_path)
    world.line.save()
    assert [path.read_text() for path in (world.code, world.data, world.more)] == ["newer"] * 3
    assert world.line.interrupted() is None
