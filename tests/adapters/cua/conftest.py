"""A manager with a store of the test's own, for containers of the tests' engine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.containers.boxes import Boxes
from support.cua.managing import MakeManager
from takeback.adapters.cua import SnapshotConfig, SnapshotManager


@pytest.fixture
def make_manager(boxes: Boxes, tmp_path: Path) -> Iterator[MakeManager]:
    """``make_manager(max_total_snapshots=5)``: managers of one store, with these settings."""
    made: list[SnapshotManager] = []

    def make(**settings: Any) -> SnapshotManager:
        place = settings.pop("storage_path", tmp_path / "snapshots")
        made.append(SnapshotManager(config=SnapshotConfig(storage_path=str(place), **settings)))
        return made[-1]

    yield make
    for each in made:
        each.storage.close()


@pytest.fixture
def manager(make_manager: MakeManager) -> SnapshotManager:
    return make_manager()
