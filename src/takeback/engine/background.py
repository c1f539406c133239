"""Upkeep in a process of its own: nobody waits for it, and nobody fails because of it.

The process is a session of its own, with low priority and nothing to read from or write to. What goes wrong in it, and
what a person should know, becomes a notice that the next command shows (`takeback.store.notices`).
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from takeback.engine.due import due
from takeback.errors import TakebackError
from takeback.model.limits import Limits
from takeback.model.progress import Watch
from takeback.store.blobstore import BlobStore, open_local
from takeback.store.catalogue import figures

if TYPE_CHECKING:
    from subprocess import Popen

_WHERE = "upkeep"
_NICE = 10
_LOOK_EVERY = 60.0
"""Seconds between two looks at the limits of a process that saves again and again."""

_STARTED: list[Popen[bytes]] = []
"""Those that may not have ended yet; ended ones are let go when the next begins."""


class Background:
    """Called after each save, with its trigger: starts upkeep if it is due, and never raises."""

    def __init__(self, blobs: BlobStore, limits: Limits) -> None:
        self._blobs, self._limits = blobs, limits
        self._looked = float("-inf")

    def __call__(self, trigger: str) -> None:
        try:
            now = time.monotonic()
            look = now - self._looked >= _LOOK_EVERY
            if due(self._blobs, self._limits, trigger, look_at_limits=look):
                _start(self._blobs, self._limits)
            if look:
                self._looked = now
        except Exception as error:
            _note(self._blobs, error)


def _start(blobs: BlobStore, limits: Limits) -> None:
    import subprocess  # seldom needed, and a save should not pay for it

    with blobs.database.write() as tx:
        figures.note_asked(tx, time.time_ns())
    _STARTED[:] = [process for process in _STARTED if process.poll() is None]
    # Neither from the directory it is started in, nor from there: a workspace may hold anything, called takeback.
    command = [sys.executable, "-P", "-m", __name__, blobs.directory or "", _encode(limits)]
    _STARTED.append(
        subprocess.Popen(
            command,
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    )


def main(arguments: Sequence[str]) -> int:
    """Keep up the store that is named, within the limits that are."""
    from takeback.engine.upkeep import keep_up  # here, as below: who saves does not need it
    from takeback.store import notices

    os.nice(_NICE)
    path, limits = arguments
    try:
        with open_local(path, create=False) as blobs:
            done = keep_up(blobs, _decode(limits), Watch())
        if done.problem:
            notices.note(path, _WHERE, done.problem, done.hints)
        return 0
    except TakebackError as error:
        notices.note(path, _WHERE, error.message, error.hints)
    except Exception as error:
        notices.note(path, _WHERE, f"this is a bug in takeback: {type(error).__name__}: {error}")
    return 1


def _note(blobs: BlobStore, error: Exception) -> None:
    from takeback.store import notices

    if blobs.directory is not None:
        notices.note(blobs.directory, _WHERE, f"upkeep could not be started: {error}")


def _encode(limits: Limits) -> str:
    from dataclasses import asdict

    policy, own = (None if each is None else asdict(each) for each in (limits.policy, limits.own))
    return json.dumps({"policy": policy, "min_free": limits.min_free, "root": limits.root, "own": own})


def _decode(text: str) -> Limits:
    from takeback.model.policy import Policy

    raw = json.loads(text)
    policy, own = (None if raw[each] is None else Policy(**raw[each]) for each in ("policy", "own"))
    return Limits(policy, raw["min_free"], raw["root"], own)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
