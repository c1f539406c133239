"""Which directory is the root around another one.

A ``takeback.toml`` that comes into being in, or above, a root that is recorded already would make another root of part of it,
with another history. An agent can write one, so it does not count there until a person agrees (`takeback trust`).
"""

from __future__ import annotations

import os
from collections.abc import Collection
from typing import NamedTuple

from takeback.locate import agreed, baseline
from takeback.locate.layers import PROJECT_FILE


class Found(NamedTuple):
    """A root."""

    root: str
    by: str
    """``takeback.toml``, ``fork``, ``git`` or ``directory``."""
    passed: str = ""
    """A directory whose ``takeback.toml`` does not count."""

    @property
    def said(self) -> tuple[str, ...]:
        """What a person should know of it."""
        if not self.passed:
            return ()
        file = os.path.join(self.passed, PROJECT_FILE)
        return (
            f"{file} was not there when {self.root} was recorded first, so it makes no root of its own until you agree: "
            f"`takeback trust`",
        )


def find_root(directory: str) -> tuple[str, str]:
    """The nearest directory with a ``takeback.toml``, or of a fork, else git's top level, else the directory itself."""
    return find(directory)[:2]


def find(directory: str) -> Found:
    first = _nearest(directory, ())
    if baseline.is_empty():
        return Found(*first)
    (root, by), passed = first, []
    while by == PROJECT_FILE and (known := baseline.read(root)) is None:
        passed.append(root)
        root, by = _nearest(directory, passed)
    known = baseline.read(root) if passed else None
    if known is None:
        return Found(*first)
    for number, each in enumerate(passed):
        if _made(each) <= known.time_ns:
            return Found(each, PROJECT_FILE, passed[0] if number else "")
    return Found(root, by, passed[0])


def _nearest(directory: str, passed: Collection[str]) -> tuple[str, str]:
    git = None
    current = directory
    no_forks = agreed.is_empty()
    while True:
        if os.path.isfile(os.path.join(current, PROJECT_FILE)) and current not in passed:
            return current, PROJECT_FILE
        if not no_forks and (known := agreed.read(current)) is not None and known.timeline is not None:
            return current, "fork"
        if git is None and os.path.exists(os.path.join(current, ".git")):
            git = current
        above = os.path.dirname(current)
        if above == current:
            return (git, "git") if git is not None else (directory, "directory")
        current = above


def _made(directory: str) -> int:
    """When a directory's file came to be what it is."""
    try:
        return os.lstat(os.path.join(directory, PROJECT_FILE)).st_ctime_ns
    except OSError:
        return 0
