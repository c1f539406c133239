"""The pytest plugin of a campaign: it leaves out tests that have passed already, and notes each one that ends.

One process at a time adds to a campaign's results, and none outlives the runner that started it.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from soak.progress import Progress, Result

VARIABLE = "TAKEBACK_TEST_PROGRESS"
BUSY = 4
"""What pytest exits with if another process runs the campaign."""
_TROUBLE = 6000
"""Characters of a failure that are kept."""
_PR_SET_PDEATHSIG = 1


class Recorder:
    """Notes the results of the tests of this process."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._trouble: dict[str, str] = {}
        self._seconds: dict[str, float] = {}
        self._skipped: set[str] = set()

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        passed = self._progress.passed()
        self._progress.collect([item.nodeid for item in items])
        done = [item for item in items if item.nodeid in passed]
        items[:] = [item for item in items if item.nodeid not in passed]
        config.hook.pytest_deselected(items=done)

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self._progress.start(nodeid)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        test = report.nodeid
        self._seconds[test] = self._seconds.get(test, 0.0) + report.duration
        if report.failed or report.skipped:
            self._trouble[test] = str(report.longrepr)[-_TROUBLE:]
        if report.skipped:
            self._skipped.add(test)
        if report.when == "teardown":
            from support import campaigns  # not before the conftest, which has its assertions rewritten

            trouble = self._trouble.pop(test, "")
            runs = 0 if test in self._skipped else campaigns.runs_of(report.user_properties)
            self._progress.add(Result(test, not trouble, runs, round(self._seconds.pop(test), 1), trouble))

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        if exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.NO_TESTS_COLLECTED):
            self._progress.end()


def pytest_configure(config: pytest.Config) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGINT, 0, 0, 0)
    progress = Progress(Path(os.environ[VARIABLE]))
    stack = ExitStack()
    config.add_cleanup(stack.close)
    if not stack.enter_context(progress.alone()):
        pytest.exit("another process runs this campaign; wait for its end", returncode=BUSY)
    config.pluginmanager.register(Recorder(progress))
