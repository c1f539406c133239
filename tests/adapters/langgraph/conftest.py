from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from takeback.adapters.langgraph import TakebackSaver


@pytest.fixture
def saver(tmp_path: Path) -> Iterator[TakebackSaver]:
    with TakebackSaver(tmp_path / "store") as made:
        yield made
