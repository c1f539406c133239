"""Makes a failing script short: drops steps for as long as the same law breaks."""

from __future__ import annotations

import time
from collections.abc import Callable

from support.ownership.script import Script


def shortest(script: Script, fails: Callable[[Script], bool], seconds: float = 20.0) -> Script:
    """A script of which no single step can be dropped, if there is time enough to find it."""
    end = time.monotonic() + seconds
    size = max(1, len(script) // 2)
    while time.monotonic() < end:
        shorter = _without(script, size, fails, end)
        if shorter == script and size == 1:
            break
        if shorter == script:
            size = max(1, size // 2)
        script = shorter
    return script


def _without(script: Script, size: int, fails: Callable[[Script], bool], end: float) -> Script:
    """One pass over a script, from its end, dropping so many neighbouring steps at once."""
    start = len(script) - size
    while start > -size and time.monotonic() < end:
        first = max(0, start)
        candidate = script[:first] + script[first + size :]
        if candidate and fails(candidate):
            script = candidate
        start -= size
    return script
