"""A team that changes while it is read is seen as it was at one instant, by the kernel's list and by looking twice."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import takeback as tb
from support.mounts import mounted
from takeback.sources.team import kernel, listening, settling, source
from takeback.sources.team.covered import Covered
from takeback.sources.team.ear import Deaf, Missed, There
from takeback.sources.team.eyes import Eyes
from takeback.sources.team.kernel import Kernel
from takeback.sources.team.layouts import CLAWTEAM
from takeback.sources.workspace.capture import Decides, Walk

Meddle = Callable[[int], None]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    data = tmp_path / "data"
    for place in ("teams/alpha/inboxes/bob", "teams/alpha/events", "tasks/alpha"):
        (data / place).mkdir(parents=True)
    (data / "teams/alpha/config.json").write_text('{"name": "alpha", "members": [{"name": "bob"}]}')
    for number in range(3):
        (data / f"tasks/alpha/task-{number}.json").write_text(json.dumps({"id": str(number), "n": 0}))
        (data / f"teams/alpha/inboxes/bob/msg-{number}.json").write_text("{}")
    return data


@pytest.fixture(params=[Kernel, Eyes])
def meddle(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Callable[[Meddle], None]:
    """Have something done to the team each time that somebody is about to ask what was touched: 0 is after the walk."""

    def with_(act: Meddle) -> None:
        asked = 0

        def touched(self: Kernel | Eyes, there: There) -> set[str]:
            nonlocal asked
            act(asked)
            asked += 1
            return original(self, there)

        original: Callable[[Kernel | Eyes, There], set[str]] = request.param.touched
        monkeypatch.setattr(request.param, "touched", touched)
        if request.param is Eyes:
            monkeypatch.setattr(kernel, "LOCAL", frozenset())

    return with_


@pytest.fixture
def line(data: Path, tmp_path: Path) -> Iterator[tb.Timeline]:
    store = tb.open(tmp_path / "store")
    yield store.timeline("alpha", sources=[tb.Team("alpha", data)])
    store.close()


def held(line: tb.Timeline, snapshot: tb.Snapshot) -> dict[str, bytes]:
    return {path: line.read(snapshot, path, "team") for path, at in line.files(snapshot, "", "team") if at.kind == "f"}


def on_disk(data: Path) -> dict[str, bytes]:
    files = (path for path in data.rglob("*") if path.is_file() and not path.name.endswith((".lock", ".tmp")))
    return {str(path.relative_to(data)): path.read_bytes() for path in files}


def replace(path: Path, text: str) -> None:
    path.with_suffix(".tmp").write_text(text)
    path.with_suffix(".tmp").replace(path)


def test_what_changes_after_it_was_read_is_read_again(
    data: Path, line: tb.Timeline, meddle: Callable[[Meddle], None]
) -> None:
    line.save()

    def act(round: int) -> None:
        if round < 3:
            replace(data / "tasks/alpha/task-1.json", json.dumps({"n": round}))
            (data / f"teams/alpha/inboxes/bob/msg-{round}.json").rename(
                data / f"teams/alpha/inboxes/bob/msg-{round}.consumed"
            )
            (data / f"teams/alpha/events/evt-{round}.json").write_text("{}")

    meddle(act)
    snapshot = line.save()
    assert held(line, snapshot) == on_disk(data)
    assert not snapshot.not_captured
    assert line.save().id == snapshot.id  # what is remembered of it is right


def test_directories_that_come_and_go_meanwhile_are_there_or_not(
    data: Path, line: tb.Timeline, meddle: Callable[[Meddle], None]
) -> None:
    def act(round: int) -> None:
        if round == 0:
            (data / "teams/alpha/inboxes/eve").mkdir()
            (data / "teams/alpha/inboxes/eve/msg-7.json").write_text("{}")
            (data / "sessions/alpha").mkdir(parents=True)
            (data / "sessions/alpha/eve.json").write_text("{}")
        if round == 1:
            (data / "teams/alpha/inboxes/eve/msg-8.json").write_text("{}")
            shutil.rmtree(data / "teams/alpha/inboxes/bob")
            (data / "teams/alpha/inboxes/bob").mkdir()

    meddle(act)
    snapshot = line.save()
    assert held(line, snapshot) == on_disk(data)
    assert "teams/alpha/inboxes/bob" in dict(line.files(snapshot, "", "team"))
    (data / "teams/alpha/inboxes/bob/msg-9.json").write_text("{}")
    assert held(line, line.save()) == on_disk(data)


def test_a_team_that_is_removed_meanwhile_is_gone(
    data: Path, line: tb.Timeline, meddle: Callable[[Meddle], None]
) -> None:
    first = line.save()

    def act(round: int) -> None:
        if round == 0:
            shutil.rmtree(data / "teams/alpha")
            shutil.rmtree(data / "tasks/alpha")

    meddle(act)
    assert held(line, line.save()) == {}
    line.restore(first)
    assert on_disk(data) == held(line, first)


def test_a_message_that_came_and_went_between_two_looks_is_not_there(
    data: Path, line: tb.Timeline, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither look of the slow way saw it; the walk in between did."""
    monkeypatch.setattr(kernel, "LOCAL", frozenset())
    passing = data / "teams/alpha/inboxes/bob/msg-5.json"

    class Meddling(Walk):
        def root(self, path: str, rules: Decides, previous: bytes | None) -> bytes:
            passing.write_text("{}")
            try:
                return super().root(path, rules, previous)
            finally:
                passing.unlink()

    monkeypatch.setattr(source, "Walk", Meddling)
    assert held(line, line.save()) == on_disk(data)


