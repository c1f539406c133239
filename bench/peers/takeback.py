"""takeback itself: in process, as an agent's hooks call it, and as the command that people type."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import takeback as tb


class Takeback:
    """One store with one timeline of a project."""

    def __init__(self, directory: Path, project: Path) -> None:
        self.directory = directory
        self.project = project
        self._store: tb.Store | None = None

    def first(self) -> None:
        """The first save, as a whole command."""
        self.command("save")

    def turn_start(self) -> None:
        self.line.save(trigger="turn_start", session="bench", title="a turn")

    def turn_end(self) -> None:
        self.line.save(trigger="turn_end", session="bench")

    def undo(self) -> None:
        """The newest move, as a whole command."""
        self.command("undo", "--yes")

    def restore(self, place: Path) -> None:
        """Everything of the latest snapshot, into an empty directory, as a whole command."""
        self.command("restore", "@", "--to", str(place))

    def tidy(self) -> bool:
        """Let the store put itself in order, if it can; whether it could."""
        maintain = getattr(self._opened(), "maintain", None)
        if maintain is None:
            return False
        maintain()
        return True

    @property
    def line(self) -> tb.Timeline:
        if not hasattr(self, "_line"):
            self._line = self._opened().timeline("main", sources=[tb.Workspace(self.project)])
        return self._line

    def close(self) -> None:
        """Leave the store as a process that ends does."""
        if self._store is not None:
            self._store.close()
            self._store = None
            self.__dict__.pop("_line", None)

    def command(self, *arguments: str) -> None:
        where = ["--store", str(self.directory), "-C", str(self.project)]
        done = subprocess.run(
            [sys.executable, "-m", "takeback", *where, *arguments], cwd=self.project, capture_output=True, text=True
        )
        if done.returncode:
            raise RuntimeError(f"takeback {' '.join(arguments)}: {done.stdout}{done.stderr}")

    def _opened(self) -> tb.Store:
        if self._store is None:
            self._store = tb.open(str(self.directory))
        return self._store
