"""What is said when takeback itself is broken, or the pipe is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from support.cli import Cli
from takeback.engine.timeline import Timeline


@pytest.fixture
def broken(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> Cli:
    def save(self: Timeline, *arguments: object, **options: object) -> None:
        raise ZeroDivisionError("a number\nover \x1b nothing")

    monkeypatch.setattr(Timeline, "save", save)
    return cli


def test_a_bug_is_one_line_and_a_file(broken: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    said = broken("save", code=1).err
    assert said.splitlines()[0].startswith("takeback: this is a bug in takeback: ZeroDivisionError: a number")
    assert "\x1b" not in said
    assert "Traceback" not in said
    named = re.search(r"the traceback is in (\S+);", said)
    assert named is not None
    assert "ZeroDivisionError" in Path(named[1]).read_text()


def test_a_bug_in_json(broken: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert broken.error("save", code=1)["kind"] == "Bug"


def test_debugging_shows_the_traceback(broken: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAKEBACK_DEBUG", "1")
    assert "Traceback" in broken("save", code=1).err


def test_control_c_exits_130(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def save(self: Timeline, *arguments: object, **options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Timeline, "save", save)
    assert cli.error("save", code=130)["kind"] == "Cancelled"
