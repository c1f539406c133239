"""upkeep: when it is due, what it does, and that nothing goes that nobody said may go."""

from __future__ import annotations

import sys
import threading
import time
from pathlib import Path

import pytest

import takeback as tb
from support.agent import World
from support.stores import noise
from takeback.engine import background, due, upkeep
from takeback.engine.background import Background
from takeback.engine.due import DAY
from takeback.model.limits import Limits
from takeback.model.progress import Watch
from takeback.store import notices
from takeback.store.catalogue import counters
from takeback.store.collection import steps
from takeback.store.locks import root_lock
from takeback.store.space import Space

GIB = 1 << 30


def is_due(world: World, limits: Limits | None = None, trigger: str = "manual") -> str:
    return due.due(world.store.blobs, limits or Limits(), trigger)


def put(world: World, name: str, value: int) -> None:
    with world.store.blobs.database.write() as tx:
        counters.put(tx, name, value)


def save(world: World, count: int, size: int = 100) -> list[str]:
    ids = []
    for _ in range(count):
        world.write("a.bin", noise(size, time.monotonic_ns()))
        ids.append(world.line.save().id)
    return ids


def ids(world: World) -> list[str]:
    return [row.id for row in reversed(world.line.log().snapshots)]


def limits(**policy: object) -> Limits:
    return Limits(tb.Policy(**policy))  # type: ignore[arg-type]


# when


def test_a_young_store_needs_none(world: World) -> None:
    save(world, 5)
    assert is_due(world) == is_due(world, trigger="session_end") == ""


