"""Which paths of a team were touched since one last asked: from the kernel where it tells, else by looking twice.

The kernel (inotify) keeps one list of all changes in all watched directories, in their order, so that asking costs next to
nothing however large the team is. It tells nothing of what other machines do to a file system that they share; there, and
where there is no inotify, or no watch left, everything is looked at again and compared.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from takeback.sources.team.covered import Covered
from takeback.sources.team.ear import Deaf, Ear
from takeback.sources.team.eyes import Eyes
from takeback.sources.team.kernel import Kernel


@contextmanager
def listening(root: str, covered: Covered) -> Iterator[Ear]:
    """From now on every change of a team is told of."""
    try:
        ear = Kernel(root, covered)
    except (Deaf, OSError):
        yield Eyes(root, covered)
        return
    try:
        yield ear
    finally:
        ear.close()
