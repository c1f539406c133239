"""A restore or an undo of all four parts in a child, with one thing that goes wrong at one of its steps.

Its steps are: calls that change something on a disk, of the store, the files, the team and the container's own; calls to the
engine; the times that the lock of the memory is taken and given back; and what every source is asked, with every commit of
the catalogue. A try without a fault counts and names them.
"""

from __future__ import annotations

import errno
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import requests

import takeback as tb
from support import faults
from support.containers.calls import When, at_call, die
from support.faults import Fault
from support.together.world import Memory, Place
from takeback.store.writer import Writer

DISK, ENGINE, LOCK, SOURCE = "disk", "engine", "lock", "source"


class Wrong(NamedTuple):
    """What goes wrong: where, at which step there (the first is 1), and how."""

    where: str
    at: int
    how: str

    def __str__(self) -> str:
        return f"{self.how} at {self.where} step {self.at}"


KILLED, REFUSED, LOST, DOWN, RAISES = "killed", "refused", "the answer is lost", "down from then on", "an error"
HOW = {DISK: tuple(map(str, Fault)), ENGINE: (KILLED, REFUSED, LOST, DOWN), LOCK: (KILLED, RAISES)}
HOW[SOURCE] = HOW[LOCK]


@dataclass
class Tried:
    """How a try ended: what it failed with, what the memory is, and its steps by where they are."""

    memory: Memory
    error: str = ""
    hints: tuple[str, ...] = ()
    code: int = 0
    steps: dict[str, list[str]] = field(default_factory=dict)


class Verb(Protocol):
    """What is tried; a function of a module, because it goes to another process by its name."""

    def __call__(self, line: tb.Timeline) -> object: ...


def back(line: tb.Timeline) -> object:
    return line.restore("before")


def forth(line: tb.Timeline) -> object:
    return line.restore("after")


def undo(line: tb.Timeline) -> object:
    return line.undo()


def redo(line: tb.Timeline) -> object:
    return line.redo()


class Disaster(Exception):
    """What the code of somebody else raises."""


def attempt(
    place: Place, verb: Verb, memory: Memory, wrong: Wrong | None = None, beside: tuple[Path, ...] = ()
) -> Tried:
    """In a child with the fault layer: do it with an object that is as it was saved last. ``beside`` are directories of
    the engine's that are written to directly."""
    place.enter()
    tried = Tried(memory)
    steps = {where: _Steps(wrong, where) for where in (LOCK, SOURCE)}
    lock = _Lock(steps[LOCK])
    with place.line(memory, lock) as line, ExitStack() as stack:
        for source in line.sources.values():
            _watched(source, steps[SOURCE])
        stack.enter_context(_commits(steps[SOURCE]))
        calls = stack.enter_context(_calls(wrong))
        disk = next((each for each in Fault if wrong and wrong.where == DISK and str(each) == wrong.how), None)
        faults.arm(place.base, disk, wrong.at if wrong else 0, also=beside)
        try:
            verb(line)
        except tb.TakebackError as error:
            tried.error, tried.hints, tried.code = error.message, tuple(error.hints), error.exit_code
        except (Disaster, KeyboardInterrupt) as error:
            tried.error = type(error).__name__
        finally:
            faults.disarm()
    assert not lock.held, "the memory stays locked"
    tried.steps = {DISK: [point.text for point in faults.points()], ENGINE: calls.made}
    tried.steps |= {where: each.made for where, each in steps.items()}
    return tried


def carry_on(place: Place) -> Tried:
    """In a child: the next program of the same owner begins with what its memory was saved as last, and saves."""
    place.enter()
    with tb.open(place.store) as store:
        memory = store.timeline("main", sources=[tb.Workspace(place.project)]).value("@", "memory")
    with place.line(memory) as line:
        line.save(trigger="interval")
    return Tried(memory)


class _Steps:
    """Steps of one kind, one of which fails when it has been done."""

    def __init__(self, wrong: Wrong | None, where: str) -> None:
        self.made: list[str] = []
        self._wrong = wrong if wrong is not None and wrong.where == where else None

    def done(self, what: str) -> None:
        self.made.append(what)
        if self._wrong is None or len(self.made) != self._wrong.at:
            return
        if self._wrong.how == KILLED:
            die()
        raise Disaster(what)


class _Lock:
    """A lock whose own code fails. It fails when nothing is locked, as any lock should that fails."""

    def __init__(self, steps: _Steps) -> None:
        self._lock, self._steps = threading.Lock(), steps

    @property
    def held(self) -> bool:
        return self._lock.locked()

    def acquire(self) -> bool:
        self._steps.done("take")
        return self._lock.acquire()

    def release(self) -> None:
        self._lock.release()
        self._steps.done("give back")

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(self, *_: object) -> None:
        self.release()


class _Staged:
    """What is staged, with each of its steps counted."""

    def __init__(self, staged: Any, name: str, steps: _Steps) -> None:
        self._staged, self._name, self._steps = staged, name, steps

    @property
    def kept(self) -> Any:
        return self._staged.kept

    def apply(self) -> None:
        self._staged.apply()
        self._steps.done(f"apply {self._name}")

    def finish(self) -> None:
        self._staged.finish()
        self._steps.done(f"finish {self._name}")

    def discard(self) -> None:
        self._staged.discard()


def _watched(source: Any, steps: _Steps) -> None:
    """Have what a source is asked on the way be steps."""
    for verb in ("stage", "unfinished", "amend"):
        setattr(source, verb, _counted(getattr(source, verb), f"{verb} {source.name}", steps))


def _counted(method: Callable[..., Any], what: str, steps: _Steps) -> Callable[..., Any]:
    def call(*arguments: Any, **options: Any) -> Any:
        result = method(*arguments, **options)
        staged = what.startswith("stage ")
        try:
            steps.done(what)
        except Disaster:
            if staged:
                result.discard()  # as a source does whose last step fails
            raise
        return _Staged(result, what.removeprefix("stage "), steps) if staged else result

    return call


@contextmanager
def _commits(steps: _Steps) -> Iterator[None]:
    """Every commit of a snapshot is a step, that fails when it is on the disk."""
    commit = Writer.commit

    def counted(self: Writer, *arguments: Any, **options: Any) -> Any:
        result = commit(self, *arguments, **options)
        steps.done("commit")
        return result

    Writer.commit = counted  # type: ignore[method-assign]
    try:
        yield
    finally:
        Writer.commit = commit  # type: ignore[method-assign]


@contextmanager
def _calls(wrong: Wrong | None) -> Iterator[Any]:
    """Every call to the engine, its questions included, is a step."""
    if wrong is None or wrong.where != ENGINE:
        with at_call(only=" ") as calls:
            yield calls
        return

    def refuse() -> None:
        raise requests.ConnectionError(OSError(errno.ECONNREFUSED, "the test says so"))

    action = die if wrong.how == KILLED else refuse
    when: When = "after" if wrong.how == LOST else "before"
    with at_call(wrong.at, action, when, only=" ", later=wrong.how == DOWN) as calls:
        yield calls
