"""Several objects with locks: nobody ever waits for one while keeping another from its owner."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

import takeback as tb

_LONG = 30.0
"""Seconds after which two are taken to be waiting for each other."""


class Told:
    """A lock that tells when somebody else than its maker has taken it."""

    def __init__(self) -> None:
        self._lock, self._maker = threading.Lock(), threading.get_ident()
        self.taken = threading.Event()

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        got = self._lock.acquire(blocking, timeout)
        if got and threading.get_ident() != self._maker:
            self.taken.set()
        return got

    def release(self) -> None:
        self._lock.release()

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(self, *error: Any) -> None:
        self.release()


@contextmanager
def beside(act: Any) -> Iterator[list[Any]]:
    """Do something in another thread; what it gave is there at the end."""
    given: list[Any] = []
    thread = threading.Thread(target=lambda: given.append(act()), daemon=True)
    thread.start()
    yield given
    thread.join(_LONG)


@pytest.mark.parametrize("verb", ["save", "restore"])
def test_a_program_that_takes_the_locks_in_another_order_is_not_waited_for_while_it_waits(verb: str) -> None:
    first, second = Told(), threading.Lock()
    one, two = {"n": 1}, {"n": 1}
    states = [tb.State("one", one, lock=first), tb.State("two", two, lock=second)]
    line = tb.open(":memory:").timeline("agent", sources=states, root="")
    began = line.save()
    one["n"] = two["n"] = 2
    second.acquire()
    with beside(line.save if verb == "save" else lambda: line.restore(began)) as given:
        assert first.taken.wait(_LONG)  # whoever saves has one of them, and waits for the other
        got = first.acquire(timeout=_LONG)
        second.release()
        assert got
        first.release()
    assert given and line.show("@").parts.keys() == {"one", "two"}
    assert (one["n"], two["n"]) == ((2, 2) if verb == "save" else (1, 1))
    assert first.acquire(False) and second.acquire(False)


def test_a_lock_that_knows_no_trying_is_waited_for() -> None:
    class Plain:
        def __init__(self) -> None:
            self.inside = 0

        def acquire(self) -> None:
            self.inside += 1

        def release(self) -> None:
            self.inside -= 1

        __enter__ = acquire

        def __exit__(self, *error: Any) -> None:
            self.release()

    locks = [Plain(), Plain()]
    states = [tb.State(f"s{number}", {"n": 1}, lock=lock) for number, lock in enumerate(locks)]
    line = tb.open(":memory:").timeline("agent", sources=states, root="")
    assert line.save().parts.keys() == {"s0", "s1"}
    assert [lock.inside for lock in locks] == [0, 0]


def test_a_lock_that_fails_leaves_the_others_free() -> None:
    class Broken(Told):
        def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
            raise OSError("no such file")

    free = threading.Lock()
    states = [tb.State("one", {"n": 1}, lock=free), tb.State("two", {"n": 1}, lock=Broken())]
    line = tb.open(":memory:").timeline("agent", sources=states, root="")
    found = line.save()
    assert found.parts.keys() == {"one"} and "no such file" in found.missed["two"]
    assert free.acquire(False)
