from __future__ import annotations

import queue
from collections.abc import Iterator

import pytest

from support.agent import World
from takeback.views.desk import Desk
from takeback.views.live import Heard, Live

PATIENCE = 60.0


@pytest.fixture
def heard(desk: Desk) -> Iterator[queue.Queue[Heard]]:
    told: queue.Queue[Heard] = queue.Queue()
    live = Live(desk, told.put, every=0.01)
    live.start()
    yield told
    live.stop()


def test_a_snapshot_of_somebody_else_is_heard_of(world: World, desk: Desk, heard: queue.Queue[Heard]) -> None:
    world.write("a.txt", "two\n")
    world.line.save()
    assert heard.get(timeout=PATIENCE).lanes == (desk.here,)


def test_a_label_a_pin_and_a_new_timeline_are_heard_of(world: World, desk: Desk, heard: queue.Queue[Heard]) -> None:
    world.line.label("@", "good")
    assert heard.get(timeout=PATIENCE) == Heard((), marks=True, operation=heard_operation(desk))
    world.line.fork("@", "attempt", str(world.base / "attempt"))
    lanes: tuple[int, ...] = ()
    while not lanes:
        lanes = heard.get(timeout=PATIENCE).lanes
    assert lanes == (max(lane.number for lane in desk.lanes()),)


def test_where_nothing_happens_nothing_is_told(world: World, heard: queue.Queue[Heard]) -> None:
    with pytest.raises(queue.Empty):
        heard.get(timeout=0.2)
    world.line.label("@", "good")
    assert heard.get(timeout=PATIENCE).marks


def test_after_it_stopped_nothing_is_told(world: World, desk: Desk) -> None:
    told: queue.Queue[Heard] = queue.Queue()
    live = Live(desk, told.put, every=0.01)
    live.start()
    live.stop()
    world.line.label("@", "good")
    assert told.empty()
    live.stop()


def heard_operation(desk: Desk) -> int:
    from takeback.engine import listing

    return listing.heads(desk.store.blobs)[1]
