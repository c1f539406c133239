"""Pytest plugin that writes every test's outcome and duration to a file, one JSON list a line."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import NamedTuple

import pytest

FILE = "MUTANTS_REPORTS"
"""The variable that names the file; tests remove variables of takeback from their environment."""


class Report(NamedTuple):
    test: str
    failed: bool
    seconds: float


def read(path: Path) -> list[Report]:
    return [Report(*json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    _write(Report(report.nodeid, report.failed, report.duration))


def pytest_collectreport(report: pytest.CollectReport) -> None:
    if report.failed:
        _write(Report(report.nodeid, True, 0.0))


def _write(report: Report) -> None:
    with Path(os.environ[FILE]).open("a", encoding="utf-8") as file:
        file.write(f"{json.dumps(report)}\n")
