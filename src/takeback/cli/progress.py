"""How far a long operation has come: one line on stderr, on a terminal only, gone when it is over."""

from __future__ import annotations

import os
import sys
import time

from takeback.model.progress import Listener, Progress
from takeback.views.progressing import progress_words

_PATIENCE = 0.5
"""Seconds before anything is shown."""


def listener(*, quiet: bool = False) -> Listener | None:
    """Something that shows progress; None if nobody would see it."""
    if quiet or not sys.stderr.isatty() or os.environ.get("TERM", "") in ("", "dumb"):
        return None
    return _Ticker()


class _Ticker:
    shown = False

    def __init__(self) -> None:
        self._start = time.monotonic()

    def __call__(self, progress: Progress) -> None:
        if time.monotonic() - self._start < _PATIENCE:
            return
        _Ticker.shown = True
        sys.stderr.write(f"\r\x1b[K{progress_words(progress)} …")
        sys.stderr.flush()


def clear() -> None:
    """Take the line away again, before something else is printed."""
    if _Ticker.shown:
        _Ticker.shown = False
        sys.stderr.write("\r\x1b[K")
        sys.stderr.flush()
