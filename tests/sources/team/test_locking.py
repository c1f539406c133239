"""A team's own locks: whoever holds one is waited for, and what is locked is the file that the framework locks."""

from __future__ import annotations

import fcntl
import os
import threading
from pathlib import Path

import pytest

import takeback as tb
from takeback.sources.team import locking
from takeback.sources.team.layouts import CLAWTEAM
from takeback.sources.team.locking import locked


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "tasks/alpha").mkdir(parents=True)
    return tmp_path / "tasks/alpha/.tasks.lock"


def is_locked(place: Path) -> bool:
    with place.open("a+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def test_the_lock_is_made_where_its_directory_is_and_let_go(place: Path, tmp_path: Path) -> None:
    with locked(str(tmp_path), CLAWTEAM, "alpha"):
        assert is_locked(place)
    assert not is_locked(place)


def test_a_team_that_is_not_there_has_no_locks(tmp_path: Path) -> None:
    with locked(str(tmp_path), CLAWTEAM, "alpha"):
        pass
    assert not list(tmp_path.iterdir())


def test_who_holds_it_is_waited_for(place: Path, tmp_path: Path) -> None:
    holder = place.open("a+")
    fcntl.flock(holder, fcntl.LOCK_EX)
    entered = threading.Event()

    def enter() -> None:
        with locked(str(tmp_path), CLAWTEAM, "alpha"):
            entered.set()

    waiting = threading.Thread(target=enter)
    waiting.start()
    assert not entered.wait(0.1)
    holder.close()
    waiting.join(30)
    assert entered.is_set()


def test_after_a_while_it_is_said_who_is_in_the_way_and_a_late_lock_is_let_go(place: Path, tmp_path: Path) -> None:
    with place.open("a+") as holder:
        fcntl.flock(holder, fcntl.LOCK_EX)
        before = set(threading.enumerate())
        with (
            pytest.raises(tb.Locked, match=r"tasks\.lock has been locked"),
            locked(str(tmp_path), CLAWTEAM, "alpha", 0.1),
        ):
            pytest.fail("somebody else holds it")
        waiting = set(threading.enumerate()) - before
    for thread in waiting:
        thread.join(30)
    assert not is_locked(place)


def test_a_lock_that_was_replaced_meanwhile_is_not_the_one(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = locking._lock

    def lock(handle: int, until: float) -> bool:
        monkeypatch.setattr(locking, "_lock", original)
        place.unlink()
        place.touch()
        return original(handle, until)

    monkeypatch.setattr(locking, "_lock", lock)
    with locked(str(tmp_path), CLAWTEAM, "alpha"):
        assert is_locked(place)


def test_a_lock_that_is_a_link_is_left_alone(place: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    place.symlink_to(outside)
    with locked(str(tmp_path), CLAWTEAM, "alpha"):
        assert not outside.exists()


def test_a_link_on_the_way_to_a_lock_is_not_followed(place: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    place.parent.rmdir()
    place.parent.symlink_to(outside)
    with locked(str(tmp_path), CLAWTEAM, "alpha"):
        assert not list(outside.iterdir())


def test_who_may_only_read_it_can_lock_it(place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place.touch()
    original = os.open

    def read_only(path: bytes, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        if flags & os.O_RDWR:
            raise PermissionError(13, "Permission denied")
        return original(path, flags, mode, dir_fd=dir_fd)

    monkeypatch.setattr(os, "open", read_only)
    with locked(str(tmp_path), CLAWTEAM, "alpha"):
        monkeypatch.undo()
        assert is_locked(place)
