"""takeback itself: in process, as an agent's hooks call it, and as the command that people type."""

from __future__ import annotations

import json
import os
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

    def hook(self, event: str, **more: str) -> None:
        """An event of Claude Code, through the command that its configuration names."""
        said = {"session_id": "bench-0123456789", "cwd": str(self.project), "hook_event_name": event, **more}
        subprocess.run(
            [sys.executable, "-P", "-m", "takeback", "hook", "claude-code"],
            cwd=self.project,
            env={**os.environ, "TAKEBACK_STORE": str(self.directory)},
            input=json.dumps(said).encode(),
            check=True,
        )

    def undo(self) -> None:
        """The newest move, as a whole command."""
        self.command("undo", "--yes")

    def restore(self, place: Path) -> None:
        """Everything of the latest snapshot, into an empty directory, as a whole command."""
        self.command("restore", "@", "--to", str(place))

    def maintain(self) -> None:
        """Let the store put itself in order."""
        self._opened().maintain()

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
        process = self.start_command(*arguments)
        out, error = process.communicate()
        if process.returncode:
            raise RuntimeError(f"takeback {' '.join(arguments)}: {out}{error}")

    def start_command(self, *arguments: str) -> subprocess.Popen[str]:
        where = ["--store", str(self.directory), "-C", str(self.project)]
        command = [sys.executable, "-m", "takeback", *where, *arguments]
        pipe = subprocess.PIPE
        return subprocess.Popen(
            command, cwd=self.project, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe, text=True
        )

    def _opened(self) -> tb.Store:
        if self._store is None:
            self._store = tb.open(str(self.directory))
        return self._store


class Hooked:
    """takeback as an agent has it: a process for each event."""

    def __init__(self, takeback: Takeback) -> None:
        self._takeback = takeback

    def turn_start(self) -> None:
        self._takeback.hook("UserPromptSubmit", prompt="a turn")

    def turn_end(self) -> None:
        self._takeback.hook("Stop")
