"""Stores of each kind."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from takeback.store.blobstore import BlobStore, open_local, open_memory


@pytest.fixture
def local(tmp_path: Path) -> Iterator[BlobStore]:
    with open_local(tmp_path / "store") as store:
        yield store


@pytest.fixture(params=["local", "memory"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[BlobStore]:
    with open_local(tmp_path / "store") if request.param == "local" else open_memory() as store:
        yield store
