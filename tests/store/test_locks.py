from __future__ import annotations

import errno
import fcntl
import os
import signal
import stat
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from support.processes import finish, in_child, start
from takeback.errors import Cancelled, InvalidInput, Locked, NotFound
from takeback.store import locks, queueing
from takeback.store.locks import named_lock, root_lock


@contextmanager
def held_by_another_process(path: Path) -> Iterator[int]:
    ready, tell = os.pipe()

    def hold() -> None:
        with root_lock(str(path)):
            os.write(tell, b"x")
            signal.pause()

    pid, result = start(hold)
    os.read(ready, 1)
    try:
        yield pid
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        for fd in (ready, tell, result):
            os.close(fd)


def free(path: Path) -> bool:
    try:
        with root_lock(str(path), timeout=0):
            return True
    except Locked:
        return False


def test_a_lock_is_held_for_the_block_and_leaves_nothing(tmp_path: Path) -> None:
    before = tmp_path.stat().st_mtime_ns
    with root_lock(str(tmp_path)):
        assert not free(tmp_path)
    assert free(tmp_path)
    assert list(tmp_path.iterdir()) == [] and tmp_path.stat().st_mtime_ns == before


def test_a_lock_ends_with_an_error_too(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError), root_lock(str(tmp_path)):
        raise RuntimeError
    assert free(tmp_path)


def test_every_path_to_a_directory_is_the_same_lock(tmp_path: Path) -> None:
    (tmp_path / "root" / "sub").mkdir(parents=True)
    (tmp_path / "link").symlink_to("root")
    with root_lock(str(tmp_path / "link")):
        assert not free(tmp_path / "root")
        assert not free(tmp_path / "root" / "sub" / "..")
        assert free(tmp_path / "root" / "sub")


def test_the_message_names_the_process_that_holds_it(tmp_path: Path) -> None:
    with held_by_another_process(tmp_path) as pid:
        with pytest.raises(Locked) as caught, root_lock(str(tmp_path), timeout=0.05):
            pass
        assert f"process {pid} (" in caught.value.message and str(tmp_path) in caught.value.message
        assert "python" in caught.value.message
        assert any(f"kill {pid}" in hint for hint in caught.value.hints)


def test_a_killed_holder_leaves_no_lock(tmp_path: Path) -> None:
    with held_by_another_process(tmp_path):
        assert not free(tmp_path)
    assert free(tmp_path)


def test_who_waits_gets_it_when_it_is_free(tmp_path: Path) -> None:
    order: list[str] = []
    waiting = threading.Event()

    def second() -> None:
        waiting.set()
        with root_lock(str(tmp_path), timeout=30):
            order.append("second")

    thread = threading.Thread(target=second)
    with root_lock(str(tmp_path)):
        thread.start()
        waiting.wait()
        order.append("first")
    thread.join()
    assert order == ["first", "second"]


def test_threads_exclude_each_other(tmp_path: Path) -> None:
    inside = 0
    most = 0

    def work() -> None:
        nonlocal inside, most
        for _ in range(5):
            with root_lock(str(tmp_path), timeout=30):
                inside += 1
                most = max(most, inside)
                time.sleep(0)
                inside -= 1

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 1


def test_a_forked_child_does_not_hold_it_on(tmp_path: Path) -> None:
    ready, tell = os.pipe()

    def linger() -> None:
        os.write(tell, b"x")
        signal.pause()

    with root_lock(str(tmp_path)):
        pid, result = start(linger)
        os.read(ready, 1)
        assert in_child(lambda: free(tmp_path)) == (0, False)
    try:
        assert free(tmp_path)
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        for fd in (ready, tell, result):
            os.close(fd)


def test_a_child_that_outlives_its_parent_does_not_hold_the_lock_on(tmp_path: Path) -> None:
    ready, tell = os.pipe()

    def linger() -> None:
        os.write(tell, b"%d" % os.getpid())
        signal.pause()

    def hold_and_die() -> None:
        with root_lock(str(tmp_path)):
            start(linger)
            signal.pause()

    pid, result = start(hold_and_die)
    lingering = int(os.read(ready, 20))
    assert not free(tmp_path)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    try:
        assert free(tmp_path)
    finally:
        os.kill(lingering, signal.SIGKILL)
        for fd in (ready, tell, result):
            os.close(fd)


def test_a_child_that_leaves_the_block_does_not_free_the_parents_lock(tmp_path: Path) -> None:
    lock = root_lock(str(tmp_path))
    lock.__enter__()
    assert in_child(lambda: lock.__exit__(None, None, None))[0] == 0
    assert not free(tmp_path)
    lock.__exit__(None, None, None)
    assert free(tmp_path)


def test_what_is_no_directory_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(NotFound), root_lock(str(tmp_path / "none")):
        pass
    with pytest.raises(InvalidInput), root_lock(str(tmp_path / "file")):
        pass


def test_where_directories_cannot_be_locked_a_file_elsewhere_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "nfs").mkdir()
    (tmp_path / "tmp").mkdir()
    flock = fcntl.flock

    def as_on_nfs(fd: int, operation: int) -> None:
        if stat.S_ISDIR(os.fstat(fd).st_mode):
            raise OSError(errno.EBADF, "Bad file descriptor")
        flock(fd, operation)

    monkeypatch.setattr(fcntl, "flock", as_on_nfs)
    monkeypatch.setattr(locks, "_SHARED", str(tmp_path / "tmp"))
    with root_lock(str(tmp_path / "nfs")):
        assert not free(tmp_path / "nfs")
    assert free(tmp_path / "nfs")
    assert list((tmp_path / "nfs").iterdir()) == []


