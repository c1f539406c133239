"""What nobody saw happen is said once, and noting it never fails."""

from __future__ import annotations

from pathlib import Path

import pytest

from takeback.store import notices


def test_notices_are_read_in_order_and_taken_once(tmp_path: Path) -> None:
    assert notices.take(tmp_path) == notices.read(tmp_path) == ()
    notices.note(tmp_path, "upkeep", "the disk\nis full", ["free some"])
    notices.note(tmp_path, "hook", "é\udcff")
    found = notices.read(tmp_path)
    assert [(each.where, each.message, each.hints) for each in found] == [
        ("upkeep", "the disk\nis full", ("free some",)),
        ("hook", "é\udcff", ()),
    ]
    assert notices.take(tmp_path) == found
    assert notices.take(tmp_path) == () and list(tmp_path.iterdir()) == []


def test_a_torn_line_hides_no_other(tmp_path: Path) -> None:
    notices.note(tmp_path, "a", "one")
    with (tmp_path / notices.NAME).open("ab") as file:
        file.write(b'{"time_ns": 1, "wh\n[]\n\xff\n{"time_ns": "x", "where": 1, "message": 2, "hints": 3}\n')
    notices.note(tmp_path, "b", "two")
    assert [each.message for each in notices.read(tmp_path)] == ["one", "two"]


def test_a_failure_that_comes_again_and_again_fills_no_disk(tmp_path: Path) -> None:
    for _ in range(3000):
        notices.note(tmp_path, "upkeep", "x" * 100)
    assert (tmp_path / notices.NAME).stat().st_size < 70_000


def test_where_nothing_can_be_written_nothing_happens(tmp_path: Path) -> None:
    notices.note(tmp_path / "nowhere", "upkeep", "lost")
    (tmp_path / notices.NAME).mkdir()
    notices.note(tmp_path, "upkeep", "lost")
    assert notices.read(tmp_path) == ()


def test_the_same_failure_is_told_once_and_many_are_not_all_told(tmp_path: Path) -> None:
    for _ in range(1000):
        assert notices.note(tmp_path, "hook", "the disk is full")
    assert len(notices.read(tmp_path)) == 1
    for number in range(1000):
        assert notices.note(tmp_path, "hook", f"process {number} holds the lock {'x' * 5000}")
    assert len(notices.read(tmp_path)) == 50
    assert (tmp_path / notices.NAME).stat().st_size < 70_000


def test_a_notice_after_a_torn_one_is_whole(tmp_path: Path) -> None:
    notices.note(tmp_path, "a", "one")
    with (tmp_path / notices.NAME).open("ab") as file:
        file.write(b'{"time_ns": 1, "wh')
    notices.note(tmp_path, "b", "two")
    assert [each.message for each in notices.read(tmp_path)] == ["one", "two"]


def test_the_spare_place_is_nowhere_if_nothing_can_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    def none() -> str:
        raise FileNotFoundError("No usable temporary directory found")

    monkeypatch.setattr(notices, "gettempdir", none)
    assert notices.spare() == ""
