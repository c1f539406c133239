"""Parts that are put somewhere else, each in a way of its own: files into a directory, a box under another name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import takeback as tb
from support.boxes import Box


class Copy:
    """A place that is more than a name."""

    kind = "container"

    def __init__(self, name: str) -> None:
        self.name = name

    def __str__(self) -> str:
        return self.name


@pytest.fixture
def base(tmp_path: Path) -> Path:
    for name in ("root", "box"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text(name)
    return tmp_path


@pytest.fixture
def line(base: Path) -> Iterator[tb.Timeline]:
    with tb.open(base / "store") as store:
        line = store.timeline(sources=[tb.Workspace(base / "root"), Box(base / "box")])
        line.save("first")
        yield line


def test_a_snapshot_is_forked_with_all_its_parts_and_lives_on_there(line: tb.Timeline, base: Path) -> None:
    fork = line.fork("first", "second", to={"workspace": base / "root2", "container": "box2"})
    assert (base / "root2" / "file").read_text() == "root" and (base / "box2" / "file").read_text() == "box"
    first = fork.show("@")
    assert first.context["notes"] == ["the box is box2"] and first.context["fork_of"] == line.show("first").id
    with fork.turn("work"):
        (base / "box2" / "file").write_text("other")
    fork.undo()
    assert (base / "box2" / "file").read_text() == "box" and not line.diff()


def test_a_fork_needs_a_place_for_every_part(line: tb.Timeline, base: Path) -> None:
    with pytest.raises(tb.InvalidInput, match="place of its own for container"):
        line.fork("first", "second", to={"workspace": base / "root2"})
    assert not (base / "root2").exists()


def test_nothing_is_made_if_one_place_is_refused(line: tb.Timeline, base: Path) -> None:
    (base / "box2").mkdir()
    (base / "box2" / "mine").write_text("mine")
    with pytest.raises(tb.InvalidInput, match="not empty"):
        line.fork("first", "second", to={"workspace": base / "root2", "container": "box2"})
    assert not (base / "root2").exists()
    with pytest.raises(tb.InvalidInput, match="no directory to put files into"):
        line.restore("first", to={"container": "box3", "workspace": Copy("box4")})
    assert not (base / "box3").exists()


def test_a_fork_without_a_root_has_a_name_of_its_own(base: Path) -> None:
    with tb.open(base / "store") as store:
        line = store.timeline("boxes", sources=[Box(base / "box")])
        line.save("first")
        fork = line.fork("first", "more boxes", to={"container": "box2"})
        assert fork.root == "" and fork.show("@").parts["container"].kind == "container"
        with pytest.raises(tb.InvalidInput, match="there is a timeline 'more boxes' already"):
            line.fork("first", "more boxes", to={"container": "box3"})
        assert not (base / "box3").exists()


def test_a_part_is_restored_to_a_place_that_only_its_source_knows(line: tb.Timeline, base: Path) -> None:
    plan = line.plan("first", to=Copy("box2"))
    assert [effect.path for effect in plan.effects] == ["file"] and "box2" in plan.title
    assert not (base / "box2").exists()
    report = line.restore("first", to=Copy("box2"))
    assert report.changed == ("file",) and report.notes == ("the box is box2",)
    assert (base / "box2" / "file").read_text() == "box"
    line.restore("first", only=["container"], to="box3")
    assert (base / "box3" / "file").read_text() == "box"
