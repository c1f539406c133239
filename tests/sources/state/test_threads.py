"""Other threads change the object while it is captured: with their lock never in between, without it never in a mess."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import takeback as tb
from support.graphs import Agent
from takeback.errors import Locked


@contextmanager
def busy(work: Callable[[int], None]) -> Iterator[None]:
    """While another thread works without a pause."""
    over = threading.Event()
    failed: list[BaseException] = []

    def run() -> None:
        number = 0
        try:
            while not over.is_set():
                number += 1
                work(number)
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
    assert not failed


def _saved(line: tb.Timeline) -> str:
    line.save()
    head = line.head
    assert isinstance(head, str)
    return head


def test_with_its_lock_a_state_is_never_captured_in_the_middle_of_a_change() -> None:
    lock = threading.Lock()
    agent = Agent(left=[], right=[], sums={})
    line = tb.open(":memory:").timeline("memory", sources=[tb.State("memory", agent, lock=lock)])

    def work(number: int) -> None:
        with lock:
            agent.left.append(number)
            agent.sums[f"k{number % 50}"] = (number, object.__name__)
            agent.right.append(number)
            if len(agent.left) > 100:
                agent.left.clear()
                agent.right.clear()

    with busy(work):
        refs = [_saved(line) for _ in range(40)]
    for ref in refs:
        found: Any = line.value(ref, "memory", types=[Agent])
        assert found.left == found.right


def test_without_a_lock_a_capture_is_a_value_or_says_what_to_give_it() -> None:
    agent = Agent(names={}, seen=set(), items=[], wide={f"k{n}": "v" * 50 for n in range(200)}, mixed={(1,): 2})

    def work(number: int) -> None:
        agent.names[(number % 700,)] = number
        agent.names.pop((number % 500,), None)
        agent.wide[f"k{number % 900}"] = "v" * 50
        agent.wide.pop(f"k{number % 700}", None)
        agent.seen ^= {number % 100}
        agent.items.append({"id": number})
        setattr(agent, f"a{number % 30}", (number,))
        if number % 30 == 0:
            agent.items.clear()
            delattr(agent, "a7") if hasattr(agent, "a7") else None

    state = tb.State("memory", agent)
    line = tb.open(":memory:").timeline("memory", sources=[state])
    good = 0
    with busy(work):
        for _ in range(150):
            try:
                line.value(_saved(line), "memory", types=[Agent])
                good += 1
            except Locked as error:
                assert "changes while it is being captured" in str(error)
    assert good


def test_states_that_share_a_lock_are_restored_together() -> None:
    lock = threading.Lock()
    agent, plan = Agent(notes=[1]), Agent(steps=["look"])
    sources = [tb.State("memory", agent, lock=lock), tb.State("plan", plan, lock=lock)]
    line = tb.open(":memory:").timeline("agent", sources=sources)
    line.save("before")
    agent.notes.append(2)
    plan.steps.clear()

    def look(number: int) -> None:
        with lock:
            assert len(agent.notes) == 2 - len(plan.steps)

    with busy(look):
        line.restore("before")
        assert (agent.notes, plan.steps) == ([1], ["look"])
        line.undo()
        assert (agent.notes, plan.steps) == ([1, 2], [])
    assert not lock.locked()


def test_a_lock_that_states_share_is_not_given_back_between_them() -> None:
    class Seen:
        """A lock that notes the state of both objects at each release."""

        def __init__(self) -> None:
            self._lock = threading.Lock()
            self.seen: list[tuple[list[int], list[str]]] = []

        def acquire(self, blocking: bool = True) -> bool:
            return self._lock.acquire(blocking)

        def release(self) -> None:
            self.seen.append(([*agent.notes], [*plan.steps]))
            self._lock.release()

        def __enter__(self) -> bool:
            return self.acquire()

        def __exit__(self, *error: object) -> None:
            self.release()

    lock = Seen()
    agent, plan = Agent(notes=[1]), Agent(steps=["look"])
    sources = [tb.State("memory", agent, lock=lock), tb.State("plan", plan, lock=lock)]
    line = tb.open(":memory:").timeline("agent", sources=sources)
    line.save("before")
    agent.notes.append(2)
    plan.steps.clear()
    line.restore("before")
    assert [seen for seen in lock.seen if seen not in (([1], ["look"]), ([1, 2], []))] == []
    assert lock.seen[-1] == ([1], ["look"])
    assert lock.acquire(blocking=False)
