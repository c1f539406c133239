from __future__ import annotations

import shutil
from functools import partial
from pathlib import Path

import pytest

import takeback as tb
from support.agent import World
from takeback import locate
from takeback.errors import Cancelled, NotFound, Unavailable
from takeback.model.progress import Progress, Watch
from takeback.store.locks import root_lock
from takeback.views.counts import counts
from takeback.views.desk import Desk


def test_without_a_store_it_is_said_how_to_begin(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="nothing was recorded yet") as caught:
        Desk(locate.place(str(tmp_path)))
    assert any("takeback save" in hint for hint in caught.value.hints)


def test_a_timeline_that_this_directory_does_not_have_is_not_another_one(world: World, tmp_path: Path) -> None:
    world.line.save()
    with pytest.raises(NotFound, match="no timeline 'mian'") as caught:
        Desk(locate.place(str(world.root), store=str(world.store_path), timeline="mian"))
    assert caught.value.hints == ("there is 'main': --timeline main",)
    new = tmp_path / "new"
    new.mkdir()
    with Desk(locate.place(str(new), store=str(world.store_path), timeline="mine")) as desk:
        assert desk.here == 0  # which has none yet, so that it may become the first


def test_before_the_first_snapshot_here_there_is_a_desk_and_then_a_lane(world: World, tmp_path: Path) -> None:
    world.write("a", "1")
    world.line.save()
    other = tmp_path / "other"
    other.mkdir()
    with Desk(locate.place(str(other), store=str(world.store_path))) as desk:
        assert desk.here == 0
        assert [lane.is_own for lane in desk.lanes()] == [False]
        with pytest.raises(NotFound, match="nothing was recorded here yet"):
            desk.look()
        with desk.act() as line:
            line.save()
        assert desk.look().root == str(other)
        assert [lane.is_here for lane in desk.lanes()] == [True, False]


def test_a_timeline_whose_directory_is_gone_can_be_looked_at_but_not_acted_on(world: World, desk: Desk) -> None:
    fork = world.line.fork("@", "attempt", str(world.base / "attempt"))
    shutil.rmtree(fork.root)
    number = next(lane.number for lane in desk.lanes() if lane.name == "attempt")
    assert desk.look(number).read("@", "a.txt") == b"one\n"
    with pytest.raises(Unavailable, match="is not there"):
        desk.act(number).__enter__()


def test_a_memory_of_no_directory_has_a_lane(world: World, desk: Desk) -> None:
    world.store.timeline("thread", sources=[tb.State("memory", {"a": 1})]).save()
    number = next(lane.number for lane in desk.lanes() if lane.name == "thread")
    assert desk.look(number).value("@", "memory") == {"a": 1}
    with desk.act(number) as line:
        assert line.root == ""


def test_what_is_remembered_is_made_once_and_not_for_ever(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("takeback.views.desk._REMEMBERED", 2)
    made: list[int] = []

    def make(number: int) -> int:
        made.append(number)
        return number

    assert [desk.remembered("n", number, make=partial(make, number)) for number in (1, 1, 2, 3, 3, 1)] == [
        1,
        1,
        2,
        3,
        3,
        1,
    ]
    assert made == [1, 2, 3, 1]


def test_a_look_at_the_world_ends_when_whoever_wanted_it_has_gone(
    world: World, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Watch, "INTERVAL", -1.0)  # each tick is heard
    assert counts(desk, desk.here, world.line.head, None).nothing
    desk.stop()
    with pytest.raises(Cancelled):
        counts(desk, desk.here, world.line.head, None)
    assert desk.look().read("@", "a.txt") == b"one\n"


def test_who_listens_and_can_stop_it_waits_for_as_long_as_it_takes(world: World, desk: Desk) -> None:
    with desk.act() as line:
        assert line.patience == 10, "nobody would know what it waits for"
    heard: list[Progress] = []

    def listen(progress: Progress) -> None:
        heard.append(progress)
        if progress.phase == "wait":
            raise Cancelled("stopped")

    with desk.act(None, listen) as line, root_lock(str(world.root)):
        assert line.patience > 600
        with pytest.raises(Cancelled):
            line.save()
    assert "process" in heard[-1].text


def test_what_waits_to_be_dropped_is_not_once_whoever_wanted_it_has_gone(world: World, desk: Desk) -> None:
    head = desk.look().head
    assert head is not None
    with root_lock(str(world.root)), pytest.raises(Cancelled):
        desk.stop()
        desk.look().drop(head)
    assert desk.look().head == head
