"""What cannot or should not be captured is listed, and whatever is restored later never deletes it."""

from __future__ import annotations

import os
import socket
import stat
from pathlib import Path

import pytest

import takeback as tb
from support.agent import MakeWorld, World
from support.captures import content, fill, left_out, saved
from support.privileges import as_ordinary_user
from support.trees import Dir, make_tree
from takeback.sources.trees import MAX_DEPTH


def _unreadable(base: Path, mode: int, kind: str) -> None:
    """As an ordinary person: an unreadable path is listed, and nothing that happens later deletes it."""
    world = World(base)
    fill(world, {"before": "1", "other": "o"})
    first = world.line.save()
    fill(world, {"new": "2", "locked/inside": "mine", "locked/deeper/inside": "mine too", "secret": "mine as well"})
    path = world.root / ("locked" if kind == "directory" else "secret")
    path.chmod(mode)
    try:
        second = world.line.save()
        reasons = left_out(second)
        held = content(world, second)
        if kind == "file":
            assert reasons == {"secret": "unreadable"}
            assert "secret" not in held and "locked/inside" in held
        elif mode & 0o400:  # its names can be read, and nothing else
            assert reasons == {"locked/inside": "unreadable", "locked/deeper": "unreadable"}
            assert set(held) == {"before", "other", "new", "secret", "locked"}
        else:
            assert reasons == {"locked": "unreadable"}
            assert set(held) == {"before", "other", "new", "secret"}
        assert world.line.save().id == second.id
        assert left_out(world.line.show("@")) == reasons
        world.line.restore(first)
        assert stat.S_IMODE(path.stat().st_mode) == mode
        world.line.restore(second)
        world.line.undo()
    finally:
        path.chmod(0o700)
    if kind == "directory":
        assert world.read("locked/inside") == b"mine"
        assert world.read("locked/deeper/inside") == b"mine too"
    else:
        assert world.read("secret") == b"mine as well"
    assert not world.store.verify(read_data=True).problems


@pytest.mark.parametrize("mode", [0o000, 0o300, 0o100, 0o444, 0o600])
def test_a_directory_that_may_not_be_read_is_listed_and_survives(tmp_path: Path, mode: int) -> None:
    as_ordinary_user(_unreadable, tmp_path, mode, "directory")


@pytest.mark.parametrize("mode", [0o000, 0o200])
def test_a_file_that_may_not_be_read_is_listed_and_survives(tmp_path: Path, mode: int) -> None:
    as_ordinary_user(_unreadable, tmp_path, mode, "file")


def _becomes_unreadable(base: Path) -> None:
    world = World(base)
    fill(world, {"file": "1", "directory/inside": "2"})
    first = world.line.save()
    tree = world.tree()
    for path in ("file", "directory"):
        world.chmod(path, 0o000)
    second = world.line.save()
    assert left_out(second) == {"file": "unreadable", "directory": "unreadable"}
    for path, mode in (("file", 0o644), ("directory", 0o755)):
        world.chmod(path, mode)
    assert content(world, world.line.save()) == content(world, first) == tree


def test_what_becomes_unreadable_is_listed_until_it_can_be_read_again(tmp_path: Path) -> None:
    as_ordinary_user(_becomes_unreadable, tmp_path)


