"""What of a data directory is a team's: what is said where no walk goes, whose names are no reason to leave anything out."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import takeback as tb


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Two teams."""
    place = (tmp_path / "data").resolve()
    for team in ("alpha", "beta"):
        for path in ("teams/{}/config.json", "tasks/{}/task-1.json", "teams/{}/inboxes/ada/msg-1.json"):
            file = place / path.format(team)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text("{}")
        (place / "costs" / team).mkdir(parents=True)
    return place


@pytest.fixture
def store(tmp_path: Path) -> Iterator[tb.Store]:
    with tb.open(tmp_path / "store") as opened:
        yield opened


@pytest.fixture
def line(store: tb.Store, data: Path) -> tb.Timeline:
    return store.timeline("alpha", sources=[tb.Team("alpha", data)])


def test_the_mode_of_a_directory_that_is_all_teams_is_left_alone(line: tb.Timeline, data: Path) -> None:
    line.save("before")
    (data / "tasks").chmod(0o700)
    (data / "tasks/alpha").chmod(0o700)
    assert line.restore("before").changed == ("tasks/alpha",)
    assert (data / "tasks").stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("place", ["tasks", "teams", "tasks/alpha", "teams/alpha/inboxes"])
def test_a_link_in_the_place_of_a_directory_is_said(place: str, line: tb.Timeline, data: Path, tmp_path: Path) -> None:
    shutil.move(data / place, tmp_path / "elsewhere")
    (data / place).symlink_to(tmp_path / "elsewhere")
    part = line.save("linked").parts["team"]
    assert [each.path for each in part.not_captured] == [place]


def test_what_was_behind_a_link_then_is_not_deleted_now(line: tb.Timeline, data: Path, tmp_path: Path) -> None:
    shutil.move(data / "tasks", tmp_path / "elsewhere")
    (data / "tasks").symlink_to(tmp_path / "elsewhere")
    line.save("linked")
    (data / "tasks").unlink()
    shutil.move(tmp_path / "elsewhere", data / "tasks")
    line.restore("linked")
    assert (data / "tasks/alpha/task-1.json").exists()


def test_a_snapshot_from_before_a_link_is_restored_as_far_as_it_can_be(
    line: tb.Timeline, data: Path, tmp_path: Path
) -> None:
    line.save("before")
    (data / "teams/alpha/config.json").write_text('{"a": 1}')
    shutil.move(data / "tasks", tmp_path / "elsewhere")
    (data / "tasks").symlink_to(tmp_path / "elsewhere")
    report = line.restore("before")
    assert report.changed == ("teams/alpha/config.json",)
    assert any(each.path.startswith("tasks") for each in report.kept)
    assert os.readlink(data / "tasks") == str(tmp_path / "elsewhere")


@pytest.mark.parametrize("member", ["a.tmp", "b.lock", ".tmp-c"])
def test_mail_of_a_member_who_is_called_like_a_file_that_passes_comes_back(
    member: str, line: tb.Timeline, data: Path
) -> None:
    box = data / "teams/alpha/inboxes" / member
    box.mkdir()
    (box / "msg-1.json").write_text('{"content": "hello"}')
    assert line.save("before").parts["team"].detail["counts"]["messages"] == 2
    shutil.rmtree(box)
    line.restore("before")
    assert (box / "msg-1.json").read_text() == '{"content": "hello"}'


def test_what_takeback_never_writes_is_in_no_restore_s_way(line: tb.Timeline, data: Path) -> None:
    box = data / "teams/alpha/inboxes/.git"
    box.mkdir()
    (box / "msg-1.json").write_text("{}")
    line.save("before")
    shutil.rmtree(data / "teams/alpha")
    line.restore("before")
    assert (data / "teams/alpha/config.json").exists()
