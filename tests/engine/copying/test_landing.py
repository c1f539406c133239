"""Where copied timelines stand: appended, beside what went on by itself, or elsewhere; never in between."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import takeback as tb
from support.agent import MakeWorld, World
from support.copies import history, line_of
from takeback.store.locks import root_lock


@pytest.fixture
def other(tmp_path: Path) -> Iterator[tb.Store]:
    with tb.open(tmp_path / "other") as store:
        yield store
        assert not store.verify(read_data=True).problems


def _save(world: World, text: str, store: tb.Store | None = None) -> str:
    """A snapshot in the world's own store, or in another one that has the same root."""
    world.write("a.txt", text)
    return (world.line if store is None else line_of(store, world.root)).save().id


def _ids(store: tb.Store, root: str, name: str = "main") -> list[str]:
    return [row.id for row in store.timeline(name, root=root).log().snapshots][::-1]


def test_what_is_behind_is_appended_and_what_is_ahead_is_left(world: World, other: tb.Store) -> None:
    first = _save(world, "1")
    world.store.push(other)
    second = _save(world, "2", other)
    assert world.store.push(other).snapshots == 0, "the target is ahead"
    assert _ids(other, world.line.root) == [first, second]
    pulled = world.store.pull(other)
    assert (pulled.snapshots, pulled.present, pulled.diverged) == (1, 1, False)
    assert history(world.store, world.line.root) == history(other, world.line.root)
    third = _save(world, "3")
    assert world.line.show(third).parent == second


def test_a_timeline_that_went_on_by_itself_is_left_alone(world: World, other: tb.Store) -> None:
    base = _save(world, "base")
    world.store.push(other)
    theirs = _save(world, "theirs", other)
    before = history(other, world.line.root)
    ours = [_save(world, "ours"), _save(world, "ours again")]
    copied = world.store.push(other)
    name = f"main@{world.store.blobs.id[:8]}"
    (landed,) = copied.timelines
    assert (landed.timeline, landed.from_timeline, landed.diverged, landed.present) == (name, "main", True, 1)
    assert _ids(other, world.line.root) == [base, theirs]
    assert history(other, world.line.root)[:4] == before[:4]
    assert _ids(other, world.line.root, name) == ours
    row = next(each for each in other.timelines() if each.name == name)
    assert row.fork_of == base and line_of(other, world.root, name).show(ours[0]).parent == base


def test_a_later_copy_goes_on_beside_it(world: World, other: tb.Store) -> None:
    _save(world, "base")
    world.store.push(other)
    _save(world, "theirs", other)
    ours = [_save(world, "ours")]
    world.store.push(other)
    ours.append(_save(world, "ours again"))
    copied = world.store.push(other)
    name = f"main@{world.store.blobs.id[:8]}"
    assert (copied.timelines[0].timeline, copied.diverged, copied.snapshots) == (name, False, 1)
    assert _ids(other, world.line.root, name) == ours
    assert len(other.timelines()) == 2
    world.write("a.txt", "on the copy")
    line_of(other, world.root, name).save()
    ours.append(_save(world, "and again"))
    world.store.push(other)
    assert _ids(other, world.line.root, f"{name}-2") == ours[-1:]


def test_timelines_with_nothing_in_common_stand_beside_each_other(make_world: MakeWorld, tmp_path: Path) -> None:
    one, two = make_world(), make_world()
    _save(one, "one")
    _save(two, "two")
    before = history(two.store, two.line.root)
    copied = one.store.push(two.store, root=two.root)
    name = f"main@{one.store.blobs.id[:8]}"
    assert (copied.timelines[0].root, copied.timelines[0].timeline) == (two.line.root, name)
    assert history(two.store, two.line.root) == before
    assert copied.diverged
    assert one.store.push(two.store, root=two.root).blobs == 0
    assert len(two.store.timelines()) == 2


def test_what_was_pruned_there_stays_so_and_is_named(world: World, other: tb.Store) -> None:
    ids = [_save(world, str(number)) for number in range(5)]
    world.store.push(other)
    other.prune(tb.Policy(keep_last=1))
    other.maintain()
    ids.append(_save(world, "more"))
    copied = world.store.push(other)
    (landed,) = copied.timelines
    assert landed.left_out == tuple(ids[1:4])
    assert (landed.present, landed.snapshots, landed.diverged) == (2, (ids[5],), False)
    assert _ids(other, world.line.root) == [ids[0], ids[4], ids[5]]


def test_a_snapshot_whose_parent_did_not_come_along_gets_the_one_before(world: World, other: tb.Store) -> None:
    ids = [_save(world, str(number)) for number in range(3)]
    world.store.push(other)
    line_of(other, world.root).drop(ids[2])
    ids.append(_save(world, "more"))
    copied = world.store.push(other)
    assert copied.timelines[0].snapshots == tuple(ids[2:]), "both come after what is there"
    assert line_of(other, world.root).show(ids[3]).parent == ids[2]


def test_several_roots_cannot_be_given_one(make_world: MakeWorld, tmp_path: Path) -> None:
    one = make_world()
    _save(one, "1")
    one.line.fork("@", "fork", to={"workspace": tmp_path / "fork"})
    one.store.export(tmp_path / "x")
    with tb.open(":memory:") as store:
        with pytest.raises(tb.InvalidInput, match="several roots") as caught:
            store.import_(tmp_path / "x", root=tmp_path)
        assert one.line.root in caught.value.hints[0]
        assert store.timelines() == []


def test_the_roots_lock_is_held_while_its_timeline_grows(
    world: World, other: tb.Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    _save(world, "1")
    world.store.push(other)
    _save(world, "2")
    monkeypatch.setattr("takeback.engine.dropping.root_lock", lambda root, *_: root_lock(root, 0.0))
    with root_lock(world.line.root), pytest.raises(tb.Locked):
        world.store.push(other)
    assert len(_ids(other, world.line.root)) == 1
    assert world.store.push(other).snapshots == 1


def test_a_snapshot_that_is_dropped_there_meanwhile_is_copied_again(
    world: World, other: tb.Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = [_save(world, str(number)) for number in range(3)]
    world.store.push(other)
    _save(world, "3")
    from takeback.engine.copying import operation

    moving = operation._transfer
    calls: list[int] = []

    def dropping(*arguments: object) -> None:
        if not calls:
            line_of(other, world.root).drop(ids[2])
            other.maintain()
        calls.append(1)
        moving(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(operation, "_transfer", dropping)
    world.store.push(other)
    assert len(calls) == 2
    assert _ids(other, world.line.root) == _ids(world.store, world.line.root)
    other.maintain()
    assert not other.verify(read_data=True).problems
