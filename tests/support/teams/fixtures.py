"""What a test asks for that needs a real team."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:  # ClawTeam takes its time, and most tests have nothing to do with it
    from support.teams.real import RealTeam


@pytest.fixture
def data_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data directory of ClawTeam's, empty, that it finds through its own variable."""
    path = (tmp_path / "clawteam").resolve()
    path.mkdir()
    monkeypatch.setenv("CLAWTEAM_DATA_DIR", str(path))
    monkeypatch.setenv("CLAWTEAM_TRANSPORT", "file")
    return path


@pytest.fixture
def team(data_dir: Path) -> RealTeam:
    """A real team `alpha` with members, tasks, mail, dead letters, plans, costs, sessions and more (`RealTeam.make`)."""
    from support.teams.real import RealTeam

    made = RealTeam(data_dir)
    made.make()
    return made
