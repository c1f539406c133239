"""A program on a terminal of its own, and somebody who types."""

from __future__ import annotations

import errno
import fcntl
import os
import pty
import select
import struct
import subprocess
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

PATIENCE = 60.0


class Terminal:
    """Runs a command whose stdin, stdout and stderr are a terminal that it controls."""

    def __init__(self, command: Sequence[str], cwd: Path, env: Mapping[str, str], columns: int = 80) -> None:
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        self.process = subprocess.Popen(
            command,
            cwd=cwd,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env={**os.environ, "TERM": "xterm-256color", **env},
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.close(slave)
        self.shown = b""

    def type(self, text: bytes) -> None:
        os.write(self._master, text)

    def wait_for(self, text: bytes) -> None:
        """Read until the text has been shown."""
        deadline = time.monotonic() + PATIENCE
        while text not in self.shown:
            assert self._read(deadline), f"{text!r} was not shown, but: {self.shown!r}"

    def wait_until(self, holds: Callable[[], bool]) -> None:
        """Read until something has come true, here or elsewhere."""
        deadline = time.monotonic() + PATIENCE
        while not holds():
            if select.select([self._master], [], [], 0.02)[0]:
                assert self._read(deadline), f"it has ended; shown: {self.shown!r}"
            elif time.monotonic() > deadline:
                self.process.kill()
                raise AssertionError(f"that did not happen; shown: {self.shown!r}")

    def end(self) -> int:
        """Read until the command ends; its exit code."""
        deadline = time.monotonic() + PATIENCE
        while self._read(deadline):
            pass
        os.close(self._master)
        return self.process.wait(PATIENCE)

    def _read(self, deadline: float) -> bool:
        ready, _, _ = select.select([self._master], [], [], max(0.0, deadline - time.monotonic()))
        if not ready:
            self.process.kill()
            raise AssertionError(f"nothing happened any more; shown: {self.shown!r}")
        try:
            piece = os.read(self._master, 65536)
        except OSError as error:
            if error.errno != errno.EIO:  # Linux: the other side is closed
                raise
            return False
        self.shown += piece
        return bool(piece)
