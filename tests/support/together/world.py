"""Files, a container, memory and a team on one timeline: how they are changed, and all that can be seen of them.

The container and the team are real ones; the memory is an object of whoever asks for the line, with a lock, as that of an
agent is. A `Place` can be pickled: another process has the same line from it, with an object of its own.
"""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import takeback as tb
from support.containers.boxes import Boxes
from support.containers.looking import Look, look
from support.teams.real import RealTeam
from support.trees import File, Node, Spec, make_tree, read_tree, remove

PARTS = ("container", "memory", "team", "workspace")

Memory = dict[str, Any]
Key = TypeVar("Key", str, bytes)
T = TypeVar("T")


class Place(NamedTuple):
    """Where everything is."""

    base: Path
    container: str
    engine: str
    strategy: str = "auto"
    team: str = "alpha"

    @property
    def project(self) -> Path:
        return self.base / "project"

    @property
    def data(self) -> Path:
        """ClawTeam's."""
        return self.base / "clawteam"

    @property
    def store(self) -> Path:
        return self.base / "store"

    def enter(self) -> None:
        """In a process of one's own: have the same surroundings as the test."""
        os.environ |= {"DOCKER_HOST": self.engine, "TMPDIR": str(self.base), "TAKEBACK_UPKEEP": "off"}
        tempfile.tempdir = str(self.base)

    def sources(self, memory: Memory, lock: Any = None) -> list[Any]:
        return [
            tb.Workspace(self.project),
            tb.Container(self.container, strategy=self.strategy),
            tb.State("memory", memory, lock=threading.Lock() if lock is None else lock),
            tb.Team(self.team, self.data),
        ]

    @contextmanager
    def line(self, memory: Memory, lock: Any = None) -> Iterator[tb.Timeline]:
        """The timeline, as a process that has this object opens it."""
        with tb.open(self.store) as store:
            yield store.timeline("main", sources=self.sources(memory, lock))


@dataclass(frozen=True)
class Seen:
    """What stands outside of any process: equal if and only if the parts are."""

    files: dict[bytes, Node]
    container: Look
    state: str
    team: dict[str, Node]

    def differing(self, other: Seen) -> list[str]:
        """In what another one differs, in words for a failure."""
        found = [f"workspace: {path!r}" for path in _between(self.files, other.files)]
        found += [f"team: {path}" for path in _between(self.team, other.team)]
        found += [f"container: {each}" for each in self.container.differences(other.container)]
        return found + ([f"container: {self.state} and {other.state}"] if self.state != other.state else [])


class World:
    """The parts, as a test has them; `work` is what an agent does to all of them."""

    def __init__(self, boxes: Boxes, base: Path, strategy: str = "auto", **options: Any) -> None:
        self.boxes = boxes
        volume = boxes.volume()
        name = boxes.run(volumes={volume: {"bind": "/data", "mode": "rw"}}, **options)
        self.place = Place(base, name, boxes.engine.address, strategy)
        for directory in (self.place.project, self.place.data):
            directory.mkdir(parents=True, exist_ok=True)
        self.team = RealTeam(self.place.data, self.place.team)
        self.team.make()
        make_tree(self.place.project, FILES)

    def work(self, number: int) -> Memory:
        """Change all parts: what is there is changed, something new comes, something goes. What the memory is then."""
        project = self.place.project
        make_tree(project, {"src/main.py": f"print({number})\n", f"new/{number}.txt": "new\n"})
        (project / "gone.txt").unlink(missing_ok=True)
        (project / "src/run.sh").chmod(0o700 if number % 2 else 0o755)
        self.sh(f"echo mode={number} >/etc/app/settings.ini; rm -f /etc/secret; echo {number} >/data/{number}")
        self.team.work_on(number)
        return memory(number)

    def sh(self, script: str) -> str:
        return self.boxes.sh(self.place.container, script)

    def seen(self) -> Seen:
        """All parts; without what takeback keeps beside its work while it lasts, for which `left` is asked."""
        name = self.place.container
        box = look(self.boxes.engine, name)
        volumes = {where: _but_ours(found) for where, found in box.volumes.items()}
        return Seen(
            _but_ours(read_tree(self.place.project)),
            replace(box, volumes=volumes),
            self.boxes.state(name),
            _but_ours(self.team.files()),
        )

    def left(self) -> list[str]:
        """What takeback needs in between and must not leave: beside the container, the files and the team."""
        wanted = {self.place.container, self.boxes.name("data")}
        beside = [f"{each.kind} {each.name}" for each in self.boxes.mine() if each.name not in wanted]
        staged = [*self.place.project.rglob(".takeback-*"), *self.place.data.rglob(".takeback-*")]
        return beside + list(map(str, staged))

    def close(self) -> None:
        remove(self.place.base)


def memory(number: int) -> Memory:
    """What an agent remembers."""
    return {
        "step": number,
        "messages": [{"role": "user", "content": f"step {each}"} for each in range(number + 3)],
        "facts": {"a", f"b{number}"},
    }


FILES: dict[str, Spec] = {
    "README.md": "# A project\n",
    "gone.txt": "soon\n",
    "src/main.py": "print(0)\n",
    "src/run.sh": File("#!/bin/sh\n", 0o755),
}


def _but_ours(found: dict[Key, T]) -> dict[Key, T]:
    return {path: each for path, each in found.items() if not os.fsencode(path).startswith(b".takeback-")}


def _between(a: dict[Any, Any], b: dict[Any, Any]) -> list[Any]:
    return sorted(path for path in a.keys() | b.keys() if a.get(path) != b.get(path))
