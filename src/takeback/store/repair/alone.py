"""Having a store to oneself: nobody reads, saves, collects or repairs in it meanwhile.

Whoever works holds a lease, and a lease is a kernel's lock on a file, so it is enough to get all of those alone; who
comes later waits there. Those who only write a label hold none: the catalogue's own write lock keeps them out.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from takeback.errors import Locked
from takeback.store.durable import storage_error
from takeback.store.locks import root_lock


class Alone:
    """A store that is held; `generation` holds off whoever takes a lease of that generation, too."""

    def __init__(self, directory: str, doing: str, stack: ExitStack) -> None:
        self._leases = os.path.join(directory, "leases")
        self._directory = directory
        self._doing = doing
        self._stack = stack
        self._held: set[str] = set()

    @property
    def newest(self) -> int:
        """The newest generation that anybody ever had a lease of, as far as files tell."""
        return max((int(name) for name in self._held), default=0)

    def every_lease(self) -> None:
        for name in os.listdir(self._leases) if os.path.isdir(self._leases) else []:
            if name.isdecimal():
                self._hold(name)

    def generation(self, number: int) -> None:
        if str(number) not in self._held and os.path.isdir(self._leases) and os.access(self._leases, os.W_OK):
            self._hold(str(number))

    def _hold(self, name: str) -> None:
        path = os.path.join(self._leases, name)
        try:
            fd = os.open(path, os.O_RDONLY | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        except OSError as error:
            raise storage_error(error, f"opening {path}") from error
        self._stack.callback(os.close, fd)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise busy(self._directory, self._doing) from None
        self._held.add(name)


@contextmanager
def alone(directory: str, doing: str) -> Iterator[Alone]:
    """Have a store's directory alone; Locked if anybody is at work in it."""
    with ExitStack() as stack:
        for place in (directory, os.path.join(directory, "packs")):
            if os.path.isdir(place):
                try:
                    stack.enter_context(root_lock(place, 0))
                except Locked:
                    raise busy(directory, doing) from None
        held = Alone(directory, doing, stack)
        held.every_lease()
        yield held


def busy(directory: str, doing: str) -> Locked:
    return Locked(
        f"the store at {directory} cannot be {doing} now: somebody is saving, restoring or maintaining there.",
        hints=["end what uses it, agents and their hooks too, and try again"],
    )