def test_many_hot_rows_are_due_and_one_that_can_never_go_does_not_make_them_many(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(due, "HOT_FRAMES", 10)
    save(world, 9)
    assert is_due(world) == ""
    save(world, 1)
    assert is_due(world) == "size"
    with pytest.raises(RuntimeError), world.store.blobs.database.write() as tx:
        tx.execute("DELETE FROM hot WHERE frame BETWEEN 2 AND 9")
        assert is_due(world) == "", "the first and the last are far from each other, and only two"
        raise RuntimeError("undo it")


def test_large_hot_rows_are_due(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(due, "HOT_BYTES", 200_000)
    monkeypatch.setattr(due, "_WEIGH_EVERY", 1)
    save(world, 1, 50_000)
    assert is_due(world) == ""
    save(world, 3, 50_000)
    assert is_due(world) == "size"


def test_the_end_of_a_session_is_a_good_moment(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(due, "SESSION_FRAMES", 3)
    save(world, 3)
    assert is_due(world) == ""
    assert is_due(world, trigger="session_end") == is_due(world, trigger="run_end") == "session"


def test_with_a_long_history_more_is_waited_for(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(due, "HOT_FRAMES", 10)
    monkeypatch.setattr(due, "LONG_HISTORY", 5)
    save(world, 15)
    assert is_due(world) == "", "15 snapshots are three times a long history: 30 hot rows are waited for"


def test_a_day_without_is_enough(world: World) -> None:
    save(world, 1)
    put(world, "maintained", time.time_ns() - DAY - 1)
    assert is_due(world) == "day"
    world.store.maintain()
    assert is_due(world) == ""


def test_it_is_asked_for_once_a_minute(world: World) -> None:
    save(world, 6)
    assert is_due(world, limits(keep_last=2)) == "count"
    put(world, "upkeep_asked", time.time_ns())
    assert is_due(world, limits(keep_last=2)) == ""


def test_limits_that_do_not_hold_are_due(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    save(world, 5, 300_000)
    assert is_due(world, limits(keep_last=4)) == "", "the first one always stays"
    assert is_due(world, limits(keep_last=3)) == "count"
    assert is_due(world, limits(max_age="1h")) == ""
    assert is_due(world, limits(max_age=0)) == "age"
    assert is_due(world, limits(max_bytes="1MiB")) == "bytes"
    assert is_due(world, limits(max_bytes="1GiB")) == ""
    monkeypatch.setattr(due, "space", lambda path: Space(GIB // 2, 100 * GIB))
    assert is_due(world, Limits(min_free=GIB)) == "space"
    assert is_due(world, Limits(min_free=GIB // 4)) == ""
    monkeypatch.setattr(due, "space", lambda path: Space(GIB // 2, 4 * GIB))
    assert is_due(world, Limits(min_free=GIB)) == "", "of a small disk a twentieth is enough"


def test_a_store_that_cannot_be_written_or_is_in_memory_needs_none(world: World, tmp_path: Path) -> None:
    save(world, 6)
    with tb.open(world.store_path, readonly=True) as store:
        assert due.due(store.blobs, limits(keep_last=1), "manual") == ""
    with tb.open(":memory:") as store:
        assert due.due(store.blobs, limits(keep_last=1), "manual") == ""


# what


def test_without_a_policy_nothing_goes_and_hot_rows_are_packed(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    before = save(world, 20, 20_000)
    for module in (due, upkeep):
        monkeypatch.setattr(module, "space", lambda path: Space(GIB // 2, 100 * GIB))
    done = world.store.upkeep(min_free="1GiB")
    assert ids(world) == before
    assert done.pruned is None and done.maintained is not None and done.maintained.folded >= 20
    assert "512.0 MiB free" in done.problem and any("prune" in hint for hint in done.hints)
    assert is_due(world, Limits(min_free=GIB)) == "", "not again for an hour, because it did not help"
    put(world, "upkeep_quiet", 0)
    assert is_due(world, Limits(min_free=GIB)) == "space"


def test_a_policy_is_applied_to_every_timeline(world: World, tmp_path: Path) -> None:
    before = save(world, 8)
    other = tmp_path / "other"
    other.mkdir()
    beside = world.store.timeline("main", sources=[tb.Workspace(other)])
    for number in range(6):
        (other / "a").write_text(str(number))
        beside.save()
    done = world.store.upkeep(tb.Policy(keep_last=2))
    assert done.pruned is not None and len(done.pruned.snapshots) == 5 + 3
    assert ids(world) == [before[0], *before[-2:]] and len(beside.log().snapshots) == 3
    assert done.problem == ""
    assert world.store.upkeep(tb.Policy(keep_last=2)).pruned is None, "nothing is beyond it any more"


def test_a_policy_of_a_root_lets_go_of_nothing_else(world: World, tmp_path: Path) -> None:
    before = save(world, 8)
    other = tmp_path / "other"
    other.mkdir()
    beside = world.store.timeline("main", sources=[tb.Workspace(other)])
    for number in range(6):
        (other / "a").write_text(str(number))
        beside.save()
    limits = Limits(tb.Policy(keep_last=5), 0, world.line.root, tb.Policy(keep_last=2))
    done = upkeep.keep_up(world.store.blobs, limits, Watch())
    assert done.pruned is not None and len(done.pruned.snapshots) == 5
    assert ids(world) == [before[0], *before[-2:]] and len(beside.log().snapshots) == 6
    assert upkeep.keep_up(world.store.blobs, limits._replace(policy=None), Watch()).pruned is None


def test_what_fits_once_it_is_packed_stays(world: World) -> None:
    text = "".join(f"line {number}\n" for number in range(4000))
    for number in range(30):
        world.write("a.txt", text + f"{number}\n")
        world.line.save()
    before = ids(world)
    hot = world.store.stats().store.hot_bytes
    done = world.store.upkeep(tb.Policy(max_bytes=hot // 3))
    assert ids(world) == before and done.pruned is None and done.problem == ""


def test_the_oldest_go_until_the_store_fits(world: World) -> None:
    before = save(world, 10, 300_000)
    done = world.store.upkeep(tb.Policy(max_bytes=1_300_000))
    assert ids(world) == [before[0], *before[-3:]]
    assert done.problem == "" and world.store.stats().store.packed_bytes < 1_300_000
    with pytest.raises(tb.NotFound):
        world.store.undrop(before[3])


def test_a_budget_that_cannot_be_kept_is_said(world: World) -> None:
    save(world, 3, 300_000)
    done = world.store.upkeep(tb.Policy(max_bytes=100_000))
    assert "max_bytes" in done.problem and done.hints
    assert is_due(world, limits(max_bytes=100_000)) == ""


def test_what_somebody_dropped_can_still_be_brought_back_afterwards(world: World) -> None:
    before = save(world, 4, 300_000)
    world.line.drop(before[1])
    world.store.upkeep()
    world.store.undrop(before[1])
    assert ids(world) == before
    world.line.drop(before[1])
    with world.store.blobs.database.write() as tx:
        tx.execute("UPDATE operations SET time_ns = time_ns - ? WHERE verb = 'drop'", (DAY,))
    world.store.upkeep()
    with pytest.raises(tb.NotFound):
        world.store.undrop(before[1])


def test_an_upkeep_beside_another_does_nothing(world: World) -> None:
    save(world, 5)
    with root_lock(str(world.store_path / "tmp")):
        assert world.store.upkeep(tb.Policy(keep_last=1)).busy
    assert len(ids(world)) == 5


def test_an_unfinished_purge_is_finished(world: World) -> None:
    world.write(".env", noise(100, "secret"))
    world.line.save()
    with world.store.blobs.reader():
        assert not world.line.purge(".env").gone
    done = world.store.upkeep()
    assert done.maintained is not None and not done.maintained.purging


@pytest.mark.parametrize("work", ["fold", "condemn", "prune"])
def test_others_save_between_the_steps_of_long_work(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, work: str
) -> None:
    before = save(world, 8, 40_000 if work == "fold" else 300_000)
    other = tmp_path / "other"
    other.mkdir()
    meanwhile: list[str] = []
    with tb.open(world.store_path) as second:
        beside = second.timeline("main", sources=[tb.Workspace(other)])

        sleep = time.sleep

        def pause(seconds: float) -> None:
            """Somebody else's whole save, where the work lets others in. Threads that a framework left behind just sleep."""
            if threading.current_thread() is not threading.main_thread():
                sleep(seconds)
                return
            (other / "file").write_bytes(noise(1000, len(meanwhile)))
            meanwhile.append(beside.save().id)

        if work == "condemn":
            world.store.maintain()
            world.store.prune(tb.Policy(keep_last=4))
            before = ids(world)
        with monkeypatch.context() as patch:
            patch.setattr(steps.paced, "__defaults__", (2,))
            patch.setattr("takeback.engine.retention._STEP", 2)
            patch.setattr("takeback.store.collection.steps.time.sleep", pause)
            if work == "prune":
                assert len(world.store.prune(tb.Policy(keep_last=2)).snapshots) == 5
                before = [before[0], *before[-2:]]
            else:
                world.store.maintain()
        assert len(meanwhile) >= 2
        assert [row.id for row in reversed(beside.log().snapshots)] == meanwhile
    assert ids(world) == before
    assert world.store.verify(read_data=True).ok
    assert world.store.maintain().waiting == 0
    assert world.line.read("@", "a.bin") == world.read("a.bin")


# in the background


@pytest.fixture
def automatic(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAKEBACK_UPKEEP", "auto")
    monkeypatch.setenv("TAKEBACK_KEEP_LAST", "2")
    monkeypatch.setattr(background, "_LOOK_EVERY", 0.0)
    monkeypatch.setattr(background, "_STARTED", [])


def test_here_keeps_its_store_up_and_a_store_that_was_opened_does_not(
    world: World, automatic: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    save(world, 6)
    assert background._STARTED == []
    monkeypatch.setenv("TAKEBACK_STORE", str(world.store_path))
    tb.here(world.root).save()
    (process,) = background._STARTED
    assert process.wait(60) == 0
    assert len(ids(world)) == 3
    world.write("a.bin", "more")
    tb.here(world.root).save()
    assert [process] == background._STARTED, "it was asked for less than a minute ago"


def test_what_goes_wrong_costs_no_save_and_is_noted(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    save(world, 5)
    Background(world.store.blobs, limits(keep_last=1))("manual")
    (notice,) = notices.read(world.store_path)
    assert notice.where == "upkeep" and "could not be started" in notice.message


def test_the_limits_are_looked_at_now_and_then(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[bool] = []
    monkeypatch.setattr(background, "due", lambda *_, look_at_limits: asked.append(look_at_limits))
    after_save = Background(world.store.blobs, limits(keep_last=1))
    for _ in range(3):
        after_save("manual")
    assert asked == [True, False, False]
