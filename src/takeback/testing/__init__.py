"""Suites that every backend, database and source passes: subclass one in your tests and override its fixture or hooks."""

from takeback.testing.backend import BackendSuite
from takeback.testing.database import DatabaseSuite
from takeback.testing.sources import SourceSuite

__all__ = ["BackendSuite", "DatabaseSuite", "SourceSuite"]
