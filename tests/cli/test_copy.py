"""export, import, push and pull."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.cli import Cli
from support.trees import read_tree

SHAPE = {"snapshots", "moves", "present", "blobs", "bytes", "added", "diverged", "timelines"}
LINE = {
    "root", "timeline", "from_root", "from_timeline", "snapshots", "moves", "present", "left_out", "diverged",
}  # fmt: skip


@pytest.fixture
def two(cli: Cli) -> list[str]:
    """Two snapshots, oldest first."""
    found = []
    for number in range(2):
        cli.write("a.txt", f"{number}\n")
        found.append(cli.json("save", "-m", f"number {number}")["id"])
    return found


def _elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Another machine: another store, another directory."""
    place = tmp_path / "elsewhere"
    place.mkdir()
    monkeypatch.chdir(place)
    monkeypatch.setenv("TAKEBACK_STORE", str(tmp_path / "their-store"))
    return place


def test_a_timeline_goes_to_another_machine_and_is_restored_there(
    cli: Cli, two: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "project.takeback"
    exported = cli.json("export", str(file))
    assert exported.keys() == {"file", "size", *SHAPE}
    assert exported["timelines"][0].keys() == LINE
    assert (exported["file"], exported["size"]) == (str(file), file.stat().st_size)
    place = _elsewhere(monkeypatch, tmp_path)
    imported = cli.json("import", str(file), "--root", ".")
    assert imported.keys() == SHAPE
    assert imported["timelines"][0]["snapshots"] == two
    assert imported["timelines"][0]["root"] == str(place)
    assert [row["id"] for row in cli.json("log")["snapshots"]] == two[::-1]
    cli("restore", "number 1", "--yes")
    assert read_tree(place) == read_tree(cli.root)
    cli("undo", "--yes")
    assert not (place / "a.txt").exists()
    assert cli.json("verify", "--read-data")["ok"]


def test_people_are_told_what_came_and_what_to_do_next(
    cli: Cli, two: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "x.takeback"
    out = cli("export", str(file)).out
    assert "exported 2 snapshots and 1 move to" in out and f"takeback import {file}" in out
    place = _elsewhere(monkeypatch, tmp_path)
    out = cli("import", str(file), "--root", ".").out
    assert f"imported 2 snapshots and 1 move on timeline main of {place}" in out
    assert f"takeback log -C {place}" in out
    assert "nothing new: 2 snapshots were there already" in cli("import", str(file), "--root", ".").out


def test_who_imports_without_a_directory_of_that_name_learns_how_to_use_it(
    cli: Cli, two: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "x.takeback"
    cli("export", str(file))
    _elsewhere(monkeypatch, tmp_path)
    cli.root.rename(tmp_path / "gone")
    out = cli("import", str(file)).out
    assert f"no such directory here; takeback store relocate {cli.root} DIR" in out


def test_named_snapshots_only(cli: Cli, two: list[str], tmp_path: Path) -> None:
    file = tmp_path / "x.takeback"
    assert cli.json("export", "number 1", str(file))["timelines"][0]["snapshots"] == two[1:]
    assert cli.error("export", "nonsense", str(tmp_path / "y"), code=10)
    assert cli.error("export", "--all", "number 1", str(tmp_path / "y"), code=2)
    assert cli.error("export", str(file), code=2)
    assert not (tmp_path / "y").exists()


def test_every_timeline_of_the_store(cli: Cli, two: list[str], tmp_path: Path) -> None:
    cli.json("save", "--timeline", "second")
    assert len(cli.json("export", "--all", str(tmp_path / "x"))["timelines"]) == 2
    assert len(cli.json("push", str(tmp_path / "y"), "--all")["timelines"]) == 2


def test_push_and_pull_move_what_is_missing(
    cli: Cli, two: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    backup = tmp_path / "backup"
    out = cli("push", str(backup)).out
    assert "pushed 2 snapshots and 1 move on timeline main" in out and f"takeback log --store {backup}" in out
    assert cli.json("push", str(backup))["blobs"] == 0
    assert [row["id"] for row in cli.json("log", "--store", str(backup))["snapshots"]] == two[::-1]
    place = _elsewhere(monkeypatch, tmp_path)
    error = cli.error("pull", str(backup), code=10)
    assert str(place) in error["message"] and f"--from {cli.root}" in error["hints"][0]
    assert cli.json("pull", str(backup), "--from", str(cli.root))["timelines"][0]["root"] == str(place)
    assert cli.json("pull", str(backup), "--all")["present"] == 2
    assert "nothing new" in cli("pull", str(backup), "--from", str(cli.root)).out
    assert cli.error("pull", str(backup), "--all", "--from", "x", code=2)


def test_a_timeline_that_went_on_by_itself_is_joined_by_another(cli: Cli, two: list[str], tmp_path: Path) -> None:
    backup = tmp_path / "backup"
    cli("push", str(backup))
    cli.write("a.txt", "here\n")
    cli("save")
    cli.write("a.txt", "there\n")
    cli("save", "--store", str(backup))
    assert "beside it" in cli("push", str(backup)).out
    assert cli.json("push", str(backup))["blobs"] == 0
    assert cli.json("verify", "--store", str(backup))["ok"]


def test_what_is_no_export_is_refused(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "text").write_text("not an export\n")
    assert "no export" in cli.error("import", str(tmp_path / "text"), code=2)["message"]
    assert cli.error("import", str(tmp_path), code=2)
    assert cli.error("import", str(tmp_path / "nothing"), code=10)
    assert cli.error("pull", str(tmp_path / "nothing"), code=10)
    assert cli.error("pull", "", code=2)


def test_a_torn_export_is_refused_and_nothing_comes_of_it(cli: Cli, two: list[str], tmp_path: Path) -> None:
    file = tmp_path / "x.takeback"
    cli("export", str(file))
    file.write_bytes(file.read_bytes()[:-1])
    assert cli.error("import", str(file), "--store", str(tmp_path / "new"), code=13)
    assert cli.json("stats", "--store", str(tmp_path / "new"))["shares"] == []
