"""A command that a turn stands still in until the test lets it go on."""

from __future__ import annotations

import errno
import os
import shlex
import time
from pathlib import Path

PATIENCE = 60.0


class Gate:
    """A named pipe: whoever reads it waits until it is opened."""

    def __init__(self, path: Path) -> None:
        os.mkfifo(path)
        self._path = path
        self._writer = -1

    @property
    def command(self) -> str:
        """What a shell waits in. Not `cat`: Claude Code reads what was shown to it once more, and would wait for ever."""
        return f"read -r _ < {shlex.quote(str(self._path))} || true"

    def reached(self) -> bool:
        """Whether the command reads; it goes on at `open`, or when this process ends."""
        if self._writer < 0:
            try:
                self._writer = os.open(self._path, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC)
            except OSError as error:
                if error.errno != errno.ENXIO:  # nobody reads it yet
                    raise
        return self._writer >= 0

    def wait_until_reached(self) -> None:
        deadline = time.monotonic() + PATIENCE
        while not self.reached():
            assert time.monotonic() < deadline, "the command never came"
            time.sleep(0.01)

    def open(self) -> None:
        os.close(self._writer)
        self._writer = -1