def test_a_file_that_is_being_written_is_waited_for_and_a_broken_one_is_not(
    data: Path, line: tb.Timeline, meddle: Callable[[Meddle], None]
) -> None:
    def act(round: int) -> None:
        if round == 0:
            (data / "costs/alpha").mkdir(parents=True)
            (data / "costs/alpha/summary.json").write_text('{"total')
            (data / "teams/alpha/inboxes/bob/msg-4.json").write_text("no json, and there is no more to come")
        if round == 5:
            (data / "costs/alpha/summary.json").write_text('{"total": 1}')

    meddle(act)
    snapshot = line.save()
    assert held(line, snapshot)["costs/alpha/summary.json"] == b'{"total": 1}'
    assert held(line, snapshot) == on_disk(data)
    assert not snapshot.not_captured


def test_what_never_holds_still_is_captured_as_it_was_seen_and_said(
    data: Path, line: tb.Timeline, meddle: Callable[[Meddle], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settling, "QUIET", 0.02)
    monkeypatch.setattr(settling, "PATIENCE", 0.1)
    meddle(lambda round: replace(data / "tasks/alpha/task-1.json", json.dumps({"n": round})))
    snapshot = line.save()
    assert [(item.path, item.reason, item.whole) for item in snapshot.not_captured] == [
        ("tasks/alpha/task-1.json", "unsettled", False)
    ]
    assert "tasks/alpha/task-1.json" in held(line, snapshot)


def test_what_others_touch_all_the_time_is_no_reason_to_wait_for_ever(
    data: Path, line: tb.Timeline, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beside mail that never rests nothing is ever quiet; but what is being read is."""
    monkeypatch.setattr(settling, "QUIET", 0.02)
    number = 0
    original = Kernel.touched

    def touched(self: Kernel, there: There) -> set[str]:
        nonlocal number
        number += 1
        (data / f"teams/alpha/events/evt-{number}.json").write_text("{}")
        return original(self, there)

    monkeypatch.setattr(Kernel, "touched", touched)
    snapshot = line.save()
    assert not snapshot.not_captured
    events = sorted(path for path in held(line, snapshot) if "/events/" in path)
    assert events == sorted(f"teams/alpha/events/evt-{each}.json" for each in range(1, len(events) + 1))


def test_more_than_the_kernel_can_tell_is_looked_at_again(
    data: Path, line: tb.Timeline, monkeypatch: pytest.MonkeyPatch
) -> None:
    missed = 0
    original = Kernel.touched

    def touched(self: Kernel, there: There) -> set[str]:
        nonlocal missed
        missed += 1
        if missed <= 2:
            replace(data / "tasks/alpha/task-1.json", json.dumps({"n": missed}))
            raise Missed
        return original(self, there)

    monkeypatch.setattr(Kernel, "touched", touched)
    assert held(line, line.save()) == on_disk(data)
    assert missed > 2


def test_where_no_watch_is_left_everything_is_looked_at_twice(
    data: Path, line: tb.Timeline, monkeypatch: pytest.MonkeyPatch
) -> None:
    def follow(self: Kernel, path: str) -> None:
        raise Deaf("no space left on device")

    monkeypatch.setattr(Kernel, "follow", follow)
    assert held(line, line.save()) == on_disk(data)


def test_links_and_special_files_are_never_followed(data: Path, line: tb.Timeline, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.json").write_text("{}")
    (data / "teams/alpha/inboxes/mallory").symlink_to(outside)
    os.mkfifo(data / "teams/alpha/inboxes/bob/msg-6.json")
    snapshot = line.save()
    assert not any("secret" in path for path in held(line, snapshot))
    assert dict(line.files(snapshot, "", "team"))["teams/alpha/inboxes/mallory"].kind == "l"
    assert [(item.path, item.reason) for item in snapshot.not_captured] == [
        ("teams/alpha/inboxes/bob/msg-6.json", "fifo")
    ]


def test_a_place_of_the_team_that_the_kernel_does_not_hear_of_is_looked_at(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard = kernel.file_system
    with mounted(data / "sessions", "-t", "tmpfs", "somewhere"):
        with listening.listening(str(data), Covered(CLAWTEAM, "alpha")) as ear:
            assert isinstance(ear, Kernel)
        monkeypatch.setattr(kernel, "file_system", lambda path: "nfs" if "sessions" in path else heard(path))
        with listening.listening(str(data), Covered(CLAWTEAM, "alpha")) as ear:
            assert isinstance(ear, Eyes)
