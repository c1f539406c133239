"""Where tests write: into memory, if the machine has room there, which takes a third less time. What is about disks, and
about files as a disk keeps them, writes to one; `ON_DISK` says which tests these are."""

from __future__ import annotations

import errno
import functools
import itertools
import os
import re
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from support.trees import remove

ON_DISK = (
    "conformance",
    "crash/test_power_cut.py",
    "e2e/test_watch.py",
    "engine/test_not_in_snapshots.py",
    "engine/test_uncaptured.py",
    "sources/workspace/test_capture.py",
    "sources/workspace/test_lately.py",
    "sources/workspace/test_place.py",
    "sources/workspace/test_place_limits.py",
    "sources/workspace/test_statcache.py",
    "store/test_durable.py",
)
"""Below ``tests``."""

_TRIES = 100

_MEMORY = Path("/dev/shm")
_ROOM = 4 << 30
_TESTS = Path(__file__).parents[1]
_UNUSUAL = re.compile(r"\W", re.ASCII)
_numbers = itertools.count()


def memory() -> Path | None:
    """A place in memory with enough room for every test of a run."""
    if not os.access(_MEMORY, os.W_OK):
        return None
    there = os.statvfs(_MEMORY)
    return _MEMORY if there.f_bavail * there.f_frsize >= _ROOM else None


def write_to_memory() -> None:
    """For pytest, before it makes its first directory; whoever names a place (``--basetemp``) has it."""
    if (place := memory()) is not None:
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(place))


def new_directory(request: pytest.FixtureRequest, name: str) -> Path:
    """One that stays for a while after the run, in pytest's own directory. `TempPathFactory.mktemp` with a number would read all
    that are there for each new one."""
    factory: pytest.TempPathFactory = request.getfixturevalue("tmp_path_factory")
    return factory.mktemp(f"{next(_numbers)}-{_UNUSUAL.sub('_', name)[:24]}", numbered=False).resolve()


def is_about_disks(item: pytest.Item) -> bool:
    return _is_about_disks(item.path)


@functools.cache
def _is_about_disks(path: Path) -> bool:
    return any(path.is_relative_to(_TESTS / each) for each in ON_DISK)


@contextmanager
def directory(place: Path | None = None) -> Iterator[Path]:
    """A new one for the length of the block: there, or on disk."""
    path = Path(tempfile.mkdtemp(prefix="takeback-test-", dir=place)).resolve()
    try:
        yield path
    finally:
        _remove(path)


def _remove(path: Path) -> None:
    """Remove a directory, also if a process that a test has told to end writes its last file there."""
    for tries in range(_TRIES, 0, -1):
        try:
            remove(path)
        except OSError as error:
            if error.errno != errno.ENOTEMPTY or tries == 1:
                raise
            time.sleep(0.05)
        else:
            break
