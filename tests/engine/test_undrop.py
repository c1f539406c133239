"""What drop and prune took out of a timeline can be taken back until it is swept."""

from __future__ import annotations

from typing import Any

import pytest

import takeback as tb
from support.agent import World
from support.stores import noise
from takeback.store.collection import maintenance
from takeback.store.collection.condemning import condemn
from takeback.store.reader import Reader


@pytest.fixture
def four(world: World) -> list[str]:
    """Four snapshots, oldest first."""
    found = []
    for number in range(4):
        world.write("a.txt", f"{number}\n")
        world.write("own.bin", noise(300_000, number))
        found.append(world.line.save(f"v{number}").id)
    return found


def ids(world: World) -> list[str]:
    return [row.id for row in reversed(world.line.log().snapshots)]


def test_a_dropped_snapshot_comes_back_to_its_place(world: World, four: list[str]) -> None:
    before = world.line.log().snapshots
    world.line.drop("v1")
    assert world.store.undrop(four[1][:8]) == four[1]
    assert world.line.log().snapshots == before, "with its labels, its parent and its child"
    assert world.line.read("v1", "a.txt") == b"1\n"
    world.restore("v1")
    assert world.read("own.bin") == noise(300_000, 1)


def test_the_latest_one_is_the_latest_again(world: World, four: list[str]) -> None:
    world.line.drop("@")
    assert world.line.show("@").id == four[2]
    world.store.undrop(four[3])
    assert world.line.show("@").id == four[3]
    assert not world.line.diff("@")


def test_what_was_pruned_comes_back_one_by_one(world: World, four: list[str]) -> None:
    world.store.prune(tb.Policy(keep_last=1))
    assert ids(world) == [four[0], four[3]]
    world.store.undrop(four[2])
    world.store.undrop(four[1])
    assert ids(world) == four
    assert [world.line.show(id).parent for id in four] == [None, *four[:3]]


def test_it_comes_back_while_its_packs_are_condemned_and_they_stay(world: World, four: list[str]) -> None:
    world.store.prune(tb.Policy(keep_last=1))
    with world.store.blobs.reader():
        assert world.store.maintain().waiting
        world.store.undrop(four[1])
        assert world.line.read(four[1], "own.bin") == noise(300_000, 1)
    world.store.maintain()
    assert world.store.verify(read_data=True).ok
    assert world.line.read(four[1], "own.bin") == noise(300_000, 1)
    with pytest.raises(tb.NotFound, match="maintenance"):
        world.store.undrop(four[2])


def test_after_the_sweep_it_says_so(world: World, four: list[str]) -> None:
    world.line.drop(four[1])
    assert world.store.maintain().removed
    before = ids(world)
    with pytest.raises(tb.NotFound, match="cannot come back"):
        world.store.undrop(four[1])
    assert ids(world) == before


def test_what_came_back_and_was_dropped_again_during_a_maintenance_stays_for_who_has_seen_it(
    world: World, four: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    world.line.drop(four[1])
    seen: list[Reader] = []

    def meanwhile(*arguments: Any) -> int:
        world.store.undrop(four[1])  # after it was found that nothing needs it
        condemned = condemn(*arguments)
        seen.append(world.store.blobs.reader())
        world.line.drop(four[1])
        return condemned

    with monkeypatch.context() as patch:
        patch.setattr(maintenance, "condemn", meanwhile)
        done = world.store.maintain()
    assert (done.condemned, done.removed, done.revived) == (1, 0, 1)
    with seen[0] as reader:
        assert reader.get(world.store.blobs.blob_id(noise(300_000, 1))) == noise(300_000, 1)
    assert world.store.maintain().removed == 1


@pytest.mark.parametrize("name", ["", "nonsense", "ffffffffffff", "\udcff", "%"])
def test_what_was_not_dropped_is_not_found(world: World, four: list[str], name: str) -> None:
    with pytest.raises(tb.NotFound):
        world.store.undrop(name)


def test_what_is_there_need_not_come_back(world: World, four: list[str]) -> None:
    with pytest.raises(tb.InvalidInput, match="not been dropped"):
        world.store.undrop(four[1])
    world.line.drop(four[1])
    world.store.undrop(four[1])
    with pytest.raises(tb.InvalidInput, match="not been dropped"):
        world.store.undrop(four[1])
