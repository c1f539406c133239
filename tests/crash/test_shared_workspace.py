"""Two agents and a person in one directory at once: real processes, each keeping a diary of every write that it made.

The diaries are compared with the store afterwards. What must hold: whatever stood in the directory when an undo, redo
or restore replaced it is in some snapshot (law 1); these changed only paths that their reports name, or that somebody
wrote in that very moment (law 4); what a person wrote while no agent was at work is never touched by the undo of an
agent's turn; nobody finds bytes in their files that they did not write.

It goes on for some seconds, and in `make soak` for two minutes.
"""

from __future__ import annotations

import fcntl
import os
import random
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import pytest

import takeback as tb
from support import campaigns
from support.counts import Tell, tell
from support.processes import at_once
from takeback.sources.workspace.names import STAGE_PREFIX

SECONDS = campaigns.size(2.0, 120.0)
LEAST = 4
"""Rounds that everybody makes, however slow the machine."""
COMMON = "common.txt"

Files = dict[str, bytes]


@dataclass
class Deed:
    """Something done to the directory, between two moments."""

    began: int
    ended: int
    paths: frozenset[str]


@dataclass
class Takeback(Deed):
    """An undo, redo or restore, with what differed before and after as its caller saw it."""

    verb: str
    altered: frozenset[str]


@dataclass
class Diary:
    """What one party did and saw."""

    who: str
    rounds: int = 0
    deeds: list[Deed] = field(default_factory=list)
    takebacks: list[Takeback] = field(default_factory=list)
    replaced: list[tuple[str, bytes]] = field(default_factory=list)
    """Own files that had been replaced by another's hand since they were written, and what had stood there."""
    lines: list[bytes] = field(default_factory=list)
    """Lines that it added to the common file, and saw there."""
    refused: Counter[str] = field(default_factory=Counter)


class Party:
    """Somebody who works in the directory, and writes a diary."""

    def __init__(self, base: Path, who: str) -> None:
        self.root, self.base, self.who = base / "project", base, who
        self.dice = random.Random(f"{campaigns.seed()} {who}")
        self.diary = Diary(who)
        self.store = tb.open(base / "store")
        self.line = self.store.timeline(sources=[tb.Workspace(self.root)])
        self._mine: dict[str, list[bytes]] = {}
        self._number = 0

    def write(self, path: str) -> None:
        """Write a file that is only mine, in place or by rename; first see what became of the last one."""
        self.look_after(path)
        self._number += 1
        data = f"{self.who} {self._number} {self.dice.random()}\n".encode()
        target = self.root / path
        began = time.monotonic_ns()
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            if self.dice.random() < 0.5:
                target.write_bytes(data)
            else:
                aside = self.base / f"{self.who}.new"
                aside.write_bytes(data)
                aside.rename(target)
        except FileNotFoundError:
            return  # its directory was taken back in this moment
        self.diary.deeds.append(Deed(began, time.monotonic_ns(), frozenset([path])))
        self._mine.setdefault(path, []).append(data)
        if read(target) != data:
            self._mine[path].append(b"")  # it was taken back before it had stood

    def look_after(self, path: str) -> None:
        """What stands at a path of mine is something that I wrote; if not the last, that was replaced."""
        written = self._mine.get(path, [])
        now = read(self.root / path)
        if written and now != written[-1]:
            assert now in (None, b"", *written), f"{path} holds what nobody wrote: {now!r}"
            if written[-1]:
                self.diary.replaced.append((path, written[-1]))
            written.append(now or b"")

    def look_after_all(self) -> None:
        for path in self._mine:
            self.look_after(path)

    def untouched(self, path: str) -> bool:
        written = self._mine.get(path, [])
        return not written or read(self.root / path) == written[-1]

    def add_a_line(self) -> None:
        self._number += 1
        line = f"{self.who} adds {self._number}\n".encode()
        began = time.monotonic_ns()
        with (self.root / COMMON).open("ab") as file:
            file.write(line)
        self.diary.deeds.append(Deed(began, time.monotonic_ns(), frozenset([COMMON])))
        if line in (read(self.root / COMMON) or b""):
            self.diary.lines.append(line)

    def take_back(self, verb: str, act: Callable[[], tb.Report]) -> None:
        """Do it, and note what changed meanwhile."""
        began, before = time.monotonic_ns(), files(self.root)
        told: frozenset[str] = frozenset()
        try:
            report = act()
            told = frozenset((*report.changed, *report.merged))
        except (tb.NotFound, tb.Conflict, tb.Partial) as error:
            verb = f"{verb} refused"
            self.diary.refused[type(error).__name__] += 1
        except tb.Integrity as error:
            assert "reads back differently" in error.message, error
            verb = f"{verb} given up"
            self.diary.refused["somebody wrote there in that moment"] += 1
        after = files(self.root)
        altered = frozenset(path for path in before.keys() | after.keys() if before.get(path) != after.get(path))
        self.diary.takebacks.append(Takeback(began, time.monotonic_ns(), told, verb, altered))


def read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None


def files(root: Path) -> Files:
    """All files while others write: what vanishes in the middle is not there."""
    found: Files = {}
    for directory, below, names in os.walk(root):
        below[:] = [name for name in below if not name.startswith(STAGE_PREFIX)]
        for name in names:
            path = os.path.join(directory, name)
            if (data := read(Path(path))) is not None:
                found[os.path.relpath(path, root)] = data
    return found


@contextmanager
def gate(base: Path, how: int) -> Iterator[None]:
    """Agents hold it together while they are at work, the person alone: this is the test's lock, not takeback's."""
    with (base / "gate").open("a") as file:
        fcntl.flock(file, how)
        yield


