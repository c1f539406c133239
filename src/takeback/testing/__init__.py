"""Suites that every backend, database and source passes: subclass one in your tests and override its fixture."""

from takeback.testing.backend import BackendSuite
from takeback.testing.database import DatabaseSuite

__all__ = ["BackendSuite", "DatabaseSuite"]
