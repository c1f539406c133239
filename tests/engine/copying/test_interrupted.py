"""A copy that is killed anywhere is there wholly or not at all, the next one goes on, and a maintenance beside it harms
nothing."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import takeback as tb
from support import campaigns
from support.agent import World, look
from support.copies import history, line_of
from support.counts import Tell
from support.faults.zygote import Zygote
from support.processes import KILLED, in_child
from support.stores import make_pack_directories, noise, pack_files
from support.template import Template
from takeback.engine.copying import exchange, transfer

BATCH = 400_000


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transfer, "BATCH_BYTES", BATCH)


@pytest.fixture
def full(world: World) -> World:
    """Three snapshots of some large and small files: several batches."""
    for number in range(3):
        world.write(f"large-{number}", noise(1_200_000, number))
        world.write(f"small-{number}", noise(300_000, (number, "small")))
        world.line.save(f"number {number}")
    return world


def _check(target: tb.Store, full: World) -> bool:
    """Whether the copy is there; nothing of it is otherwise."""
    assert not target.verify(read_data=True).problems
    if not target.timelines():
        with target.blobs.database.read() as tx:
            for table in ("snapshots", "labels", "pins", "moves", "takes", "operations"):
                assert tx.execute(f"SELECT count(*) FROM {table}") == [(0,)], table
        return False
    assert history(target, full.line.root) == history(full.store, full.line.root)
    return True


def import_(place: Path, file: Path) -> None:
    transfer.BATCH_BYTES = BATCH
    with tb.open(place) as store:
        store.import_(file)


def export(place: Path, file: Path) -> None:
    with tb.open(place) as store:
        store.export(file)


@pytest.mark.campaign("import-killed")
@pytest.mark.usefixtures("small_batches")
def test_an_import_that_was_killed_anywhere_goes_on_where_it_was(
    zygote: Zygote, full: World, memory_path: Path, record_property: Tell
) -> None:
    file, place = memory_path / "x.takeback", memory_path / "target"
    whole = full.store.export(file)
    tb.open(place).close()
    make_pack_directories(place)
    template = Template(memory_path / "template", place)
    points = zygote.points(place, import_, place, file)
    assert len(points) > 40
    done = 0
    moved: list[int] = []
    # Random ids make a run some writes longer or shorter, so the last is one that comes to its end.
    chosen = [*campaigns.pick(range(1, len(points) + 1), 8), len(points) + 100]
    for at in chosen:
        template.reset()
        zygote.killed(place, at, import_, place, file)
        with tb.open(place) as store:
            done += _check(store, full)
            again = store.import_(file)
            moved.append(again.blobs)
            assert _check(store, full)
            store.maintain()
            assert _check(store, full)
            assert not list((place / "tmp").iterdir())
    assert done >= 1
    assert moved[0] == whole.blobs and moved[-1] == 0
    assert len(set(moved)) >= 4, "each batch that was committed was kept"
    assert moved == sorted(moved, reverse=True)
    campaigns.count_runs(record_property, len(chosen))


@pytest.mark.campaign("export-killed")
def test_an_export_that_was_killed_anywhere_is_whole_or_not_there(
    zygote: Zygote, full: World, memory_path: Path, record_property: Tell
) -> None:
    out = memory_path / "out"
    out.mkdir()
    file = out / "x.takeback"
    before = history(full.store, full.line.root)
    points = zygote.points(out, export, full.store_path, file)
    assert len(points) > 5
    chosen = campaigns.pick(range(1, len(points) + 1), 6)
    for at in chosen:
        file.unlink(missing_ok=True)
        zygote.killed(out, at, export, full.store_path, file)
        if file.exists():
            with tb.open(":memory:") as store:
                store.import_(file)
                assert _check(store, full)
    file.unlink(missing_ok=True)
    zygote.do(export, full.store_path, file)
    assert os.listdir(out) == [file.name]
    assert history(full.store, full.line.root) == before
    campaigns.count_runs(record_property, len(chosen))


def test_an_export_that_was_killed_just_after_it_got_its_name_is_never_written_over(
    full: World, tmp_path: Path
) -> None:
    full.store.export(tmp_path / "x")
    os.link(tmp_path / "x", tmp_path / "x.part")
    (tmp_path / "x").rename(tmp_path / "kept")
    kept = (tmp_path / "kept").read_bytes()
    full.store.export(tmp_path / "x")
    assert (tmp_path / "kept").read_bytes() == kept
    assert not (tmp_path / "x.part").exists()


def _between_batches(monkeypatch: pytest.MonkeyPatch, act: Callable[[], object]) -> list[Any]:
    """Have something done after each batch of the next copies; returns what that gave."""
    put = transfer.Transfer._put
    done: list[Any] = []

    def putting(self: transfer.Transfer, item: Any) -> None:
        put(self, item)
        if self._waiting_blobs == 0:
            done.append(None)
            done[-1] = act()

    monkeypatch.setattr(transfer.Transfer, "_put", putting)
    return done


@pytest.mark.usefixtures("small_batches")
@pytest.mark.parametrize("kind", ["local", "memory"])
def test_maintenance_between_batches_takes_nothing_away(
    full: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    with tb.open(tmp_path / "target" if kind == "local" else ":memory:") as target:
        batches = _between_batches(monkeypatch, target.maintain)
        full.store.push(target)
        assert len(batches) >= 3 and any(each.condemned for each in batches), "or else it proves nothing"
        assert not any(each.removed for each in batches)
        assert _check(target, full)
        for _ in range(3):
            target.maintain()
            assert _check(target, full)
        assert target.stats().store.condemned_packs == 0


@pytest.mark.usefixtures("small_batches")
def test_maintenance_by_other_processes_all_the_time(
    full: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "target"
    with tb.open(place) as target:
        batches = _between_batches(monkeypatch, lambda: in_child(lambda: tb.open(place).maintain().condemned))
        full.store.push(target)
        assert [code for code, _ in batches] == [0] * len(batches)
        assert sum(condemned for _, condemned in batches) > 0
        assert in_child(lambda: tb.open(place).maintain().busy) == (0, False)
        assert _check(target, full)


@pytest.mark.usefixtures("small_batches")
def test_what_a_killed_copy_left_is_swept_and_put_again(
    full: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "target"
    with tb.open(place) as target:

        def die() -> None:
            if len(batches) == 3:
                raise KeyboardInterrupt

        batches = _between_batches(monkeypatch, die)
        with pytest.raises(KeyboardInterrupt):
            full.store.push(target)
        assert pack_files(place)
        target.maintain()
        target.maintain()
        assert sum(file.stat().st_size for file in pack_files(place)) < 10_000, "only the history is needed"
        full.store.push(target)
        assert _check(target, full)


@pytest.mark.usefixtures("small_batches")
def test_what_was_condemned_before_a_copy_began_is_put_again(full: World, tmp_path: Path) -> None:
    """A dropped snapshot's packs are condemned while a reader holds them; the copy must not rely on them."""
    with tb.open(tmp_path / "target") as target:
        full.store.push(target)
        line = target.timeline(root=full.line.root)
        with target.blobs.reader():
            for row in line.log().snapshots:
                line.drop(row.id)
            target.maintain()
            assert target.stats().store.condemned_packs
            copied = full.store.push(target)
            assert copied.snapshots == 3 and copied.blobs > 6
            assert not target.verify(read_data=True).problems
        target.maintain()
        target.maintain()
        assert not target.verify(read_data=True).problems
        assert [row.id for row in line.log().snapshots] == [row.id for row in full.line.log().snapshots]
        assert target.stats().store.condemned_packs == 0


