"""What all rules share: worlds (the first one and its forks), the model, and ways to write whatever stands in the way."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant

import takeback as tb
from support.agent import World
from support.machine.model import Model, Tree

PATHS = ["a.txt", "b.txt", "dir/a.txt", "dir/b.txt", "dir/deep/c.txt", "x", "x/inner"]
FOLDERS = ["dir", "dir/deep", "x", "new"]
SESSIONS = ["one", "two"]

paths = st.sampled_from(PATHS)
anything = st.sampled_from([*PATHS, *FOLDERS])
sessions = st.sampled_from(SESSIONS)
places = st.integers(0, 5)
"""Which world; most of the time the first."""


class Machine(RuleBasedStateMachine):
    """The state; each rule is in the file of whoever does it. What kills leave depends on the moment, so no rule has a
    precondition that does: a run can then be repeated from what was drawn."""

    snapshots: Bundle[str] = Bundle("snapshots")

    def __init__(self) -> None:
        super().__init__()
        self.base = Path(tempfile.mkdtemp(prefix="takeback-machine-"))
        self.worlds = [World(self.base)]
        self.model = Model()
        self.open: set[tuple[str, str]] = set()
        """Turns that have begun: timeline and session."""
        self.acting: dict[tuple[str, str], str] = {}
        """Actions that have begun, and the path that each is about."""
        self.number = 0
        self.steps = 0

    @initialize()
    def begin(self) -> None:
        self.world(0).write("a.txt", "".join(f"line {number}\n" for number in range(12)))

    @invariant()
    def all_is_there(self) -> None:
        """After every step the store verifies, and what was saved reads back."""
        self.steps += 1
        health = self.worlds[0].store.verify()
        assert health.ok, health.problems
        self.model.check(self.by_name(), 2)

    def teardown(self) -> None:
        try:
            health = self.worlds[0].store.verify(read_data=True)
            assert health.ok, health.problems
            self.model.check(self.by_name())
            self.worlds[0].store.maintain()
            self.model.check(self.by_name())
            assert list((self.base / "store" / "tmp").iterdir()) == []
        finally:
            for world in self.worlds:
                world.store.close()
            shutil.rmtree(self.base)

    def world(self, place: int) -> World:
        return self.worlds[place] if place < len(self.worlds) else self.worlds[0]

    def by_name(self) -> dict[str, World]:
        return {world.line.name: world for world in self.worlds}

    def reopen(self) -> None:
        """Every world as the next process finds it."""
        for world in self.worlds:
            world.store.close()
        self.worlds = [world.reopened() for world in self.worlds]

    def token(self, who: str) -> str:
        self.number += 1
        return f"{who} wrote line {self.number}\n"

    def saved(self, world: World, snapshot: tb.Snapshot) -> str:
        return self.model.learn(world, snapshot.id, world.tree())

    def known(self, world: World, snapshot: str) -> Tree | None:
        return self.model.of(world, snapshot)

    def clear(self, world: World, path: str) -> None:
        """Make room for a path, whatever stands there or above it."""
        target = world.root / path
        for above in reversed(target.parents):
            if world.root in above.parents and (above.is_file() or above.is_symlink()):
                above.unlink()
        if target.is_symlink() or target.is_file():
            target.unlink()
        elif target.is_dir():
            shutil.rmtree(target)
        target.parent.mkdir(parents=True, exist_ok=True)

    def put(self, world: World, path: str, text: str) -> None:
        """Write a file in place if one stands there, else whatever is in its way goes."""
        target = world.root / path
        if target.is_symlink() or not target.is_file():
            self.clear(world, path)
        world.write(path, text)

    def text(self, world: World, path: str) -> str:
        target = world.root / path
        return target.read_text() if target.is_file() and not target.is_symlink() else ""
