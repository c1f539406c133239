"""export, import, push and pull."""

from __future__ import annotations

import shlex
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


def test_what_to_type_next_works_when_it_is_pasted(
    cli: Cli, two: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "their project"
    place.mkdir()
    file, backup = tmp_path / "my file.takeback", tmp_path / "my backup"
    cli.root.rename(root := tmp_path / "my project")
    cli("store", "relocate", str(cli.root), str(root))
    monkeypatch.chdir(root)
    _pasted(cli, cli("push", str(backup)).out, two[-1])
    monkeypatch.chdir(tmp_path)
    imported = _typed(cli("export", "-C", "my project", "../my file.takeback").out)
    assert imported == ["import", str(file)]
    monkeypatch.setenv("TAKEBACK_STORE", str(tmp_path / "their-store"))
    _pasted(cli, cli(*imported, "--root", str(place)).out, two[-1])
    error = cli.error("pull", "-C", str(place), str(backup), code=10)
    assert f"add --from {shlex.quote(str(root))}" in error["hints"][0]


def test_what_went_beside_another_timeline_is_found_where_it_landed(
    cli: Cli, two: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    backup = tmp_path / "backup"
    cli("push", str(backup))
    cli.write("a.txt", "there\n")
    cli("save", "--store", str(backup))
    place = _elsewhere(monkeypatch, tmp_path)
    cli("pull", str(backup), "--from", str(cli.root))
    (place / "a.txt").write_text("here\n")
    ours = cli.json("save")["id"]
    monkeypatch.setattr(cli, "root", place)
    (tmp_path / "project" / "a.txt").write_text("there again\n")
    theirs = cli.json("save", "-C", "../project", "--store", str(backup))["id"]
    pulled = cli("pull", str(backup), "--from", "../project").out
    assert "'main' here went on by itself" in pulled and "missing here" in pulled
    _pasted(cli, pulled, theirs)
    pushed = cli("push", str(backup)).out
    assert "'main' there went on by itself" in pushed and "missing there" in pushed
    _pasted(cli, pushed, ours)


def test_who_pulls_from_no_store_learns_what_makes_one(cli: Cli, two: list[str], tmp_path: Path) -> None:
    assert cli.error("pull", str(tmp_path / "none"), code=10)["hints"] == ["`takeback push STORE` makes one"]


def _typed(out: str) -> list[str]:
    """The command that the last line tells to type."""
    return shlex.split(out.splitlines()[-1].partition(": takeback ")[2])


def _pasted(cli: Cli, out: str, newest: str) -> None:
    assert cli.json(*_typed(out))["snapshots"][0]["id"] == newest
