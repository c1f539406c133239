from __future__ import annotations

from pathlib import Path

import pytest

import takeback as tb


@pytest.fixture
def line(tmp_path: Path) -> tb.Timeline:
    for name in ("code", "notes"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text("1")
    return tb.open(":memory:").timeline(sources=[tb.Workspace(tmp_path / "code")])


def test_a_source_that_is_added_is_captured_and_put_back_from_then_on(line: tb.Timeline, tmp_path: Path) -> None:
    line.save()
    line.add(tb.Workspace(tmp_path / "notes", name="notes"))
    assert list(line.sources) == ["workspace", "notes"]
    before = line.save()
    (tmp_path / "notes" / "file").write_text("2")
    line.save()
    line.restore(before)
    assert (tmp_path / "notes" / "file").read_text() == "1"


def test_two_sources_of_one_name_are_refused(line: tb.Timeline, tmp_path: Path) -> None:
    with pytest.raises(tb.InvalidInput, match="two sources are called 'workspace'"):
        line.add(tb.Workspace(tmp_path / "notes"))
    with pytest.raises(tb.InvalidInput, match="two sources are called 'workspace'"):
        tb.open(":memory:").timeline(sources=[tb.Workspace(tmp_path / name) for name in ("code", "notes")])


def test_the_head_moves_when_a_snapshot_is_made_and_only_then(line: tb.Timeline, tmp_path: Path) -> None:
    assert line.head is None
    first = line.save()
    assert line.head == first.id == line.save().id
    (tmp_path / "code" / "file").write_text("2")
    assert line.save().id == line.head != first.id
