"""A directory of thousands of files: its tree is stored in pieces, so one more file costs little, and nothing else differs."""

from __future__ import annotations

from pathlib import Path

import pytest

import takeback as tb
from support.stores import pack_files
from takeback.engine.repair import repair

FILES = 12_000


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "project" / "many"
    root.mkdir(parents=True)
    for number in range(FILES):
        (root / f"event-{number:06}.json").write_text(f"{number}\n")
    return root


def stored(path: Path) -> int:
    return sum(each.stat().st_size for each in pack_files(path))


def test_one_more_file_costs_little_and_all_that_walks_trees_still_does(root: Path, tmp_path: Path) -> None:
    store = tb.open(tmp_path / "store")
    line = store.timeline(sources=[tb.Workspace(root.parent)])
    first = line.save("first")
    store.maintain()
    whole = stored(tmp_path / "store")
    (root / "event-003000x.json").write_text("new\n")
    second = line.save("second")
    store.maintain()
    assert stored(tmp_path / "store") - whole < whole / 3  # all names and ids again would be most of it

    assert store.verify(read_data=True).ok
    (root / "event-000001.json").unlink()
    line.restore(second)
    line.restore(first)
    assert sorted(each.name for each in root.iterdir()) == [f"event-{number:06}.json" for number in range(FILES)]
    assert [change.path for change in line.diff(first, second).files] == ["many/event-003000x.json"]

    store.export(tmp_path / "all.takeback")
    other = tb.open(tmp_path / "other")
    other.import_(tmp_path / "all.takeback")
    copied = other.timeline(sources=[tb.Workspace(root.parent)])
    copied.restore(second.id, to={"workspace": tmp_path / "elsewhere"})
    assert (tmp_path / "elsewhere" / "many" / "event-003000x.json").read_text() == "new\n"
    other.close()

    line.drop(second)
    store.maintain()
    assert store.verify(read_data=True).ok


def test_a_lost_catalogue_is_made_again_with_its_pieces(root: Path, tmp_path: Path) -> None:
    with_packs = tmp_path / "store"
    store = tb.open(with_packs)
    line = store.timeline(sources=[tb.Workspace(root.parent)])
    first = line.save("first")
    store.maintain()
    store.close()
    for suffix in ("", "-wal", "-shm"):
        (with_packs / f"catalogue.db{suffix}").unlink(missing_ok=True)
    repair(with_packs, apply=True)

    again = tb.open(with_packs).timeline(sources=[tb.Workspace(root.parent)])
    (root / "event-000007.json").write_text("broken\n")
    again.restore(first.id)
    assert (root / "event-000007.json").read_text() == "7\n"
