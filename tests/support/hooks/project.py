"""A project in which an agent runs commands, and a person types takeback's."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from support.cli import takeback
from support.hooks.program import Program
from support.hooks.voices import Call
from support.trees import Node, Spec, make_tree

Work = Callable[[], object]


class Project(Program):
    """The hook is the real one, and so is each command that a person types."""

    @property
    def root(self) -> Path:
        return self.world.root

    def write(self, files: Mapping[str, Spec]) -> None:
        make_tree(self.root, files)

    def run(self, work: Work) -> None:
        """A command of the agent's."""
        call = Call(command="make")
        self.say(*self.voice.before(call))
        work()
        self.say(*self.voice.after(call))

    def makes(self, *works: Work, title: str = "work") -> None:
        """A turn of several commands."""
        self.say(*self.voice.prompt(title))
        for work in works:
            self.run(work)
        self.say(*self.voice.stop())

    def writes(self, *several: Mapping[str, Spec], title: str = "work") -> None:
        """A turn of commands that write files."""
        self.makes(*(partial(self.write, files) for files in several), title=title)

    def type(self, *arguments: str, code: int = 0, directory: Path | None = None) -> str:
        """A command of the person's; all that it says."""
        done = takeback(*arguments, cwd=directory or self.root, env=self.env)
        said = (done.stdout + done.stderr).decode()
        assert done.returncode == code, said
        return said

    def goes_back_and_forth(self, *states: dict[str, Node]) -> None:
        """Undo leads through the states, the oldest first, and redo through all of them again."""
        *older, last = states
        assert self.world.tree() == last
        for state in reversed(older):
            self.type("undo", "--yes")
            assert self.world.tree() == state
        for state in states[1:]:
            self.type("redo", "--yes")
            assert self.world.tree() == state