def agent(base: Path, who: str, deadline: float) -> Diary:
    """Turns, some of which mark their actions; then maybe it takes back something of its own."""
    me = Party(base, who)
    own = [f"{who}/{name}" for name in ("a", "b", "deep/c")]
    saved: list[str] = []
    while again(me.diary, deadline):
        marks = me.dice.random() < 0.5
        with gate(base, fcntl.LOCK_SH):
            me.line.save(trigger="turn_start", session=who, title=f"turn {me.diary.rounds}")
            for path in me.dice.sample([*own, COMMON], me.dice.randint(1, 3)):
                if marks:
                    me.line.save(trigger="before_action", session=who, paths=[path])
                me.add_a_line() if path == COMMON else me.write(path)
                if marks:
                    me.line.save(trigger="after_action", session=who)
            saved.append(me.line.save(trigger="turn_end", session=who).id)
        what = me.dice.random()
        if what < 0.3:
            me.take_back("undo", lambda: me.line.undo(session=who))
        elif what < 0.4:
            me.take_back("redo", me.line.redo)
        elif what < 0.5 and (me.root / who).exists():
            me.take_back("restore", lambda: me.line.restore(me.dice.choice(saved), paths=[who]))
    me.look_after_all()
    return me.diary


def person(base: Path, deadline: float) -> Diary:
    """Writes whenever it likes, now and then while all agents rest; undoes what the agents did."""
    me = Party(base, "person")
    while again(me.diary, deadline):
        for path in me.dice.sample(["person/x", "person/y", "z"], 2):
            me.write(path)
        me.add_a_line()
        if me.dice.random() < 0.3:
            with gate(base, fcntl.LOCK_EX):
                assert me.untouched("person/quiet"), "what a person wrote while nobody was at work was changed"
                me.write("person/quiet")
        if me.dice.random() < 0.2:
            me.line.save(trigger="interval")
        if me.dice.random() < 0.25:
            me.take_back("undo", me.line.undo)
            if me.dice.random() < 0.5:
                me.take_back("redo", me.line.redo)
    assert me.untouched("person/quiet"), "what a person wrote while nobody was at work was changed"
    me.look_after_all()
    return me.diary


def again(diary: Diary, deadline: float) -> bool:
    diary.rounds += 1
    return diary.rounds <= LEAST or time.monotonic() < deadline


def watched(work: Callable[[], Diary]) -> Diary:
    """Whoever hangs is killed by the clock, and the test sees it."""
    signal.alarm(int(SECONDS * 5) + 240)
    return work()


@pytest.mark.campaign("shared-workspace")
def test_two_agents_and_a_person_at_once_lose_nothing(tmp_path: Path, record_property: Tell) -> None:
    root = tmp_path / "project"
    root.mkdir()
    (root / COMMON).write_bytes(b"".join(b"line %d\n" % number for number in range(20)))
    with tb.open(tmp_path / "store") as store:
        # Not by hand: that would open a move of the person's own, which their first undo would rightly take back.
        store.timeline(sources=[tb.Workspace(root)]).save(trigger="interval")
    deadline = time.monotonic() + SECONDS
    parties = [
        partial(agent, tmp_path, "one", deadline),
        partial(agent, tmp_path, "two", deadline),
        partial(person, tmp_path, deadline),
    ]
    diaries: list[Diary] = at_once([partial(watched, party) for party in parties])
    with tb.open(tmp_path / "store") as store:
        line = store.timeline(sources=[tb.Workspace(root)])
        line.save()
        held = everything(line)
        lines = {each for data in held[COMMON] for each in data.splitlines(keepends=True)}
        for diary in diaries:
            for path, data in diary.replaced:
                assert data in held.get(path, ()), f"what {diary.who} wrote to {path} is in no snapshot: {data!r}"
            lost = [each for each in diary.lines if each not in lines]
            assert not lost, f"lines of {diary.who} are in no snapshot: {lost}"
        _check_only_named_paths_changed(diaries)
        health = store.verify(read_data=True)
        assert health.ok, health.problems
        assert list(root.glob(f"{STAGE_PREFIX}*")) == []
        count = len(line.log().snapshots)
    _say(diaries, count, record_property)


def everything(line: tb.Timeline) -> dict[str, set[bytes]]:
    """All that any snapshot holds, by path."""
    held: dict[str, set[bytes]] = {}
    seen: set[tuple[str, bytes]] = set()
    for row in line.log().snapshots:
        for path, entry in line.files(row.id):
            if entry.kind == "f" and (path, entry.id) not in seen:
                seen.add((path, entry.id))
                held.setdefault(path, set()).add(line.read(row.id, path))
    return held


def _check_only_named_paths_changed(diaries: list[Diary]) -> None:
    deeds = [deed for diary in diaries for deed in (*diary.deeds, *diary.takebacks)]
    for each in (takeback for diary in diaries for takeback in diary.takebacks):
        explained = {
            path for deed in deeds if deed.ended >= each.began and deed.began <= each.ended for path in deed.paths
        }
        assert each.altered <= explained, f"{each.verb} changed {sorted(each.altered - explained)} and did not say so"


def _say(diaries: list[Diary], snapshots: int, record_property: Tell) -> None:
    verbs = Counter(takeback.verb for diary in diaries for takeback in diary.takebacks)
    refused = sum((diary.refused for diary in diaries), Counter())
    tell(
        record_property,
        f"shared workspace: {SECONDS:.0f} s, {snapshots} snapshots, {sum(len(diary.deeds) for diary in diaries)} writes, "
        f"{sum(len(diary.replaced) for diary in diaries)} of them taken back and all found in a snapshot; "
        f"{', '.join(f'{count} × {verb}' for verb, count in sorted(verbs.items()))}; {dict(refused)}",
    )
