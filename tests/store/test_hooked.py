"""What hooks remember of sessions survives whatever stands in the files, and one event of a session follows the other."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

import takeback as tb
from support.processes import at_once
from takeback.store import hooked
from takeback.store.hooked import LastRun, Remembered

KNOWN = Remembered("/project", in_turn=True, prompt="fix the test")


def test_sessions_are_remembered_by_agent_and_id(tmp_path: Path) -> None:
    store = str(tmp_path)
    assert hooked.recall(store, "codex", "s") is None
    hooked.remember(store, "codex", "s", KNOWN)
    assert hooked.recall(store, "codex", "s") == KNOWN
    assert hooked.recall(store, "codex", "t") is hooked.recall(store, "opencode", "s") is None
    odd = Remembered("/p\udcff", on=False, prompt="é\ud800\0")
    hooked.remember(store, "codex", "../../s\0\udcff", odd)
    assert hooked.recall(store, "codex", "../../s\0\udcff") == odd
    assert {path.name for path in tmp_path.iterdir()} == {hooked.DIRECTORY}


def test_the_last_run_of_each_agent_is_known(tmp_path: Path) -> None:
    store = str(tmp_path)
    assert hooked.last(store, "codex") is None
    hooked.ran(store, "codex", "s", "/project", "Stop")
    hooked.ran(store, "opencode", "t", "/other", "idle")
    found = hooked.last(store, "codex")
    assert found is not None and found[1:] == LastRun(0, "s", "/project", "Stop")[1:]
    assert abs(found.time_ns - time.time_ns()) < 600 * 10**9


@pytest.mark.parametrize(
    "data", [b"", b"{", b"[]", b"null", b'{"root": 1}', b"\xff", b"[" * 50_000, b'{"time_ns": 1e999}']
)
def test_a_torn_file_counts_as_absent(data: bytes, tmp_path: Path) -> None:
    store = str(tmp_path)
    hooked.remember(store, "codex", "s", KNOWN)
    hooked.ran(store, "codex", "s", "/project", "Stop")
    for file in (tmp_path / hooked.DIRECTORY).rglob("*"):
        if file.is_file():
            file.write_bytes(data)
    assert hooked.recall(store, "codex", "s") is None
    assert hooked.last(store, "codex") is None


def test_where_nothing_can_be_written_nothing_is_remembered_and_nothing_fails(tmp_path: Path) -> None:
    (tmp_path / hooked.DIRECTORY).write_text("in the way")
    store = str(tmp_path)
    hooked.remember(store, "codex", "s", KNOWN)
    hooked.ran(store, "codex", "s", "/project", "Stop")
    hooked.forget_old(store)
    with hooked.alone(store, "codex", "s"):
        assert hooked.recall(store, "codex", "s") is None


def test_old_sessions_and_halves_are_forgotten_and_others_are_not(tmp_path: Path) -> None:
    store = str(tmp_path)
    sessions = tmp_path / hooked.DIRECTORY / hooked.SESSIONS
    hooked.remember(store, "codex", "old", KNOWN)
    (sessions / "something.half-0123").write_text("{")
    long_ago = time.time() - 40 * 86400
    for file in sessions.iterdir():
        os.utime(file, (long_ago, long_ago))
    hooked.remember(store, "codex", "new", KNOWN)
    hooked.ran(store, "codex", "new", "/project", "Stop")
    hooked.forget_old(store)
    assert hooked.recall(store, "codex", "old") is None
    assert hooked.recall(store, "codex", "new") == KNOWN
    assert len(list(sessions.iterdir())) == 1
    assert hooked.last(store, "codex") is not None


def test_what_must_not_be_remembered_goes_also_where_it_is_half_written(tmp_path: Path) -> None:
    store = str(tmp_path)
    sessions = tmp_path / hooked.DIRECTORY / hooked.SESSIONS
    hooked.remember(store, "codex", "s", KNOWN)
    hooked.remember(store, "codex", "t", Remembered("/project", prompt="the password is hunter2"))
    (sessions / "x.half-0123").write_text('{"prompt": "the password is hun')
    hooked.forget_what(store, lambda text: "hunter2" in text)
    assert hooked.recall(store, "codex", "t") is None
    assert hooked.recall(store, "codex", "s") == KNOWN
    assert not any("hun" in file.read_text() for file in sessions.iterdir())


def test_events_of_a_session_come_one_after_the_other(tmp_path: Path) -> None:
    store, log = str(tmp_path), tmp_path / "log"
    log.touch()

    def work() -> None:
        for _ in range(20):
            with hooked.alone(store, "codex", "s"), log.open("a") as file:
                for word in ("begin", "end"):
                    file.write(f"{word}\n")
                    file.flush()

    at_once([work] * 4)
    assert log.read_text() == "begin\nend\n" * 80


def test_who_waits_too_long_for_an_earlier_event_says_so(tmp_path: Path) -> None:
    store = str(tmp_path)
    with hooked.alone(store, "codex", "s"):
        with hooked.alone(store, "codex", "another"):
            pass
        with (
            pytest.raises(tb.Locked, match="an earlier one of its session") as caught,
            hooked.alone(store, "codex", "s", 0),
        ):
            pass
        assert caught.value.hints
    with hooked.alone(store, "codex", "s", 0):
        pass