def test_what_is_no_file_is_listed_and_survives(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(world, {"file": "1", "d": Dir()})
    first = world.line.save()
    monkeypatch.chdir(world.root)
    listening = socket.socket(socket.AF_UNIX)
    listening.bind("socket")
    os.mkfifo(world.root / "d/fifo")
    world.write("file", "2")
    kinds = {"socket": "socket", "d/fifo": "fifo"}
    if os.geteuid() == 0:
        os.mknod(world.root / "null", stat.S_IFCHR | 0o666, os.makedev(1, 3))
        os.mknod(world.root / "disk", stat.S_IFBLK | 0o600, os.makedev(7, 99))
        kinds |= {"null": "device", "disk": "device"}
    snapshot = world.line.save()
    listening.close()
    assert left_out(snapshot) == kinds
    assert set(content(world, snapshot)) == {"file", "d"}
    world.line.restore(first)
    for path in kinds:
        assert world.exists(path)
    assert world.read("file") == b"1"


def test_a_file_over_the_cap_is_listed_and_never_deleted(make_world: MakeWorld) -> None:
    world = make_world(max_file_size="1KiB")
    fill(world, {"small": "s" * 1024})
    first = world.line.save()
    fill(world, {"big": "b" * 1025, "small": "changed"})
    snapshot = world.line.save()
    assert left_out(snapshot) == {"big": "too large"}
    assert "1025" in snapshot.not_captured[0].detail and "1024" in snapshot.not_captured[0].detail
    assert set(content(world, snapshot)) == {"small"}
    world.restore(first)
    assert world.read("big") == b"b" * 1025


def test_what_was_captured_once_stays_captured(make_world: MakeWorld) -> None:
    world = make_world(max_file_size="1KiB")
    fill(world, {"grows": "g", "hidden": "h", "d/hidden": "dh", "d/other": "do"})
    saved(world)
    fill(world, {"grows": "g" * 5000, ".takebackignore": "hidden\nd/\n", "d/new": "not captured"})
    snapshot = world.line.save()
    expected = world.tree()
    del expected["d/new"]
    assert content(world, snapshot) == expected
    fill(world, {"grows": "G" * 6000, "hidden": "H", "d/hidden": "DH"})
    for _ in range(2):
        expected = world.tree()
        del expected["d/new"]
        assert content(world, world.line.save()) == expected
    # also for one who remembers nothing but the snapshot
    for file in (world.store_path / "derived").iterdir():
        file.unlink()
    assert content(world, world.reopened().line.save()) == expected
    # until it is gone: then the rules hold for it like for anything new
    for path in ("grows", "hidden", "d/hidden"):
        world.remove(path)
    assert set(content(world, world.line.save())) == {".takebackignore", "d", "d/other"}
    fill(world, {"grows": "g" * 5000, "hidden": "h", "d/hidden": "dh"})
    snapshot = world.line.save()
    assert set(content(world, snapshot)) == {".takebackignore", "d", "d/other"}
    assert left_out(snapshot) == {"grows": "too large"}


def test_what_lies_too_deep_is_listed(world: World) -> None:
    handle = os.open(world.root, os.O_RDONLY)
    for _ in range(MAX_DEPTH + 5):
        os.mkdir("d", dir_fd=handle)
        inner = os.open("d", os.O_RDONLY, dir_fd=handle)
        os.close(handle)
        handle = inner
    os.close(handle)
    world.write("/".join("d" * (MAX_DEPTH - 1)) + "/file", "as deep as can be")
    first = world.line.save()
    deepest = "/".join("d" * (MAX_DEPTH - 1))
    assert left_out(first) == {f"{deepest}/d": "too deep"}
    assert max(content(world, first), key=len) == f"{deepest}/file"
    assert world.line.save().id == first.id
    world.write(f"{deepest}/file", "changed")
    world.restore(first)
    assert world.read(f"{deepest}/file") == b"as deep as can be"
    assert world.exists("/".join("d" * (MAX_DEPTH + 5)))


def test_the_store_is_never_captured_wherever_it_lies(tmp_path: Path) -> None:
    root = tmp_path / "project"
    make_tree(root, {"file": "1", "tools/hammer": "h"})
    with tb.open(root / "tools" / "store") as store:
        line = store.timeline(sources=[tb.Workspace(root, include=["store", "tools/store/**"])])
        for number in range(3):
            (root / "file").write_text(str(number))
            line.save()
        assert [change.path for change in line.diff("root", "@").files] == ["file"]
        assert not line.diff()
        line.restore("root")
        assert (root / "file").read_text() == "0"
        assert not store.verify(read_data=True).problems


def test_a_directory_is_captured_where_the_store_was_before_it_moved(tmp_path: Path) -> None:
    root = tmp_path / "project"
    make_tree(root, {"file": "1"})
    with tb.open(root / "store") as store:
        store.timeline(sources=[tb.Workspace(root)]).save()
    (root / "store").rename(tmp_path / "store")
    make_tree(root, {"store/goods": "a shop, say"})
    with tb.open(tmp_path / "store") as store:
        line = store.timeline(sources=[tb.Workspace(root)])
        assert line.read(line.save(), "store/goods") == b"a shop, say"
