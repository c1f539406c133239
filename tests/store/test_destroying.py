"""destroy: a whole store goes, and nothing else."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from support.faults.zygote import Zygote
from support.stores import noise, save
from support.template import Template
from takeback.errors import InvalidInput, Locked, NotFound, TakebackError
from takeback.store.blobstore import open_local
from takeback.store.destroying import destroy


def make(path: Path) -> Path:
    with open_local(path) as store:
        save(store, [noise(500_000), b"hot"])
    (path / "aside" / "earlier").mkdir(parents=True)
    (path / "aside" / "earlier" / "catalogue.db").write_bytes(b"old")
    return path


def test_nothing_is_left_of_a_store(tmp_path: Path) -> None:
    path = make(tmp_path / "store")
    done = destroy(str(path))
    assert done.files > 5 and done.bytes > 500_000 and not done.left
    assert os.listdir(tmp_path) == []
    with open_local(path) as store:
        save(store, [b"a new one can be made there"])


def test_what_does_not_belong_to_a_store_stays_and_is_named(tmp_path: Path) -> None:
    path = make(tmp_path / "store")
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "mine.txt").write_text("mine")
    (path / "notes.txt").write_text("mine")
    (path / "packs" / "README").write_text("mine")
    (path / "packs" / "link").symlink_to(outside)
    (path / "tmp" / "link").symlink_to(outside / "mine.txt")
    done = destroy(str(path))
    assert set(done.left) == {"notes.txt", "packs/README", "packs/link", "tmp/link"}
    assert sorted(str(each.relative_to(path)) for each in path.rglob("*")) == sorted({*done.left, "packs", "tmp"})
    assert (outside / "mine.txt").read_text() == "mine"


@pytest.mark.parametrize("names", [[], ["store.json"], ["a.txt", "packs"]])
def test_what_is_no_store_is_refused(tmp_path: Path, names: list[str]) -> None:
    for name in names:
        (tmp_path / name).write_text("mine")
    with pytest.raises(InvalidInput):
        destroy(str(tmp_path))
    assert sorted(os.listdir(tmp_path)) == sorted(names)


def test_a_link_to_a_store_is_refused(tmp_path: Path) -> None:
    path = make(tmp_path / "store")
    (tmp_path / "link").symlink_to(path)
    with pytest.raises(InvalidInput, match="link"):
        destroy(str(tmp_path / "link"))
    with pytest.raises(NotFound):
        destroy(str(tmp_path / "nowhere"))
    open_local(path, create=False).close()


def test_a_store_in_use_is_refused(tmp_path: Path) -> None:
    path = make(tmp_path / "store")
    with open_local(path) as store, store.reader() as reader:
        with pytest.raises(Locked):
            destroy(str(path))
        assert reader.get(store.blob_id(b"hot")) == b"hot"


def test_a_damaged_store_can_be_destroyed(tmp_path: Path) -> None:
    path = make(tmp_path / "store")
    (path / "catalogue.db").write_bytes(b"nonsense")
    (path / "store.json").unlink()
    destroy(str(path))
    assert not path.exists()


def test_killed_anywhere_it_is_whole_or_no_store_and_a_second_try_ends_it(zygote: Zygote, tmp_path: Path) -> None:
    path = make(tmp_path / "store")
    template = Template(tmp_path / "template", path)
    points = zygote.points(tmp_path, destroy, str(path))
    assert len(points) > 8
    for at in range(1, len(points) + 1):
        template.reset()
        assert zygote.killed(tmp_path, at, destroy, str(path))
        if path.exists() and os.listdir(path):
            if (path / "store.json").exists():
                with open_local(path, create=False) as store, store.reader() as reader:
                    assert reader.get(store.blob_id(b"hot")) == b"hot"
            else:
                with pytest.raises(TakebackError, match="interrupted"):
                    open_local(path)
            destroy(str(path))
            assert not path.exists()
