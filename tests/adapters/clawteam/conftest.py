"""A real team, and both managers of its snapshots side by side."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.teams.real import RealTeam
from takeback.adapters.clawteam import SnapshotManager


@pytest.fixture
def manager(team: RealTeam, tmp_path: Path) -> Iterator[SnapshotManager]:
    """Ours, with a store of its own."""
    with SnapshotManager(team.name, store=tmp_path / "store") as made:
        yield made


@pytest.fixture
def theirs(team: RealTeam) -> Any:
    """ClawTeam's own."""
    from clawteam.team.snapshot import SnapshotManager as Theirs

    return Theirs(team.name)
