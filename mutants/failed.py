"""Pytest plugin that writes the names of failed tests to a file."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

FILE = "MUTANTS_FAILED"
"""The variable that names the file; tests remove variables of takeback from their environment."""


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.failed:
        _write(report.nodeid)


def pytest_collectreport(report: pytest.CollectReport) -> None:
    if report.failed:
        _write(report.nodeid or "collection")


def _write(test: str) -> None:
    with Path(os.environ[FILE]).open("a", encoding="utf-8") as file:
        file.write(f"{test}\n")
