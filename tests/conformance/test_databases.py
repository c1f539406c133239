"""Every database against the suite that defines one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from takeback.store.catalogue.database import Database
from takeback.store.catalogue.sqlite import SqliteDatabase
from takeback.testing import DatabaseSuite


class TestSqlite(DatabaseSuite):
    @pytest.fixture
    def database(self, tmp_path: Path) -> Iterator[Database]:
        database = SqliteDatabase(str(tmp_path / "catalogue.db"))
        database.create()
        yield database
        database.close()


class TestSqliteInMemory(DatabaseSuite):
    @pytest.fixture
    def database(self) -> Iterator[Database]:
        database = SqliteDatabase(None)
        database.create()
        yield database
        database.close()
