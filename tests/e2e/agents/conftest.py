"""A project, the agent that the test module is about, and takeback's command line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from support.agents.scene import Scene
from support.agents.scene import scene as set_up
from support.cli import Cli


@pytest.fixture
def scene(
    request: pytest.FixtureRequest,
    home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsysbinary: pytest.CaptureFixture[bytes],
) -> Iterator[Scene]:
    cli = Cli(tmp_path, capsysbinary)
    monkeypatch.chdir(cli.root)
    monkeypatch.setenv("TAKEBACK_STORE", str(cli.store))
    with set_up(request.cls.agent if request.cls is not None else request.getfixturevalue("agent"), home, cli) as made:
        yield made
