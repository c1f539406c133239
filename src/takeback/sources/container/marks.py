"""Where it is noted which containers are paused. Every command asks, so this loads nothing."""

from __future__ import annotations

import os


def directory() -> str:
    """A directory of this user's own, which outlives no restart of the machine: nor does a pause. It is the same whatever
    TMPDIR is, so that any command finds what any other left; only tests, which leave much, name others."""
    return os.environ.get("TAKEBACK_PAUSED") or f"/tmp/takeback-paused-{os.geteuid()}"  # noqa: TID251


def noted() -> list[str]:
    """The ids of containers that a process has paused, alive or dead."""
    try:
        return os.listdir(directory())
    except OSError:
        return []
