"""How much a campaign tried, told at the end of the run: with workers, what a test prints is seen only if it fails."""

from __future__ import annotations

from collections.abc import Callable

import pytest

_PROPERTY = "campaign"

Tell = Callable[[str, object], None]
"""What pytest's fixture ``record_property`` is."""


def tell(record: Tell, line: str) -> None:
    """Have a line shown at the end of the run, under "campaigns"."""
    record(_PROPERTY, line)
    print(line)


def summarise(reporter: pytest.TerminalReporter) -> None:
    reports = [report for outcome in ("passed", "failed") for report in reporter.getreports(outcome)]
    lines = [str(line) for report in reports for name, line in report.user_properties if name == _PROPERTY]
    if lines:
        reporter.section("campaigns")
        for line in sorted(dict.fromkeys(lines)):
            reporter.line(line)
