from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from crash.campaign import remove
from support import faults
from support.faults.zygote import Zygote

_FAST = "/dev/shm"


@pytest.fixture(scope="session")
def zygote(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Zygote]:
    """The process that forks children with the fault layer in them."""
    with Zygote(faults.build(tmp_path_factory.mktemp("faults"))) as process:
        yield process


@pytest.fixture
def memory_path(tmp_path: Path) -> Iterator[Path]:
    """A directory in memory, if there is such: thousands of worlds are made in it."""
    if not os.access(_FAST, os.W_OK):
        yield tmp_path
        return
    path = tempfile.mkdtemp(prefix="takeback-crash-", dir=_FAST)
    yield Path(path)
    remove(Path(path))
