from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from support.containers.boxes import Boxes
from support.containers.scenes import NetworkScene, Scene


@pytest.fixture
def scene(boxes: Boxes, tmp_path: Path, strategy: str) -> Iterator[Scene]:
    """A container and its timeline, once with each strategy."""
    made = Scene(boxes, tmp_path, strategy)
    yield made
    made.close()


@pytest.fixture
def network_scene(boxes: Boxes, tmp_path: Path, strategy: str) -> Iterator[NetworkScene]:
    """The same with a network and a port."""
    made = NetworkScene(boxes, tmp_path, strategy)
    yield made
    made.close()
