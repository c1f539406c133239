"""Runs of pytest in a copy of the checkout."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from mutants.checkout import Checkout
from mutants.reports import FILE, Report, read

_LAST_WORDS = 30.0
"""Seconds in which an interrupted run may remove what it made."""
_NO_TESTS = 5
"""What pytest exits with if `make test` has none of the tests."""

_RUNNING: set[subprocess.Popen[bytes]] = set()
_STOPPED = threading.Event()


class Run(NamedTuple):
    passed: bool
    timed_out: bool
    seconds: float
    reports: tuple[Report, ...]
    output: str

    @property
    def killer(self) -> str | None:
        """The first test that failed."""
        return next((each.test for each in self.reports if each.failed), None)

    def seconds_below(self, path: str) -> float:
        """How long the tests of a file or folder took."""
        return sum(each.seconds for each in self.reports if each.test.startswith((f"tests/{path}::", f"tests/{path}/")))


def run(copy: Checkout, tests: Sequence[str], limit: float | None = None) -> Run:
    """Run tests (paths or node ids, below ``tests`` of the copy) until the first one fails, for ``limit`` seconds at most."""
    if _STOPPED.is_set():
        raise KeyboardInterrupt
    began = time.monotonic()
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "mutants.reports", "-p", "no:cacheprovider"]
    command += ["-m", "not quiet"]  # another run is always under way
    command += (f"tests/{test}" for test in tests)
    with TemporaryDirectory(prefix="takeback-mutants-run-") as place:
        reports, output = Path(place, "reports"), Path(place, "output")
        reports.touch()
        environment = {**copy.environment, FILE: str(reports), "CI": "true"}  # a test that is left out kills nothing
        with output.open("wb") as told:
            process = subprocess.Popen(
                command,
                cwd=copy.directory,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=told,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            _RUNNING.add(process)
            try:
                in_time = _ends(process, limit)
            finally:
                _RUNNING.discard(process)
        return Run(
            passed=in_time and process.returncode in (0, _NO_TESTS),
            timed_out=not in_time,
            seconds=time.monotonic() - began,
            reports=tuple(read(reports)),
            output=output.read_text(encoding="utf-8", errors="replace"),
        )


def stop() -> None:
    """Interrupt all runs, and begin no other."""
    _STOPPED.set()
    for process in list(_RUNNING):
        process.send_signal(signal.SIGINT)


def _ends(process: subprocess.Popen[bytes], limit: float | None) -> bool:
    """Whether a run ends in time; one that does not is ended."""
    try:
        process.wait(limit)
        return True
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)
    try:
        process.wait(_LAST_WORDS)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    return False
