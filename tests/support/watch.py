"""`takeback watch` as a program: what it prints, line by line, as it comes."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from support.cli import PROGRAM

_PATIENCE = 120
"""Seconds until a line that does not come fails the test."""


class Watching:
    """A watch that runs; it has told that it does."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self._lines: queue.Queue[str] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self.begun = self.next("watching")

    def next(self, event: str) -> Any:
        """The next line, which must be of this event."""
        line = self._lines.get(timeout=_PATIENCE)
        assert line, f"it ended instead of {event}: {self._errors()}"
        found = json.loads(line)
        assert found["event"] == event, found
        return found

    def end(self, number: int = signal.SIGINT) -> tuple[int, list[Any], str]:
        """Send a signal; the exit code, what it still said, and stderr."""
        self.process.send_signal(number)
        return self.ended()

    def ended(self) -> tuple[int, list[Any], str]:
        code = self.process.wait(_PATIENCE)
        self._reader.join()
        left = [json.loads(line) for line in iter(self._lines.get, "")]
        return code, left, self._errors()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line)
        self._lines.put("")

    def _errors(self) -> str:
        assert self.process.stderr is not None
        return self.process.stderr.read()


@contextmanager
def watching(root: Path, *options: str, env: Mapping[str, str] | None = None) -> Iterator[Watching]:
    command = [*PROGRAM, "watch", "--json", "--quiet", "100ms", *options]
    with subprocess.Popen(
        command,
        cwd=root,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **(env or {})},
    ) as process:
        try:
            yield Watching(process)
        finally:
            process.kill()
