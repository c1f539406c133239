"""`@pytest.mark.quiet`: such a test runs while no other test of this run does, also across xdist's workers.

Every test holds a shared lock on one file; a quiet one holds it exclusively. Whoever waits for that holds the gate meanwhile,
through which everybody comes: otherwise, among many workers, there would always be somebody else who has begun.
"""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def turnstile(lock: Path, *, alone: bool) -> Iterator[None]:
    with lock.open("w") as room:
        with lock.with_suffix(".gate").open("w") as gate:
            fcntl.flock(gate, fcntl.LOCK_EX)
            fcntl.flock(room, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
        yield
