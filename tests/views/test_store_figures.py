from __future__ import annotations

import pytest

from support.agent import World
from takeback.errors import InvalidInput
from takeback.model.progress import Progress, Watch
from takeback.views.desk import Desk
from takeback.views.store_figures import figures, operations


def test_growth_ends_with_what_is_there(world: World, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Watch, "INTERVAL", -1.0)
    for number in range(5):
        world.write("a.txt", f"{number}\n" * 1000)
        world.line.save()
    heard: list[Progress] = []
    found = figures(desk, heard.append)
    growth = found.usage.growth
    assert [size.snapshots for size in growth] == [1, 2, 3, 4, 5, 6]
    assert growth[-1].logical == found.usage.logical
    assert [size.stored for size in growth] == sorted(size.stored for size in growth)
    assert growth[-1].stored == pytest.approx(sum(share.stored for share in found.usage.shares), abs=10)
    assert [each.done for each in heard] == [1, 2, 3, 4, 5, 6]
    assert {limit.name for limit in found.policy} >= {"keep_last", "max_age", "max_bytes"}


def test_a_long_history_is_told_in_so_many_points(world: World, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("takeback.engine.health._POINTS", 3)
    for number in range(9):
        world.write("a.txt", f"{number}\n")
        world.line.save()
    assert [size.snapshots for size in desk.store.stats().growth] == [4, 7, 10]


def test_operations_come_in_pages(world: World, desk: Desk) -> None:
    world.write("a.txt", "2\n")
    world.line.save()
    first, second = operations(desk, limit=1), operations(desk)
    assert first == second[:1] and len(second) >= 2
    assert operations(desk, before=first[0].seq) == second[1:]
    with pytest.raises(InvalidInput):
        operations(desk, limit=0)
