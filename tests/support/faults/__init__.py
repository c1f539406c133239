"""Faults under every call that changes something on disk, for tests of what a process leaves that died or failed there.

The layer is a small library in C (`shim.c`) that is loaded before libc into a process of its own (`zygote`), so it sees
Python's calls, SQLite's and those of every thread, and the code under test runs unchanged. The calls of an operation
are its **points**: a run without a fault counts and names them, then each can be given every `Fault` in turn.
"""

from __future__ import annotations

import ctypes
import enum
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from support import campaigns


class Fault(enum.Enum):
    """What can happen at a point."""

    KILL = 1, "killed"
    FAIL = 2, "one EIO"
    BREAK = 3, "EIO from then on"
    FILL = 4, "full disk from then on"
    TEAR = 5, "half a write, then a full disk"
    STOP = 6, "Ctrl-C"
    DENY = 7, "one EACCES"

    @property
    def number(self) -> int:
        return self.value[0]

    def __str__(self) -> str:
        return self.value[1]

    def applies(self, point: Point) -> bool:
        """Whether it makes a difference there. A full disk refuses only what needs space."""
        if self is Fault.FILL:
            return point.kind in (GROWS, WRITES)
        return self is not Fault.TEAR or point.kind == WRITES


BROKEN = tuple(fault for fault in Fault if fault is not Fault.DENY)
"""All that a disk or a process may do; the one that is left is somebody's doing, who took a permission away."""

CHANGES, GROWS, WRITES, SYNCS = 1, 2, 3, 4
"""What a call does: change what is there, need a little more space, write bytes, or make sure of them."""


class Point(NamedTuple):
    """A call that changes something: its kind, and its name with the path it is about."""

    kind: int
    text: str


def runs(points: Sequence[Point], faults: Sequence[Fault] = BROKEN) -> list[tuple[Fault, int]]:
    """Every fault at every point where it makes a difference."""
    return [(fault, at) for fault in faults for at, point in enumerate(points, 1) if fault.applies(point)]


def some(points: Sequence[Point], faults: Sequence[Fault] = BROKEN, *, count: int) -> list[tuple[Fault, int]]:
    """All `runs` in `make soak`; in `make test` as many as ``count``, spread evenly over the points, each with the next fault.

    Of equal calls in a row, as the pages of a commit are, only the first and the last are chosen.
    """
    every = runs(points, faults)
    if campaigns.running() or len(every) <= count:
        return every
    texts = ["", *(point.text for point in points), ""]
    apart = {at for at in range(1, len(points) + 1) if not texts[at - 1] == texts[at] == texts[at + 1]}
    chosen = []
    for number in range(count):
        fault = faults[(number + len(points)) % len(faults)]  # another one first for each operation
        places = [at for each, at in every if each is fault and at in apart]
        if places:
            chosen.append((fault, places[number * (len(places) - 1) // max(1, count - 1)]))
    return chosen


def build(directory: Path) -> Path:
    """Compile the layer; a Linux machine without a compiler is a failure, another system is left out."""
    if not sys.platform.startswith("linux"):
        pytest.skip("faults are put under a process by LD_PRELOAD, which is Linux's")
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.fail("no C compiler for the fault layer: scripts/services packages gcc libc6-dev", pytrace=False)
    library = directory / "faults.so"
    source = Path(__file__).with_name("shim.c")
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], check=True)
    return library


def arm(directory: Path, fault: Fault | None = None, at: int = 0, *, also: Sequence[Path] = ()) -> None:
    """From now on count what this process does below a directory, or below others, and let ``fault`` happen at point
    ``at``."""
    _layer().faults_arm(b"\n".join(map(bytes, (directory, *also))), fault.number if fault else 0, at)


def disarm() -> None:
    _layer().faults_disarm()


@contextmanager
def paused() -> Iterator[None]:
    """What happens here is the test's own doing: neither counted nor failed."""
    _layer().faults_pause(1)
    try:
        yield
    finally:
        _layer().faults_pause(0)


def points() -> list[Point]:
    """The calls since `arm`, in order."""
    layer = _layer()
    return [Point(layer.faults_kind(at), layer.faults_text(at).decode()) for at in range(1, layer.faults_calls() + 1)]


def failures() -> int:
    """How many calls were failed since `arm`."""
    return int(_layer().faults_failures())


@cache
def _layer() -> Any:
    layer = ctypes.CDLL(None)
    if not hasattr(layer, "faults_arm"):
        raise RuntimeError("this process was started without the fault layer: see support.faults.zygote")
    layer.faults_arm.argtypes = (ctypes.c_char_p, ctypes.c_int, ctypes.c_long)
    layer.faults_text.restype = ctypes.c_char_p
    for name in ("faults_text", "faults_kind"):
        getattr(layer, name).argtypes = (ctypes.c_long,)
    for name in ("faults_calls", "faults_failures"):
        getattr(layer, name).restype = ctypes.c_long
    return layer
