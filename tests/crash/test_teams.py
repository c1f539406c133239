"""A restore of a team under every fault at every one of its steps: after the next command the team is exactly as before, or
exactly as wanted; the real ClawTeam reads it, and its locks exclude.

`make test` kills it at every eighth step, and lets it run out of space at every thirty-second; where a team is made from nothing, whose
steps are all alike, at a third as many. Of other faults it tries some. `make soak` tries all, everywhere.
"""

from __future__ import annotations

import fcntl
import random
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from clawteam.team.manager import TeamManager

import takeback as tb
from support import campaigns, faults
from support.counts import Tell, tell
from support.faults import BROKEN, Fault, Point
from support.faults.zygote import Zygote
from support.teams.real import VARIABLE, RealTeam
from support.trees import Node, remove

SPARSE = {Fault.KILL: 1, Fault.FILL: 4}
"""At every such step, unless all are tried."""
SOME = 4
"""Runs with each of the other faults."""

Files = dict[str, Node]


def worked_on(team: RealTeam) -> None:
    """Files that are new, changed, gone and of another mode; and mail that was read."""
    team.work_on()
    team.mail.receive("ada", limit=2)
    next(iter(sorted(team.path("tasks/{}").glob("task-*.json")))).chmod(0o600)
    team.path("teams/{}/runtime_state.json").unlink()
    team.sessions.clear("ada")


def cleaned_up(team: RealTeam) -> None:
    TeamManager.cleanup(team.name)


def restore(base: Path, fault: Fault | None, at: int) -> tuple[list[Point], str]:
    """In a child: the steps that there were, and what it failed with, unless it was killed."""
    error = ""
    with tb.open(base / "store") as store:
        faults.arm(base, fault, at)
        try:
            line(store, base).restore("before")
        except KeyboardInterrupt:
            error = "stopped"
        except tb.TakebackError as failure:
            error = f"{failure.exit_code} {failure.message} {' '.join(failure.hints)}"
        finally:
            faults.disarm()
    return faults.points(), error


def next_command(base: Path) -> None:
    with tb.open(base / "store") as store:
        line(store, base).save(trigger="interval")
        health = store.verify(read_data=True)
        assert health.ok, health.problems


def line(store: tb.Store, base: Path) -> tb.Timeline:
    return store.timeline("alpha", sources=[tb.Team("alpha", base / "clawteam")])


@dataclass
class World:
    """A team that was saved and has gone on; made anew, at the same path, for each run."""

    base: Path
    team: RealTeam
    template: Path
    ends: dict[str, tuple[Files, dict[str, Any]]] = field(default_factory=dict)

    def note(self, end: str) -> None:
        state = self.team.state()  # for which ClawTeam makes directories, and a summary of no costs
        self.ends[end] = (self.team.files(), state)

    def reset(self) -> None:
        remove(self.base)
        shutil.copytree(self.template, self.base, symlinks=True)

    def wrong(self, lock: int) -> str:
        """What is wrong with the team; nothing if it is one of the two."""
        files = self.team.files()
        end = next((end for end, (wanted, _) in self.ends.items() if wanted == files), "")
        if not end:
            return f"neither as before nor as wanted: {self._differing(files)}"
        if self._left():
            return f"left behind: {self._left()}"
        if self.team.state() != self.ends[end][1]:
            return "ClawTeam does not read it as it was"
        if lock and self.team.lock.stat().st_ino != lock:
            return "the lock is another file"
        return "" if self._excludes() else "the lock does not exclude"

    def lock(self) -> int:
        return self.team.lock.stat().st_ino if self.team.lock.exists() else 0

    def _excludes(self) -> bool:
        """ClawTeam's own lock and one that takes the file as takeback does are one, and nobody holds it."""
        with self.team.lock.open("a+") as other:
            with self.team.tasks._write_lock():
                try:
                    fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    pass
                else:
                    return False
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True

    def _left(self) -> list[str]:
        return [path for path in self.team.everything() if ".takeback" in path]

    def _differing(self, files: Files) -> dict[str, list[str]]:
        """Some of what differs between the two, and as in which of them it is."""
        before, after = self.ends["before"][0], self.ends["after"][0]
        paths = [path for path in sorted(before.keys() | after.keys()) if before.get(path) != after.get(path)]
        ends = {
            path: [end for end, (found, _) in self.ends.items() if found.get(path) == files.get(path)] for path in paths
        }
        return dict(sorted(ends.items(), key=lambda each: len(each[1]))[:6])


@pytest.fixture(params=[worked_on, cleaned_up], ids=lambda each: each.__name__)
def world(request: pytest.FixtureRequest, memory_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    base = memory_path / "world"
    (base / "clawteam").mkdir(parents=True)
    monkeypatch.setenv(VARIABLE, str(base / "clawteam"))
    team = RealTeam(base / "clawteam")
    team.make()
    made = World(base, team, memory_path / "template")
    with tb.open(base / "store") as store:
        made.note("before")
        line(store, base).save("before")
        happened: Callable[[RealTeam], None] = request.param
        happened(team)
        made.note("after")
        line(store, base).save("after")
    shutil.copytree(base, made.template, symlinks=True)
    return made


def runs(points: list[Point], every: int) -> Iterator[tuple[Fault, int]]:
    for fault in BROKEN:
        places = [at for at, point in enumerate(points, 1) if fault.applies(point)]
        if not campaigns.running():
            few = sorted(random.Random(1).sample(places, SOME))
            places = places[:: SPARSE[fault] * every] if fault in SPARSE else few
        yield from ((fault, at) for at in places)


@pytest.mark.campaign("crash-teams")
def test_a_restore_of_a_team_is_killed_out_of_space_or_fails_at_any_step(
    zygote: Zygote, world: World, record_property: Tell, request: pytest.FixtureRequest
) -> None:
    world.reset()
    clean = zygote.call(restore, world.base, None, 0)
    assert not clean.trouble and clean.result[1] == "", clean
    assert world.team.files() == world.ends["before"][0]
    points, wrong = clean.result[0], []
    tried = list(runs(points, 8 if request.node.callspec.id == "worked_on" else 24))
    for fault, at in tried:
        world.reset()
        lock = world.lock()
        ended = zygote.call(restore, world.base, fault, at)
        trouble = ended.trouble
        if not trouble and fault is Fault.FILL and ended.result[1] and "disk is full" not in ended.result[1]:
            trouble = f"it says {ended.result[1]}"
        trouble = trouble or zygote.call(next_command, world.base).trouble or world.wrong(lock)
        if trouble:
            wrong.append(f"{fault}, at step {at} ({points[at - 1].text}): {trouble}")
    campaigns.count_runs(record_property, len(tried))
    counted = {fault: sum(1 for each, _ in tried if each is fault) for fault in BROKEN}
    tell(
        record_property,
        f"restore of a team ({request.node.callspec.id}): {len(points)} steps; "
        + ", ".join(f"{count} × {fault}" for fault, count in counted.items()),
    )
    assert not wrong, "\n".join([f"{len(wrong)} of {len(tried)} went wrong", *wrong[:10]])
