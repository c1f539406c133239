"""The pytest plugin of a campaign: it leaves out tests that have passed already, and notes each one that ends."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from soak.progress import Progress, Result

VARIABLE = "TAKEBACK_TEST_PROGRESS"
_TROUBLE = 6000
"""Characters of a failure that are kept."""


class Recorder:
    """Notes the results of the tests of this process."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._trouble: dict[str, str] = {}
        self._seconds: dict[str, float] = {}

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        passed = self._progress.passed()
        done = [item for item in items if item.nodeid in passed]
        items[:] = [item for item in items if item.nodeid not in passed]
        config.hook.pytest_deselected(items=done)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        test = report.nodeid
        self._seconds[test] = self._seconds.get(test, 0.0) + report.duration
        if report.failed or report.skipped:
            self._trouble[test] = str(report.longrepr)[-_TROUBLE:]
        if report.when == "teardown":
            from support import campaigns  # not before the conftest, which has its assertions rewritten

            trouble = self._trouble.pop(test, "")
            runs = campaigns.runs_of(report.user_properties)
            self._progress.add(Result(test, not trouble, runs, round(self._seconds.pop(test), 1), trouble))


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Recorder(Progress(Path(os.environ[VARIABLE]))))
