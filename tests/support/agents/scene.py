"""A project in which real agents work with takeback's hooks installed, and a person who looks and takes back."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from support.agent import look
from support.agents.all import DRIVERS
from support.agents.driver import Driver
from support.agents.model import Model
from support.cli import Cli
from support.trees import File, Node, Spec, make_tree

PATIENCE = 90.0
PROJECT: Mapping[str, Spec] = {
    "app.py": "one = 1\ntwo = 2\nthree = 3\n",
    "notes.txt": "first\n",
    "run.sh": "echo run\n",
    "old/gone.txt": "soon\n",
    "tool": File("#!/bin/sh\n", 0o755),
}


class Scene:
    """Sessions of one agent in one project; each has a model of its own."""

    def __init__(self, agent: str, home: Path, cli: Cli, open: ExitStack) -> None:
        self.agent = agent
        self.home = home
        self.cli = cli
        self.project = cli.root
        self._open = open
        DRIVERS[agent].prepare(home)
        make_tree(self.project, PROJECT)

    def session(self, **extra: str) -> Driver:
        """A new one; ``extra`` is added to its environment."""
        model = self._open.enter_context(Model())
        own = {"TMPDIR": str(self.home)}  # where this test's notices go that no store can take
        driver = DRIVERS[self.agent](self.home, self.project, model, {**own, **extra})
        self._open.callback(driver.leave)
        return driver

    def install(self) -> None:
        self.cli("install", self.agent, "--yes")

    def look(self) -> dict[str, Node]:
        return look(self.project)

    def turns(self, session: str | None = None) -> list[str]:
        """The titles of the turns that are moves and have not been taken back, oldest first."""
        moves = self._moves(*(["--session", session] if session else []))
        return [move["title"] for move in reversed(moves) if move["level"] == "turn" and not move["undone_by"]]

    def undo(self, *options: str) -> Any:
        self._moves()
        return self.cli.json("undo", "--yes", *options)

    def _moves(self, *options: str) -> list[Any]:
        """Where the agent tells late, once it has told the end of all."""
        deadline = time.monotonic() + PATIENCE
        while True:
            moves: list[Any] = self.cli.json("log", *options)["moves"]
            if not DRIVERS[self.agent].tells_late or all(move["closed"] for move in moves):
                return moves
            assert time.monotonic() < deadline, f"a move stays open: {moves}"
            time.sleep(0.02)

    def redo(self) -> Any:
        self._moves()
        return self.cli.json("redo", "--yes")


@contextmanager
def scene(agent: str, home: Path, cli: Cli) -> Iterator[Scene]:
    with ExitStack() as open:
        yield Scene(agent, home, cli, open)
