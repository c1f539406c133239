"""A home and a project for agents' configurations."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.installing import MakePlace, Place


@pytest.fixture
def place(home: Path, tmp_path: Path) -> MakePlace:
    def make(agent: str = "claude-code", scope: str = "user") -> Place:
        project = tmp_path / "project"
        project.mkdir(exist_ok=True)
        return Place(home, project, agent, scope)

    return make
