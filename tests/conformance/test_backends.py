"""Every backend against the suite that defines one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from takeback.store.backend import Backend
from takeback.store.backends.local import LocalBackend
from takeback.store.backends.memory import MemoryBackend
from takeback.testing import BackendSuite


class TestLocalBackend(BackendSuite):
    @pytest.fixture
    def backend(self, tmp_path: Path) -> Iterator[Backend]:
        (tmp_path / "tmp").mkdir()
        backend = LocalBackend(str(tmp_path))
        yield backend
        backend.close()
        assert list((tmp_path / "tmp").iterdir()) == []


class TestMemoryBackend(BackendSuite):
    @pytest.fixture
    def backend(self) -> Iterator[Backend]:
        backend = MemoryBackend()
        yield backend
        backend.close()
