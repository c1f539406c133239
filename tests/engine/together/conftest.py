from __future__ import annotations

import gc
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.containers.boxes import Boxes
from support.faults.fixtures import zygote
from support.teams.real import VARIABLE
from support.together.doorway import Doorway
from support.together.world import World

__all__ = ["door", "four", "zygote"]


@pytest.fixture
def four(boxes: Boxes, memory_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    """Files, a container, memory and a team, as they are before anything happens to them."""
    base = memory_path / "world"
    base.mkdir()
    monkeypatch.setenv(VARIABLE, str(base / "clawteam"))
    monkeypatch.setenv("CLAWTEAM_TRANSPORT", "file")
    monkeypatch.setenv("TMPDIR", str(base))
    monkeypatch.setattr(tempfile, "tempdir", str(base))
    return World(boxes, base)


@pytest.fixture
def door(four: World, monkeypatch: pytest.MonkeyPatch) -> Iterator[Doorway]:
    """The way to the engine for everybody but the test itself, who can shut it."""
    made = Doorway(four.place.base / "door", four.boxes.engine.address)
    monkeypatch.setenv("DOCKER_HOST", made.address)
    monkeypatch.setenv("TAKEBACK_STORE", str(four.place.store))
    four.place = four.place._replace(engine=made.address)
    yield made
    made.shut()
    gc.collect()  # what the SDK could not connect is closed here, and not in another test
