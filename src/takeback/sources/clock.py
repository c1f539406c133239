"""One reading of the machine's clocks, and how it compares with the times that a file system gives to files.

Linux stamps files with a coarse clock that lags behind the fine one by up to a tick. So a file that is written after a
reading has a ctime of at least its ``coarse_ns``, and one that is written before it has a ctime of at most its ``real_ns``.
The distance between real time and the time since boot changes only if somebody sets the clock.
"""

from __future__ import annotations

import time
from typing import NamedTuple

TICK_NS = 10_000_000
"""The longest that a file's ctime can lie before the moment of its change: one tick of the slowest kernel."""

STEP_NS = 50_000_000
"""Two readings whose distance between the clocks differs by more have the setting of a clock between them."""

_COARSE = getattr(time, "CLOCK_REALTIME_COARSE", 5)  # Linux's number, which Python does not name
_SINCE_BOOT = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


class Reading(NamedTuple):
    """What the clocks say."""

    real_ns: int
    coarse_ns: int
    offset_ns: int
    """Real time at boot: it stays the same until somebody sets the clock."""


def read() -> Reading:
    """Read the clocks now."""
    coarse = _coarse()
    real = time.clock_gettime_ns(time.CLOCK_REALTIME)
    return Reading(real, min(coarse, real), real - time.clock_gettime_ns(_SINCE_BOOT))


def is_same(offset_ns: int, other_ns: int) -> bool:
    """Whether nobody set the clock between two readings."""
    return abs(offset_ns - other_ns) <= STEP_NS


def _coarse() -> int:
    try:
        return time.clock_gettime_ns(_COARSE)
    except OSError:  # not Linux
        return time.clock_gettime_ns(time.CLOCK_REALTIME)
