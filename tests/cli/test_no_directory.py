"""Timelines of no directory, on which agents keep their memory: the command finds them by name, from anywhere."""

from __future__ import annotations

from pathlib import Path

import pytest

import takeback as tb
from support.cli import Cli

NAME = "agent:7"


@pytest.fixture
def cli(tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch) -> Cli:
    cli = Cli(tmp_path, capsysbinary)
    monkeypatch.chdir(cli.root)
    monkeypatch.setenv("TAKEBACK_STORE", str(cli.store))
    memory = ["hello"]
    with tb.open(cli.store) as store:
        line = store.timeline(NAME, sources=[tb.State("memory", memory)])
        line.save("first")
        memory.append("there")
        line.save("second")
    return cli


def test_a_name_is_enough(cli: Cli) -> None:
    found = cli.json("log", "--timeline", NAME)
    assert [each["labels"] for each in found["snapshots"]] == [["second"], ["first"]]
    assert found["root"] == ""
    assert f"timeline {NAME}\n" in cli("log", "--timeline", NAME).out
    assert cli.json("show", "first", "--timeline", NAME)["labels"] == ["first"]


def test_a_timeline_of_the_directory_comes_first(cli: Cli) -> None:
    cli.write("a.txt", "1")
    with tb.open(cli.store) as store:
        store.timeline(NAME, sources=[tb.Workspace(cli.root)]).save("of the directory")
    assert [each["labels"] for each in cli.json("log", "--timeline", NAME)["snapshots"]] == [["of the directory"]]


def test_who_finds_nothing_is_told_of_them(cli: Cli) -> None:
    assert f"timeline {NAME}" in cli("log").out  # the only one there is
    hints = cli.error("show", "first", code=10)["hints"]
    assert any(f"--timeline {NAME}" in hint for hint in hints)


def test_saving_it_from_outside_its_process_records_nothing(cli: Cli) -> None:
    saved = cli.json("save", "--timeline", NAME)
    found = cli.json("log", "--timeline", NAME)["snapshots"]
    assert (saved["id"], saved["new"]) == (found[0]["id"], False)
    assert len(found) == 2


def test_status_does_not_take_the_directory_around_it_for_its_own(cli: Cli) -> None:
    assert cli.json("status", "--timeline", NAME)["root"] == ""
    out = cli("status", "--timeline", NAME).out
    assert "of no directory" in out and str(cli.root) not in out.replace(str(cli.store), "")
    assert cli.json("status")["root"] == str(cli.root)


@pytest.mark.parametrize(
    "words", [("show", "@:a.txt"), ("log", "a.txt"), ("diff", "a.txt"), ("purge", "a.txt", "--dry-run")]
)
def test_a_path_on_it_is_refused_with_the_reason(cli: Cli, words: tuple[str, ...]) -> None:
    error = cli.error("--timeline", NAME, *words, code=2)
    assert "of no directory" in error["message"] and "--part" in error["hints"][0]


def test_listing_its_files_names_what_it_holds_instead(cli: Cli) -> None:
    error = cli.error("show", "@:", "--timeline", NAME, code=10)
    assert "has no part 'workspace'" in error["message"] and error["hints"] == ["it has: memory"]


def test_it_is_pulled_by_name(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAKEBACK_STORE", str(tmp_path / "another"))
    (hint,) = cli.error("--store", str(tmp_path / "another"), "pull", str(cli.store), code=10)["hints"]
    assert hint == f"it has {NAME!r}, of no directory: add --timeline {NAME}"
    elsewhere = ("--store", str(tmp_path / "another"), "--timeline", NAME)
    (landed,) = cli.json(*elsewhere, "pull", str(cli.store))["timelines"]
    assert (landed["root"], landed["timeline"], len(landed["snapshots"])) == ("", NAME, 2)
    assert cli.json(*elsewhere, "show", "second", "--part", "memory")["value"] == ["hello", "there"]
