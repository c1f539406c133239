"""Timelines without a root have no lock: whoever is second begins again, and nothing is lost."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import takeback as tb
from takeback.engine import alone, record

TURNS = 40

OWNER = f"""
import sys
import takeback as tb
from takeback.engine import alone, record

memory = []
line = tb.open(sys.argv[1]).timeline("agent", sources=[tb.State(sys.argv[2], memory)])
for number in range({TURNS}):
    with line.turn(f"{{sys.argv[2]}} {{number}}", session=sys.argv[2]):
        memory.append(number)
"""


def test_two_owners_of_one_timeline_lose_no_turn(tmp_path: Path) -> None:
    names = ["one", "two"]
    owners = [subprocess.Popen([sys.executable, "-c", OWNER, str(tmp_path / "store"), name]) for name in names]
    assert [owner.wait() for owner in owners] == [0, 0]
    with tb.open(tmp_path / "store") as store:
        line = store.timeline("agent")
        log = line.log()
        assert [line.value("@", name) for name in names] == [list(range(TURNS))] * 2
        for name in names:
            turns = [move for move in log.moves if move.session == name]
            assert [move.title for move in reversed(turns)] == [f"{name} {number}" for number in range(TURNS)]


def test_a_person_gets_a_restore_in_between_an_agents_saves(tmp_path: Path) -> None:
    memory: list[int] = [0]
    with tb.open(tmp_path / "store") as store:
        line = store.timeline("agent", sources=[tb.State("memory", memory)])
        first = line.save()
        over = threading.Event()
        failed: list[BaseException] = []

        def work() -> None:
            try:
                while not over.is_set():
                    memory.append(len(memory))
                    line.save()
            except BaseException as error:
                failed.append(error)

        agent = threading.Thread(target=work)
        agent.start()
        try:
            other = store.timeline("agent")
            for _ in range(5):
                assert other.restore(first.id).pending == ("memory",)
        finally:
            over.set()
            agent.join()
        assert not failed
        assert memory == list(range(len(memory)))


def test_verbs_that_begin_later_wait_for_one_that_others_always_came_before(tmp_path: Path) -> None:
    with tb.open(tmp_path / "store") as store:
        line = store.timeline("agent", sources=[tb.State("memory", [0])])
        other = threading.Thread(target=line.save)
        tries: list[bool] = []

        def verb() -> None:
            tries.append(other.is_alive())
            if len(tries) <= alone._TRIES:
                raise record.MovedOn("another came before")
            other.start()
            other.join(0.3)
            assert other.is_alive() and not line.log().snapshots

        alone.until_alone(line._line, verb)
        other.join(60)
        assert len(line.log().snapshots) == 1
