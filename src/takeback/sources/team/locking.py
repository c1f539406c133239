"""A team's own locks: while one is held here, no member changes what it is for.

A lock is a file that stays where it is. It is opened as the framework opens it, so that both lock the same one, and asked
again whether it is still the one of that name: another that took its place would exclude nobody.
"""

from __future__ import annotations

import fcntl
import os
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from takeback.errors import Locked, Unavailable
from takeback.model.tree import name_bytes
from takeback.sources.team.layouts import Layout
from takeback.sources.workspace.place.directories import Blocked, Directories

PATIENCE = 10.0
_FLAGS = os.O_RDWR | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK


@contextmanager
def locked(root: str, layout: Layout, team: str, patience: float = PATIENCE) -> Iterator[None]:
    """Hold all locks of a team that there are; Locked if one of them is not let go of in time."""
    until = time.monotonic() + patience
    with ExitStack() as stack:
        for lock in layout.locks:
            place = lock.place.format(team=team)
            handle = _take(root, place, lock.made, until)
            if handle is not None:
                stack.callback(os.close, handle)
        yield


def _take(root: str, place: str, made: bool, until: float) -> int | None:
    """The locked file; None if there is nothing to lock."""
    path = f"{root}/{place}"
    while True:
        handle = _open(root, place, made)
        if handle is None:
            return None
        try:
            if _lock(handle, until) and _stands_at(path, handle):
                return handle
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)
        if time.monotonic() > until:
            raise Locked(
                f"a member of the team is at work: {path} has been locked for more than {PATIENCE:.0f} seconds",
                hints=["try again; if it hangs, `fuser -v` with that path names the process that holds it"],
            )


def _open(root: str, place: str, made: bool) -> int | None:
    """No link is followed on the way: it would have one made where nobody asked for it."""
    try:
        within = Directories(root)
    except Unavailable:
        return None
    try:
        directory, name = within.parent(place)
        if directory is None:
            return None
        try:
            return os.open(name, _FLAGS | (os.O_CREAT if made else 0), 0o644, dir_fd=directory)
        except FileNotFoundError:
            return None
        except OSError:  # not ours to write; it can be locked all the same, if it can be read
            return os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK, dir_fd=directory)
    except (OSError, Blocked, Unavailable):
        return None
    finally:
        within.close()


def _lock(handle: int, until: float) -> bool:
    """Wait in the same queue as the members do: whoever only asks now and then never comes between them."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    except BlockingIOError:
        return _Waiting(os.dup(handle)).until(until)


class _Waiting(threading.Thread):
    """Waits for a lock for as long as it takes. One that comes too late is let go of at once."""

    def __init__(self, handle: int) -> None:
        super().__init__(daemon=True)
        self._handle, self._given_up, self._got = handle, False, False
        self._deciding = threading.Lock()

    def until(self, moment: float) -> bool:
        self.start()
        self.join(max(0.0, moment - time.monotonic()))
        with self._deciding:
            self._given_up = not self._got
        return self._got

    def run(self) -> None:
        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX)
            with self._deciding:
                self._got = not self._given_up
                if self._given_up:
                    fcntl.flock(self._handle, fcntl.LOCK_UN)
        finally:
            os.close(self._handle)


def _stands_at(path: str, handle: int) -> bool:
    try:
        return os.path.samestat(os.stat(name_bytes(path), follow_symlinks=False), os.fstat(handle))
    except OSError:
        return False
