"""A command line in a project of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.cli import Cli


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]) -> Cli:
    cli = Cli(tmp_path, capsysbinary)
    monkeypatch.chdir(cli.root)
    monkeypatch.setenv("TAKEBACK_STORE", str(cli.store))
    return cli