def test_what_is_dropped_from_the_origin_meanwhile_is_still_copied(
    full: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    should = history(full.store, full.line.root)
    choose = exchange.choose

    def dropping(*arguments: Any) -> Any:
        lines = choose(*arguments)
        for row in full.line.log().snapshots:
            full.line.drop(row.id)
        for _ in range(3):
            full.store.maintain()
        return lines

    monkeypatch.setattr(exchange, "choose", dropping)
    with tb.open(tmp_path / "target") as target:
        full.store.push(target)
        assert history(target, full.line.root) == should
        assert not target.verify(read_data=True).problems
    full.store.maintain()
    assert not list(full.line.log().snapshots)


def test_a_killed_restore_of_a_copied_timeline_is_finished_though_its_snapshots_were_made_elsewhere(
    full: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "elsewhere"
    full.line.restore("@", to=place)
    with tb.open(tmp_path / "target") as target:
        full.store.push(target, root=place)
    before = look(full.root)

    def work() -> None:
        with tb.open(tmp_path / "target") as store:
            line = line_of(store, place)
            monkeypatch.setattr("takeback.engine.apply.conclude", lambda *_: os.kill(os.getpid(), signal.SIGKILL))
            line.restore("number 0")

    assert in_child(work)[0] == KILLED
    with tb.open(tmp_path / "target") as target:
        line = line_of(target, place)
        assert line.interrupted() is not None
        line.save()
        assert line.interrupted() is None
        line.restore("number 0", to=tmp_path / "should")
        assert look(place) == look(tmp_path / "should") != before
        line.undo()
        assert look(place) == before
