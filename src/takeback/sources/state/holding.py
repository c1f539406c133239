"""Locks of objects, as a thread holds them: for one look or several, for one state or several that share it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator
from typing import Any, Protocol


class Lock(Protocol):
    """What `threading.Lock` and its kin are."""

    def acquire(self) -> Any: ...

    def release(self) -> Any: ...

    def __enter__(self) -> Any: ...

    def __exit__(self, *error: Any) -> Any: ...


class Held:
    """A lock that this thread holds for one staged state or several: they may share one, which need not be reentrant.

    An interrupt (Ctrl-C) may come between any two steps here. So whoever uses it is noted before it is taken, and it is
    taken inside of what cannot be left without giving it back.
    """

    def __init__(self, lock: Lock) -> None:
        self.lock = lock
        self._users: set[int] = set()
        self._inside: Generator[bool] | None = None

    def take(self, user: object, *, wait: bool = True) -> bool:
        """Have it; False if somebody else does, and nobody is to ``wait``. Either way it is to be given back."""
        first = not self._users
        self._users.add(id(user))
        if not first:
            return True
        self._inside = self._waited() if wait else self._tried()
        return next(self._inside)

    def _waited(self) -> Generator[bool]:
        with self.lock:
            yield True

    def _tried(self) -> Generator[bool]:
        got: list[object] = []
        acquire: Callable[..., object] = self.lock.acquire
        try:
            try:
                got.extend(map(acquire, (False,)))  # one step: no interrupt between having it and knowing so
            except TypeError:  # a lock of somebody's own, for which one can only wait
                yield from self._waited()
                return
            except Exception:  # as some say that it is taken; what else it may be, who waits for it is told
                got.append(False)
            yield bool(got[0])
        finally:
            if got and got[0]:
                self.lock.release()

    def give_back(self, user: object) -> None:
        self._users.discard(id(user))
        if not self._users:
            _HELD.locks.pop(id(self.lock), None)
            if self._inside is not None:
                self._inside.close()


class _HeldHere(threading.local):
    def __init__(self) -> None:
        self.locks: dict[int, Held] = {}


_HELD = _HeldHere()


def held_here(lock: Lock) -> Held:
    """A lock as this thread holds it, or is about to."""
    return _HELD.locks.setdefault(id(lock), Held(lock))
