"""Members of a team that never rest: processes that work through ClawTeam's own interface as fast as they can.

What each does leaves traces from which one can tell whether a view of the team is of one instant (`seeing.impossible`). A
writer counts its rounds, and in each round, in this order: notes the number in its session; every `PACE` rounds, in its task;
and mails it to another, with a number of its own for each letter. It reads its own mail, and then notes in its session what
it has heard. What makes a team grow (tasks that depend on others, plans, costs) is done once for each token that it is given,
so that a team grows with the number of looks at it and not with the speed of the machine; and a writer keeps its part of the
log short, as a person does who tidies up.

They end when whoever started them closes their input, or dies.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
from collections import Counter, deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from clawteam.team.models import MessageType, TaskStatus

from support.teams.real import RealTeam

NAMES = ("w0", "w1", "w2", "w3")
REPORTER = NAMES[0]
"""The only one that reports costs: ClawTeam writes the summary through one fixed temporary name, so that two who report tear
it on the disk by themselves."""
PACE = 4
"""Rounds from one change of a task to the next: who waits for the lock of the tasks does nothing else meanwhile."""
BROADCASTS = 16
"""Rounds from one letter to all to the next."""
BATCH = 10
"""Letters that are read at once."""
KEPT = 24
"""Events of its own that each leaves in the log."""


class Writers:
    """The processes, as a test has them."""

    def __init__(self, team: RealTeam, pause: float = 0) -> None:
        self._processes = [_start(team, name, pause) for name in NAMES]
        self._turn = 0

    def grow(self) -> None:
        """Have one of them, each in turn, add to the team."""
        stream = self._processes[self._turn % len(self._processes)].stdin
        assert stream is not None
        stream.write(b".")
        stream.flush()
        self._turn += 1

    def ready(self) -> None:
        """All of them are at work."""
        for process in self._processes:
            assert process.stdout is not None
            assert process.stdout.readline() == b"at work\n", "a writer did not begin"

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """All of them are in the middle of whatever they do, and do not go on."""
        for process in self._processes:
            process.send_signal(signal.SIGSTOP)
        try:
            for process in self._processes:
                os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WNOWAIT)
            yield
        finally:
            for process in self._processes:
                process.send_signal(signal.SIGCONT)

    def end(self) -> int:
        """How many rounds they made. One that failed fails the test."""
        for process in self._processes:
            assert process.stdin is not None
            process.stdin.close()
        ends = []
        for process in self._processes:
            assert process.stdout is not None
            ends.append((process.stdout.read(), process.wait(60)))
        assert [code for _, code in ends] == [0] * len(ends), (
            "a writer failed: its traceback is in what the test printed"
        )
        return sum(int(said) for said, _ in ends)

    def kill(self) -> None:
        for process in self._processes:
            if process.poll() is None:
                process.kill()
                process.wait()
            for stream in (process.stdin, process.stdout):
                if stream is not None:
                    stream.close()


@contextmanager
def writing(team: RealTeam, *, pause: float = 0) -> Iterator[Writers]:
    """The four of them at work, with a pause of so many seconds after each round."""
    writers = Writers(team, pause)
    try:
        writers.ready()
        yield writers
    finally:
        writers.kill()


def _start(team: RealTeam, name: str, pause: float) -> subprocess.Popen[bytes]:
    path = os.pathsep.join([str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")])
    return subprocess.Popen(
        [sys.executable, "-m", "support.teams.writers", str(team.data), team.name, name, str(pause)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": path},
    )


class Letter(NamedTuple):
    """One that was sent: by whom, its number, and to whom."""

    by: str
    number: int
    to: str


class Diary:
    """What a writer sent and heard, in its own words, where no restore reaches it."""

    def __init__(self, team: RealTeam, name: str) -> None:
        self._place = team.data.parent / "diaries"
        self._place.mkdir(exist_ok=True)
        self._file = self._place / name

    def note(self, what: str, letter: Letter) -> None:
        with self._file.open("a") as stream:
            stream.write(f"{what} {letter.by} {letter.number} {letter.to}\n")

    def read(self, what: str) -> set[Letter]:
        """What all of them noted."""
        lines = [line.split() for file in self._place.iterdir() for line in file.read_text().splitlines()]
        return {Letter(by, int(number), to) for kind, by, number, to in lines if kind == what}


class Writer:
    """One of them, in its own process."""

    def __init__(self, team: RealTeam, name: str) -> None:
        self._team, self._name = team, name
        self._diary = Diary(team, name)
        self._others = [other for other in NAMES if other != name]
        self._tasks, self._mail, self._sessions = team.tasks, team.mail, team.sessions
        self._round = self._letter = self._reported = 0
        self._heard = Counter[str]()
        self._latest: dict[str, int] = {}
        self._known = deque[str](maxlen=8)
        """Tasks of everybody that others may depend on: they are never completed."""
        self._task = self._tasks.create(f"the task of {name}", owner=name, metadata={"of": name, "n": 0}).id

    def round(self) -> None:
        self._round += 1
        self._note()
        if self._round % PACE == 0:
            self._tasks.update(self._task, metadata={"n": self._round})
        self._write()
        for letter in self._mail.receive(self._name, limit=BATCH):
            self._hear(letter)
        self._tidy()

    def grow(self) -> None:
        """A task that others may depend on, one that depends on it and on somebody else's, and two of which one waits."""
        mine = {"of": self._name}
        before = list(self._known)[-2:]
        stone = self._tasks.create("a stone", owner=self._name, blocked_by=before, metadata={"stone": True})
        self._known.append(stone.id)
        first = self._tasks.create("first", owner=self._name)
        then = self._tasks.create("then", blocks=[stone.id], blocked_by=[first.id], metadata={"after": first.id})
        self._tasks.update(first.id, status=TaskStatus.completed, metadata=mine)
        self._tasks.update(then.id, owner=self._name)
        self._team.plans.submit_plan(self._name, "lead", f"# a plan of {self._name}'s\n", "plan")
        if self._name == REPORTER:
            self._team.costs.report(self._name, "some", "model", self._reported, 1, 0.25)
            self._reported += 1

    def _note(self) -> None:
        state = {
            "n": self._round,
            "heard": dict(self._heard),
            "latest": self._latest,
            "reported": self._reported,
        }
        self._sessions.save(self._name, "session", self._task, state)

    def _write(self) -> None:
        self._letter += 1
        said = json.dumps({"by": self._name, "k": self._letter, "n": self._round, "task": self._known_task()})
        if self._round % BROADCASTS == 0:
            sent = self._mail.broadcast(self._name, said, exclude=["lead"])
        else:
            sent = [self._mail.send(self._name, self._others[self._round % len(self._others)], said)]
        for letter in sent:
            self._diary.note("sent", Letter(self._name, self._letter, letter.to))

    def _known_task(self) -> str:
        return self._known[-1] if self._known else self._task

    def _hear(self, letter: Any) -> None:
        if letter.type not in (MessageType.message, MessageType.broadcast):
            return
        said = json.loads(letter.content)
        self._heard[said["by"]] += 1
        self._diary.note("heard", Letter(said["by"], said["k"], self._name))
        self._latest[said["by"]] = max(said["n"], self._latest.get(said["by"], 0))
        if said["task"] not in self._known:
            self._known.append(said["task"])

    def _tidy(self) -> None:
        """The leader reads its mail now and then, and each takes its own old entries out of the log, the oldest first."""
        if self._name == REPORTER and self._round % 8 == 0:
            self._mail.receive("lead", limit=BATCH)
        if self._round % KEPT == 0:
            numbers = {path: self._number(path) for path in self._team.path("teams/{}/events").glob("evt-*.json")}
            for path in sorted((path for path in numbers if numbers[path]), key=numbers.__getitem__)[: -2 * KEPT]:
                path.unlink()

    def _number(self, path: Path) -> int:
        """Which letter of its own an event is of; names of one millisecond are in no order."""
        try:
            event = json.loads(path.read_bytes())
        except FileNotFoundError:
            return 0
        mine = event["from"] == self._name and "content" in event
        return int(json.loads(event["content"])["k"]) if mine else 0


def main(data: str, name: str, member: str, pause: str) -> None:
    writer = Writer(RealTeam(Path(data), name), member)
    print("at work", flush=True)
    rounds = 0
    while True:
        rounds += 1
        writer.round()
        if select.select([0], [], [], float(pause))[0]:
            tokens = os.read(0, 64)
            if not tokens:
                break
            for _ in tokens:
                writer.grow()
    print(rounds, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
