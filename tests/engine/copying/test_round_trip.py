"""What is copied arrives whole, and only what is missing moves."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

import takeback as tb
from support.agent import World, look
from support.copies import fill, history, line_of
from support.stores import noise
from takeback.sources import trees
from takeback.store.catalogue import snapshots


@pytest.fixture
def full(world: World) -> World:
    fill(world)
    return world


@pytest.fixture
def other(tmp_path: Path) -> Iterator[tb.Store]:
    with tb.open(tmp_path / "other") as store:
        yield store
        assert not store.verify(read_data=True).problems


def test_an_export_arrives_in_an_empty_store_as_it_was(full: World, other: tb.Store, tmp_path: Path) -> None:
    file = tmp_path / "x.takeback"
    exported = full.store.export(file, timeline=full.line)
    imported = other.import_(file)
    assert history(other, full.line.root) == history(full.store, full.line.root)
    count = len(full.line.log().snapshots)
    assert (exported.snapshots, imported.snapshots, imported.present, imported.diverged) == (count, count, 0, False)
    assert exported.blobs == imported.blobs and exported.moves == imported.moves == 6
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [each.name for each in tmp_path.glob("x.takeback*")] == ["x.takeback"]


def test_every_snapshot_can_be_restored_from_a_copy(full: World, other: tb.Store, tmp_path: Path) -> None:
    full.store.export(tmp_path / "x", timeline=full.line)
    other.import_(tmp_path / "x")
    for number, row in enumerate(full.line.log().snapshots):
        there, here = tmp_path / f"there{number}", tmp_path / f"here{number}"
        line_of(other, full.root).restore(row.id, to=there)
        full.line.restore(row.id, to=here)
        assert look(there) == look(here)


def test_undo_and_redo_go_on_in_another_directory(full: World, other: tb.Store, tmp_path: Path) -> None:
    full.store.export(tmp_path / "x", timeline=full.line)
    place = tmp_path / "elsewhere"
    place.mkdir()
    landed = other.import_(tmp_path / "x", root=place).timelines[0]
    assert (landed.root, landed.timeline, landed.from_root) == (str(place), "main", full.line.root)
    line = line_of(other, place)
    line.restore("@")
    assert look(place) == look(full.root)
    line.redo(full.move("last").undone_by)
    assert (place / "a.txt").read_text() == "three\n"
    line.undo(full.move("write").id)
    assert not (place / "new.txt").exists()


def test_the_second_time_nothing_moves_and_after_one_save_only_that(full: World, other: tb.Store) -> None:
    first = full.store.push(other)
    again = full.store.push(other)
    assert first.blobs > 20 and first.added > 3_000_000
    assert (again.blobs, again.bytes, again.added, again.snapshots, again.moves) == (0, 0, 0, 0, 0)
    assert again.present == first.snapshots
    full.turn("one more", {"a.txt": "four\n"})
    more = full.store.push(other)
    assert (more.snapshots, more.moves, more.blobs) == (1, 1, 4), "a manifest, a tree, a file, and when it changed"
    assert history(other, full.line.root) == history(full.store, full.line.root)


def test_a_large_file_that_grew_costs_what_it_grew_by(full: World, other: tb.Store) -> None:
    full.store.push(other)
    full.turn("append", {"large.bin": full.read("large.bin") + noise(1000, "tail")})
    assert full.store.push(other).added < 600_000, "the chunks around the end, of three million bytes"


def test_a_copy_of_a_copy_is_the_same(full: World, other: tb.Store, tmp_path: Path) -> None:
    full.store.export(tmp_path / "one", timeline=full.line)
    other.import_(tmp_path / "one")
    other.export(tmp_path / "two")
    with tb.open(":memory:") as third:
        third.import_(tmp_path / "two")
        assert history(third, full.line.root) == history(full.store, full.line.root)
        assert not third.verify(read_data=True).problems
        assert full.store.push(third).blobs == 0


def test_what_was_copied_back_finds_everything_there(full: World, other: tb.Store) -> None:
    before = history(full.store, full.line.root)
    full.store.push(other)
    back = full.store.pull(other)
    assert (back.blobs, back.snapshots, back.moves) == (0, 0, 0)
    assert history(full.store, full.line.root) == before


def test_a_store_that_can_only_be_read_can_be_copied(full: World, other: tb.Store) -> None:
    full.store.maintain()
    full.store.close()
    with tb.open(full.store_path, readonly=True) as origin:
        other.pull(origin)
    full.store = tb.open(full.store_path)
    assert history(other, full.line.root) == history(full.store, full.line.root)


def test_all_timelines_of_a_store_go_along(full: World, other: tb.Store, tmp_path: Path) -> None:
    fork = full.line.fork("good", "attempt", to={"workspace": tmp_path / "attempt"})
    copied = full.store.push(other)
    assert {each.timeline for each in copied.timelines} == {"main", "attempt"}
    assert history(other, fork.root, "attempt") == history(full.store, fork.root, "attempt")


def test_some_snapshots_go_along_as_if_the_others_had_been_dropped(
    full: World, other: tb.Store, tmp_path: Path
) -> None:
    rows = full.line.log().snapshots
    wanted = [rows[-1].id, rows[3].id, rows[0].id]
    full.store.export(tmp_path / "x", timeline=full.line, refs=[rows[0].id, "root", rows[3].id])
    other.import_(tmp_path / "x")
    before = history(full.store, full.line.root)
    for row in rows:
        if row.id not in wanted:
            full.line.drop(row.id)
    assert history(other, full.line.root) == history(full.store, full.line.root) != before
    assert [row.id for row in line_of(other, full.root).log().snapshots] == wanted[::-1]


def test_an_open_move_comes_along_once_it_has_ended(full: World, other: tb.Store) -> None:
    full.agent("s").start("in the middle")
    full.write("a.txt", "half\n")
    full.line.save(trigger="interval")
    full.store.push(other)
    assert "in the middle" not in [move.title for move in line_of(other, full.root).log().moves]
    full.agent("s").end()
    pushed = full.store.push(other)
    assert (pushed.snapshots, pushed.moves) == (0, 1)
    assert line_of(other, full.root).log().moves[0].title == "in the middle"


def test_what_was_undone_or_redone_since_is_so_in_the_copy(full: World, other: tb.Store) -> None:
    full.store.push(other)
    full.line.redo()
    full.store.push(other)
    assert history(other, full.line.root) == history(full.store, full.line.root)
    full.line.undo(full.move("write").id)
    full.store.push(other)
    assert history(other, full.line.root) == history(full.store, full.line.root)


def test_progress_is_told_and_a_copy_can_be_cancelled(
    full: World, other: tb.Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("takeback.model.progress.Watch.INTERVAL", 0)
    heard: list[tb.Progress] = []
    full.store.push(other, listener=heard.append)
    assert {event.phase for event in heard} == {"copy"} and heard[-1].total == len(full.line.log().snapshots)

    def cancel(event: tb.Progress) -> None:
        raise KeyboardInterrupt

    with tb.open(":memory:") as third:
        with pytest.raises(KeyboardInterrupt):
            full.store.push(third, listener=cancel)
        assert third.timelines() == []
        full.store.push(third)
        assert history(third, full.line.root) == history(full.store, full.line.root)


def test_an_export_writes_over_nothing_and_leaves_nothing_when_it_fails(full: World, tmp_path: Path) -> None:
    (tmp_path / "x").write_text("mine")
    with pytest.raises(tb.InvalidInput, match="already"):
        full.store.export(tmp_path / "x", timeline=full.line)
    with pytest.raises(tb.InvalidInput, match="does not exist"):
        full.store.export(tmp_path / "no" / "x", timeline=full.line)
    with pytest.raises(tb.NotFound):
        full.store.export(tmp_path / "y", timeline=full.line, refs=["nonsense"])
    with pytest.raises(tb.NotFound), tb.open(":memory:") as empty:
        empty.export(tmp_path / "y")
    assert (tmp_path / "x").read_text() == "mine"
    assert not list(tmp_path.glob("y*"))


def test_what_a_killed_export_left_is_written_over(full: World, other: tb.Store, tmp_path: Path) -> None:
    (tmp_path / "x.part").write_bytes(b"half of an export" * 1_000_000)
    full.store.export(tmp_path / "x")
    assert not (tmp_path / "x.part").exists()
    other.import_(tmp_path / "x")
    assert history(other, full.line.root) == history(full.store, full.line.root)


def test_only_one_export_at_a_time_writes_a_file(full: World, tmp_path: Path) -> None:
    import fcntl

    with (tmp_path / "x.part").open("wb") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        with pytest.raises(tb.Locked, match="somebody else"):
            full.store.export(tmp_path / "x")


def test_a_store_is_not_copied_into_itself(full: World) -> None:
    with tb.open(full.store_path) as same, pytest.raises(tb.InvalidInput, match="itself"):
        full.store.push(same)


def test_large_documents_and_names_come_through(world: World, other: tb.Store) -> None:
    for number in range(300):
        world.write(f"dir-{number % 7}/file-{number}-{'x' * 150}", f"{number}\n")
    os.chmod(world.root / "dir-3", 0o500)
    try:
        world.line.save()
        world.store.push(other)
    finally:
        os.chmod(world.root / "dir-3", 0o755)
    with other.blobs.database.read() as tx:
        assert len(snapshots.everywhere(tx)) == 1


@pytest.mark.parametrize("call", ["write", "fsync", "link"])
def test_an_export_that_the_disk_refuses_leaves_nothing(
    full: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    def refuse(*arguments: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, call, refuse)
    with pytest.raises(tb.Unavailable, match="disk is full"):
        full.store.export(tmp_path / "x")
    monkeypatch.undo()
    assert not list(tmp_path.glob("x*"))


def test_stores_that_cut_large_files_differently_agree(full: World, other: tb.Store) -> None:
    full.store.push(other)
    with full.store.blobs.reader() as here, other.blobs.reader() as there:
        tree = trees.load(here, full.line.show("root").parts["workspace"].content)
        id = tree["large.bin"].id
        assert here.recipe(id).chunks != there.recipe(id).chunks
        assert here.get(id) == there.get(id)
    back = full.store.pull(other)
    assert back.blobs == 0


def test_a_move_without_its_ends_does_not_hinder_a_copy(full: World, other: tb.Store) -> None:
    move = full.move("write")
    with full.store.blobs.database.write() as tx:
        tx.execute("UPDATE moves SET opening = ? WHERE id = ?", ("0" * 32, move.id))
    full.store.push(other)
    with full.store.blobs.database.write() as tx:
        tx.execute("UPDATE moves SET opening = ? WHERE id = ?", (move.opening, move.id))
    there = {move.id for move in line_of(other, full.root).log().moves}
    assert there == {move.id for move in full.line.log().moves if move.title != "write"}
