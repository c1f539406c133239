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
    assert f"add --timeline {NAME}" in cli("log").out
    hints = cli.error("show", "first", code=10)["hints"]
    assert any(f"--timeline {NAME}" in hint for hint in hints)


def test_saving_it_from_outside_its_process_records_nothing(cli: Cli) -> None:
    saved = cli.json("save", "--timeline", NAME)
    found = cli.json("log", "--timeline", NAME)["snapshots"]
    assert (saved["id"], saved["new"]) == (found[0]["id"], False)
    assert len(found) == 2
