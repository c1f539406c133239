"""Every backend against the suite that defines one."""

from __future__ import annotations

import os
import stat
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

    def test_a_removal_is_on_the_disk_when_it_returns(self, backend: Backend, monkeypatch: pytest.MonkeyPatch) -> None:
        """Its row is forgotten next, and after a power cut nobody would know of the file."""
        synced: list[int] = []
        fsync = os.fsync

        def noting(handle: int) -> None:
            synced.append(os.fstat(handle).st_mode)
            fsync(handle)

        monkeypatch.setattr(os, "fsync", noting)
        backend.put("packs/aa/one", [b"data"])
        synced.clear()
        backend.delete("packs/aa/one")
        assert [stat.S_ISDIR(mode) for mode in synced] == [True]


class TestMemoryBackend(BackendSuite):
    @pytest.fixture
    def backend(self) -> Iterator[Backend]:
        backend = MemoryBackend()
        yield backend
        backend.close()
