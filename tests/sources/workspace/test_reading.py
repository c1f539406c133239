"""One file, read as it was at one moment."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from support.agent import World
from support.captures import content, left_out
from takeback.model.ids import BlobKind
from takeback.sources.workspace.reading import SMALL, Changing, racy, store_file, store_link
from takeback.sources.workspace.statcache import RACY, Stat
from takeback.store.blobstore import open_memory
from takeback.store.writer import Writer

SECOND = 1_000_000_000


@pytest.fixture
def writer() -> Iterator[Writer]:
    with open_memory() as store, store.writer() as writer:
        yield writer


@pytest.fixture
def directory(tmp_path: Path) -> Iterator[int]:
    handle = os.open(tmp_path, os.O_RDONLY | os.O_DIRECTORY)
    yield handle
    os.close(handle)


def meddle(monkeypatch: pytest.MonkeyPatch, path: Path, times: int, act: Callable[[Path, int], object]) -> list[int]:
    """Let somebody do something to a file in the middle of each of the next reads of it; returns how often it was."""
    done: list[int] = []
    read = os.read

    def meddling(handle: int, length: int) -> bytes:
        data = read(handle, length)
        if data and len(done) < times and os.path.samestat(os.fstat(handle), path.stat()):
            done.append(len(done))
            act(path, len(done))
        return data

    monkeypatch.setattr(os, "read", meddling)
    return done


def rewrite(path: Path, number: int) -> None:
    """The same length and the same mtime, so that only the ctime tells."""
    status = path.stat()
    time.sleep(0.02)  # the kernel's clock moves on: what happens within one tick is the racy rule's affair
    with path.open("r+b") as file:
        file.write(b"%d" % number)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def append(path: Path, number: int) -> None:
    with path.open("ab") as file:
        file.write(b"more")


@pytest.mark.parametrize("size", [0, 1, 1000, SMALL, SMALL + 1, 3 * SMALL])
def test_a_file_is_stored_with_the_stat_that_belongs_to_it(
    tmp_path: Path, directory: int, writer: Writer, size: int
) -> None:
    path = tmp_path / "file"
    path.write_bytes(os.urandom(size))
    blob, seen = store_file(writer, "file", directory)
    status = path.stat()
    assert b"".join(writer.reader.stream(blob)) == path.read_bytes()
    assert (seen[0], seen[1], seen[3], seen[4]) == (
        status.st_mode,
        status.st_size,
        status.st_ctime_ns,
        status.st_ino,
    )
    assert seen[2] == RACY  # it was written a moment ago


@pytest.mark.parametrize("act", [rewrite, append])
@pytest.mark.parametrize("size", [100, 2 * SMALL])
@pytest.mark.parametrize("times", [1, 2])
def test_a_file_that_changes_while_it_is_read_is_read_again(
    tmp_path: Path,
    directory: int,
    writer: Writer,
    monkeypatch: pytest.MonkeyPatch,
    act: Callable[[Path, int], object],
    size: int,
    times: int,
) -> None:
    path = tmp_path / "file"
    path.write_bytes(os.urandom(size))
    done = meddle(monkeypatch, path, times, act)
    blob, seen = store_file(writer, "file", directory)
    assert len(done) == times
    assert b"".join(writer.reader.stream(blob)) == path.read_bytes()
    assert seen[1] == path.stat().st_size


@pytest.mark.parametrize("size", [100, 2 * SMALL])
def test_a_file_that_never_holds_still_is_given_up(
    tmp_path: Path, directory: int, writer: Writer, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    path = tmp_path / "file"
    path.write_bytes(os.urandom(size))
    meddle(monkeypatch, path, 10_000, append)
    with pytest.raises(Changing):
        store_file(writer, "file", directory)


def test_what_is_no_regular_file_any_more_is_not_waited_for(tmp_path: Path, directory: int, writer: Writer) -> None:
    os.mkfifo(tmp_path / "fifo")
    with pytest.raises(Changing):
        store_file(writer, "fifo", directory)


def test_a_link_is_not_followed(tmp_path: Path, directory: int, writer: Writer) -> None:
    (tmp_path / "target").write_text("behind the link")
    (tmp_path / "link").symlink_to("target")
    with pytest.raises(OSError, match="symbolic links"):
        store_file(writer, "link", directory)
    status = (tmp_path / "link").lstat()
    seen: Stat = (status.st_mode, status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
    blob, _ = store_link(writer, "link", directory, seen)
    assert writer.reader.get(blob, BlobKind.DATA) == b"target"


# the racy rule


@pytest.mark.parametrize(
    ("changed", "now", "safe"),
    [
        (10 * SECOND + 5, 10 * SECOND + 5, False),  # in this very tick
        (10 * SECOND + 5, 10 * SECOND + 10_000_000, False),  # one tick of a slow clock ago
        (10 * SECOND + 5, 10 * SECOND + 100_000_000, True),
        (10 * SECOND, 11 * SECOND, False),  # a filesystem that counts in (two) seconds
        (10 * SECOND, 13 * SECOND, True),
        (20 * SECOND + 5, 10 * SECOND, False),  # the clock went back
    ],
)
def test_a_stat_is_trusted_only_once_its_tick_is_over(changed: int, now: int, safe: bool) -> None:
    seen: Stat = (0o100644, 5, 7, changed, 99)
    remembered = racy(seen, now)
    assert (remembered == seen) is safe
    if not safe:
        assert remembered == (0o100644, 5, RACY, changed, 99)


@pytest.mark.parametrize("mtime", [0, -1, RACY // SECOND // 1000, 1_700_000_000_123_456_789])
def test_no_edit_of_the_same_size_is_missed_however_quickly_it_follows(tmp_path: Path, mtime: int) -> None:
    world = World(tmp_path)
    path = world.root / "file"
    path.write_bytes(b"%08d" % 0)
    for number in range(1, 41):
        world.line.save()
        with path.open("r+b") as file:
            file.write(b"%08d" % number)
        os.utime(path, ns=(mtime, mtime))
        assert world.line.read(world.line.save(), "file") == b"%08d" % number


def test_no_link_pointed_elsewhere_is_missed_however_quickly_it_follows(tmp_path: Path) -> None:
    world = World(tmp_path)
    for number in range(1, 31):
        world.link("link", f"{number:04d}")
        assert content(world, world.line.save())["link"].data == b"%04d" % number


def test_an_unchanged_file_is_not_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(tmp_path)
    world.write("file", "text")
    os.utime(world.root / "file", (0, 0))  # or it is compared, because it was written lately
    while time.clock_gettime_ns(time.CLOCK_REALTIME) - (world.root / "file").stat().st_ctime_ns < SECOND // 10:
        pass
    world.line.save()
    done = meddle(monkeypatch, world.root / "file", 100, lambda path, number: None)
    world.line.save()
    assert done == []
    world.chmod("file", 0o600)
    world.line.save()
    assert done == [0]


def test_a_file_that_changes_each_time_is_listed_as_changing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(tmp_path)
    world.write("log", "line\n")
    world.write("other", "other")
    with monkeypatch.context() as patch:
        meddle(patch, world.root / "log", 10_000, append)
        snapshot = world.line.save()
    assert left_out(snapshot) == {"log": "changing"}
    assert set(content(world, snapshot)) == {"other"}
    snapshot = world.line.save()
    assert left_out(snapshot) == {}
    assert content(world, snapshot) == world.tree()
