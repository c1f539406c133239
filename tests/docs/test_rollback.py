"""docs/rollback.md: its code and its commands run, and do what the page says."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from support.cli import Cli
from support.game_session import begun

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "rollback.md").read_text()


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def test_the_page_is_true(tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    cli = Cli(tmp_path, capsysbinary)
    session = begun(3)
    before = session.model_copy(deep=True)
    names: dict[str, Any] = {"session": session}
    for block in blocks("python"):
        exec(block.replace("/srv/takeback", str(cli.store)), names)
    assert session == before
    names["manager"].close()

    (block,) = blocks("sh")
    log, show = (shlex.split(line, comments=True)[1:] for line in block.splitlines())
    here = ["-C", str(cli.root)]
    snapshot = names["manager"].snapshots[0].snapshot_id
    for words in (log, show):
        words[words.index("/srv/takeback")] = str(cli.store)
        printed = cli(*here, *words).out
        assert "the party rests" in printed
        assert snapshot[:8] in printed
