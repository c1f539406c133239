"""Another interpreter: what was in memory here is not there."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


def elsewhere(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Call a function of a module in a process that begins with nothing; what it raises is raised here."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(work, args, kwargs)
