"""A program in a real terminal, tmux, and somebody who types and looks. Mark tests ``@pytest.mark.service("tmux")``."""

from __future__ import annotations

import os
import re
import secrets
import shlex
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

PATIENCE = 60.0
_ENDED = re.compile(r"ended with (\d+)$", re.MULTILINE)
"""In the middle of a line, if the shell wrote its prompt late."""


class Tmux:
    """A shell in a terminal; a command is started in it, so what is left of the terminal afterwards can be looked at."""

    def __init__(self, cwd: Path, env: Mapping[str, str], columns: int = 110, lines: int = 32) -> None:
        self._socket = f"takeback-{secrets.token_hex(6)}"
        surroundings = {**os.environ, **env, "LC_ALL": "C.UTF-8"}
        for name in ("COLUMNS", "LINES"):  # of the terminal that the tests run in; a program would believe them
            surroundings.pop(name, None)
        size = ("-x", str(columns), "-y", str(lines))
        self._run("-f", "/dev/null", "new-session", "-d", *size, "sh", cwd=cwd, env=surroundings)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._run("kill-server")

    def start(self, command: Sequence[str]) -> None:
        """Type a command; `ended` waits for its end."""
        self.type(f"{shlex.join(command)}; echo ended with $?")
        self.keys("Enter")

    def ended(self) -> int:
        """Wait until the command has ended; its exit code."""
        screen = self.wait_until(lambda screen: _ENDED.search(screen) is not None)
        return int(_ENDED.findall(screen)[-1])

    def keys(self, *names: str) -> None:
        """Press keys by tmux's names: ``Enter``, ``Escape``, ``C-c``, ``j``, …"""
        self._run("send-keys", *names)

    def type(self, text: str) -> None:
        self._run("send-keys", "-l", "--", text)

    def screen(self) -> str:
        return self._run("capture-pane", "-p")

    def wait_for(self, text: str) -> str:
        """Look until the text is on the screen; what is on it then."""
        return self.wait_until(lambda screen: text in screen, f"{text!r} was not shown")

    def wait_until(self, holds: Callable[[str], bool], what: str = "that did not happen") -> str:
        deadline = time.monotonic() + PATIENCE
        while not holds(screen := self.screen()):
            assert time.monotonic() < deadline, f"{what}; the screen:\n{screen}"
            time.sleep(0.05)
        return screen

    def pid(self) -> int:
        """The shell's process."""
        return int(self._run("display-message", "-p", "#{pane_pid}"))

    def resize(self, columns: int, lines: int) -> None:
        self._run("resize-window", "-x", str(columns), "-y", str(lines))

    def state(self) -> tuple[bool, bool, bool]:
        """Whether a program holds the alternate screen, whether the cursor shows, and whether the mouse is asked for."""
        said = self._run("display-message", "-p", "#{alternate_on} #{cursor_flag} #{mouse_any_flag}").split()
        alternate, cursor, mouse = (word == "1" for word in said)
        return alternate, cursor, mouse

    def _run(self, *arguments: str, cwd: Path | None = None, env: Mapping[str, str] | None = None) -> str:
        command = ["tmux", "-L", self._socket, *arguments]
        done = subprocess.run(command, capture_output=True, text=True, cwd=cwd, env=env)
        assert done.returncode == 0, f"{command}: {done.stderr}"
        return done.stdout
