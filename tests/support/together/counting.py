"""A program that counts: it writes the same number into a file, into a file in its container, into its memory and into its
team's list of tasks, in this order, one number after the other, as fast as it can; and saves all of it meanwhile.

What it wrote tells whether the parts of a snapshot are of one instant. Each write is done before the next begins (in the
container a process says so), so at any instant some of the four, from the first on, have a number, and the others the one
before. As a program it reads an `Order` and writes an `Account`, both as JSON.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import docker
from clawteam.team.tasks import TaskStore
from docker.utils.socket import next_frame_header, read_exactly

import takeback as tb
from support.teams.real import VARIABLE
from support.together.world import Memory, Place

FILE, INSIDE = "counter.txt", "/srv/counter"
_WRITES = f"while read n; do printf '%s' $n 1<>{INSIDE}; echo; done"
"""Over what is there, in one call: a file is never seen empty."""
_WIDTH = 9

TOGETHER, APART = "together", "apart"


@dataclass(frozen=True)
class Order:
    """What the program is to do."""

    base: str
    container: str
    engine: str
    snapshots: int
    how: str = TOGETHER
    """`TOGETHER` in one snapshot, or, to know that this can fail, each part by itself, one after the other."""
    whole: bool = False
    """Whether the memory's lock is held for all four writes of a number."""


@dataclass
class Account:
    """What it did: the numbers that each snapshot holds, in the order of writing, and how far it had counted in the end."""

    seen: list[list[int]] = field(default_factory=list)
    unsettled: list[str] = field(default_factory=list)
    """What a snapshot says that it could not see at one instant, or missed."""
    written: int = 0
    trouble: str = ""


def run(order: Order) -> Account:
    """In a process of its own."""
    path = os.pathsep.join([str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-m", "support.together.counting"],
        input=json.dumps(asdict(order)),
        stdout=subprocess.PIPE,
        text=True,
        timeout=600,
        env={**os.environ, "PYTHONPATH": path, VARIABLE: f"{order.base}/clawteam", "CLAWTEAM_TRANSPORT": "file"},
    )
    assert done.returncode == 0, "the program failed: its traceback is in what the test printed"
    return Account(**json.loads(done.stdout))


class Counter(threading.Thread):
    """Writes one number after the other until it is told to end."""

    def __init__(self, place: Place, memory: Memory, lock: threading.Lock, say: Callable[[bytes], None], whole: bool):
        super().__init__(daemon=True)
        self._memory, self._lock, self._say, self._whole = memory, lock, say, whole
        self._tasks: Any = TaskStore(place.team)
        self.task = self._tasks.create("count", owner="ada").id
        self._file = os.open(place.project / FILE, os.O_RDWR | os.O_CREAT, 0o644)
        self._end = threading.Event()
        self.written = 0
        self.error: BaseException | None = None
        self._write(0)

    def run(self) -> None:
        try:
            for number in count(1):
                if self._end.is_set():
                    return
                with self._lock if self._whole else nullcontext():
                    self._write(number)
                self.written = number
        except BaseException as error:
            self.error = error

    def end(self) -> None:
        self._end.set()
        self.join()

    def _write(self, number: int) -> None:
        data = b"%0*d" % (_WIDTH, number)
        os.pwrite(self._file, data, 0)
        self._say(data)
        with nullcontext() if self._whole else self._lock:
            self._memory["number"] = number
        self._tasks.update(self.task, subject=data.decode())


@contextmanager
def writing_inside(place: Place) -> Iterator[Callable[[bytes], None]]:
    """A process in the container that lives on: what it is told it writes, and says when it is written."""
    api = docker.APIClient(base_url=place.engine, version="auto")
    id = api.exec_create(place.container, ["sh", "-c", _WRITES], stdin=True)["Id"]
    stream = api.exec_start(id, socket=True)

    def say(data: bytes) -> None:
        stream._sock.sendall(data + b"\n")
        _, size = next_frame_header(stream)
        assert read_exactly(stream, size) == b"\n", "the process in the container failed"

    try:
        yield say
    finally:
        stream._response.close()
        stream.close()
        api.close()


def main() -> None:
    order = Order(**json.load(sys.stdin))
    place = Place(Path(order.base), order.container, order.engine)
    place.enter()
    memory: Memory = {"number": 0, "messages": [f"message {number}" for number in range(1000)]}
    lock, account = threading.Lock(), Account()
    with writing_inside(place) as say, tb.open(place.store) as store:
        counter = Counter(place, memory, lock, say, order.whole)
        sources = place.sources(memory, lock)
        lines = _lines(store, sources, order.how)
        for line in lines:
            line.save()
        counter.start()
        taken = [_save(lines, account) for _ in range(order.snapshots)]
        counter.end()
        account.written = counter.written
        account.trouble = repr(counter.error) if counter.error else ""
        account.seen = [_numbers(place, counter.task, each) for each in taken]
    print(json.dumps(asdict(account)))


Taken = dict[str, tuple[tb.Timeline, str]]
"""The snapshot that holds each part."""


def _lines(store: tb.Store, sources: list[Any], how: str) -> list[tb.Timeline]:
    if how == TOGETHER:
        return [store.timeline("main", sources=sources)]
    return [store.timeline(source.name, sources=[source]) for source in sources]


def _save(lines: list[tb.Timeline], account: Account) -> Taken:
    taken: Taken = {}
    for line in lines:
        snapshot = line.save(trigger="interval")
        taken |= dict.fromkeys(line.sources, (line, snapshot.id))
        account.unsettled += [item.path for item in snapshot.not_captured if item.reason == "unsettled"]
        account.unsettled += [f"{part}: {why}" for part, why in getattr(snapshot, "missed", {}).items()]
    return taken


def _numbers(place: Place, task: str, taken: Taken) -> list[int]:
    """In the order of writing."""

    def read(part: str, path: str) -> bytes:
        line, id = taken[part]
        return line.read(id, path, part=part)

    line, id = taken["memory"]
    return [
        int(read("workspace", FILE)),
        int(read("container", INSIDE)),
        int(line.value(id, "memory")["number"]),
        int(json.loads(read("team", f"tasks/{place.team}/task-{task}.json"))["subject"]),
    ]


def agree(numbers: list[int]) -> bool:
    """Whether there was an instant with these: some from the first on have a number, the others the one before."""
    return numbers == sorted(numbers, reverse=True) and numbers[0] - numbers[-1] <= 1


if __name__ == "__main__":
    main()
