"""Long work on the catalogue in short transactions, each of which leaves a whole store behind, with room for others
between them: a save beside it waits for one of them at most."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")

ROWS = 2000
"""Rows of blobs that are changed in some ten milliseconds."""
_LEAST_PAUSE = 0.002


def paced(items: Sequence[T], size: int = ROWS) -> Iterator[Sequence[T]]:
    """Some items at a time. As long as the work on them took, others have the catalogue to themselves: SQLite gives it
    to whoever comes first, and who waits looks only now and then."""
    for start in range(0, len(items), size):
        began = time.monotonic()
        yield items[start : start + size]
        if start + size < len(items):
            time.sleep(max(_LEAST_PAUSE, time.monotonic() - began))