def test_where_nothing_can_be_locked_it_says_so_instead_of_going_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(fd: int, operation: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)
    monkeypatch.setattr(locks, "_SHARED", str(tmp_path))
    with pytest.raises(Exception, match="No locks available"), root_lock(str(tmp_path)):
        pytest.fail("went on without a lock")


def test_who_waits_for_long_is_told_for_whom(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locks, "_MOMENT", 0.05)
    told: list[str] = []
    with root_lock(str(tmp_path)), pytest.raises(Locked), root_lock(str(tmp_path), 0.3, told.append):
        pass
    (who,) = set(told)  # again and again, so that one who has enough can say so
    assert str(os.getpid()) in who or not sys.platform.startswith("linux")


def test_who_is_told_can_end_the_wait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locks, "_MOMENT", 0.0)
    told: list[str] = []

    def enough(who: str) -> None:
        told.append(who)
        if len(told) == 3:
            raise Cancelled("enough")

    with root_lock(str(tmp_path)), pytest.raises(Cancelled), root_lock(str(tmp_path), 60, enough):
        pass
    with root_lock(str(tmp_path), 0):
        pass


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lets those who wait be seen")
def test_whoever_takes_the_lock_again_and_again_does_not_keep_others_out(tmp_path: Path) -> None:
    """Without courtesy the loop below is through before the other one has looked a second time."""
    got_it = threading.Event()

    def wait() -> None:
        with root_lock(str(tmp_path)):
            got_it.set()

    other = threading.Thread(target=wait)
    look = os.open(tmp_path, os.O_RDONLY)
    with root_lock(str(tmp_path)):
        other.start()
        while not queueing.others_wait(look):
            time.sleep(0.001)
    os.close(look)
    for _ in range(300):
        if got_it.is_set():
            break
        with root_lock(str(tmp_path)):
            pass
    else:
        pytest.fail("it was pushed aside three hundred times")
    other.join()


# by name

NAMES = ["container", "", "/etc/passwd", "../..", "a b\n\0c", "\udcff\ud800", "name" * 5000]


def is_free(name: str) -> bool:
    try:
        with named_lock(name, timeout=0):
            return True
    except Locked:
        return False


@pytest.fixture
def shared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the files of names are, for this test."""
    (tmp_path / "shared").mkdir()
    monkeypatch.setattr(locks, "_SHARED", str(tmp_path / "shared"))
    return tmp_path / "shared"


@pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))
def test_a_name_of_any_kind_is_locked_for_the_block_and_leaves_nothing(name: str, shared: Path) -> None:
    with named_lock(name):
        assert not is_free(name) and not in_child(lambda: is_free(name))[1]
        assert is_free(name + "x") and is_free("other")
    assert is_free(name) and list(shared.iterdir()) == []


def test_a_killed_holder_leaves_no_lock_on_a_name(shared: Path) -> None:
    def hold_and_die() -> None:
        with named_lock("box"):
            os.kill(os.getpid(), signal.SIGKILL)

    assert in_child(hold_and_die)[0] == -signal.SIGKILL
    assert len(list(shared.iterdir())) == 1
    assert is_free("box") and list(shared.iterdir()) == []


def test_the_message_names_what_is_locked_and_who_holds_it(shared: Path) -> None:
    ready, tell = os.pipe()

    def hold() -> None:
        with named_lock("container box"):
            os.write(tell, b"x")
            signal.pause()

    pid, result = start(hold)
    os.read(ready, 1)
    said: list[str] = []
    with pytest.raises(Locked) as caught, named_lock("container box", timeout=1.2, waiting=said.append):
        pass
    assert "container box is in use" in caught.value.message and f"process {pid} (" in caught.value.message
    assert len(set(said)) == 1 and str(pid) in said[0]
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    for fd in (ready, tell, result):
        os.close(fd)


def test_many_who_come_and_go_never_hold_a_name_together(shared: Path) -> None:
    inside = shared.parent / "inside"

    def work() -> None:
        for _ in range(200):
            with named_lock("box", timeout=60):
                os.close(os.open(inside, os.O_CREAT | os.O_EXCL))
                os.unlink(inside)

    children = [start(work) for _ in range(4)]
    assert [finish(child)[0] for child in children] == [0] * 4
    assert list(shared.iterdir()) == []


def test_a_file_that_was_removed_while_somebody_waited_for_it_is_not_believed(shared: Path) -> None:
    waiting, got = threading.Event(), threading.Event()

    def second() -> None:
        with named_lock("box", timeout=30, waiting=lambda who: waiting.set()):
            got.set()
            assert not in_child(lambda: is_free("box"))[1]

    thread = threading.Thread(target=second)
    with named_lock("box"):
        thread.start()
        waiting.wait()
        (file,) = shared.iterdir()
        file.unlink()
        with named_lock("box"):
            pass
    thread.join()
    assert got.is_set()


def test_a_file_that_another_user_made_serves_everybody(shared: Path) -> None:
    with named_lock("box"):
        (file,) = shared.iterdir()
        assert stat.S_IMODE(file.stat().st_mode) == 0o644
    before = os.umask(0o077)
    try:
        with named_lock("box"):
            assert stat.S_IMODE(next(shared.iterdir()).stat().st_mode) == 0o644
    finally:
        os.umask(before)


def test_a_link_in_the_place_of_a_names_file_is_refused(shared: Path) -> None:
    with named_lock("box"):
        (file,) = shared.iterdir()
    (shared / "victim").write_text("x")
    file.symlink_to("victim")
    with pytest.raises(Exception, match="opening the lock file"), named_lock("box", timeout=0):
        pytest.fail("followed a link")
