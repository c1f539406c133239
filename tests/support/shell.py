"""Shells in which somebody types one line after the other, with what a terminal remembers in between: directory, variables,
and a program that asks for more."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType

PATIENCE = 180.0
_END = "--- typed:"


class Shell:
    """bash. Each command is `type`d; one that asks for more is `begin`-ned, and then `answer`-ed."""

    def __init__(self, directory: Path, env: Mapping[str, str]) -> None:
        self._bash = subprocess.Popen(
            ["/bin/bash", "--noprofile", "--norc"],
            cwd=directory,
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        self.code = 0
        """How the last command ended; $? in the next one."""

    def __enter__(self) -> Shell:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        os.killpg(self._bash.pid, signal.SIGKILL)
        self._bash.communicate()

    def type(self, command: str) -> list[str]:
        """Run a command that asks nothing to its end; what it printed."""
        self._write(f"(exit {self.code}); {{ {command}\n}} </dev/null; {_ending()}\n")
        return self._read("")

    def begin(self, command: str, prompt: str) -> list[str]:
        """Run a command until it asks."""
        self._write(f"{command}; {_ending()}\n")
        return self._read(prompt)

    def answer(self, text: str, prompt: str) -> list[str]:
        """Type what it asked for; what it printed until it asked again, or ended."""
        self._write(f"{text}\n")
        return self._read(prompt)

    def _write(self, text: str) -> None:
        assert self._bash.stdin is not None
        self._bash.stdin.write(text.encode())
        self._bash.stdin.flush()

    def _read(self, prompt: str) -> list[str]:
        assert self._bash.stdout is not None
        deadline, read = time.monotonic() + PATIENCE, ""
        while True:
            ready, _, _ = select.select([self._bash.stdout], [], [], max(0.0, deadline - time.monotonic()))
            piece = os.read(self._bash.stdout.fileno(), 65536) if ready else b""
            assert piece, f"nothing happened any more; printed: {read}"
            read += piece.decode(errors="replace")
            printed, ended, code = read.rpartition(f"\n{_END}")
            if ended and code.endswith("\n"):
                self.code = int(code)
                return _lines(printed)
            if prompt and read.endswith(prompt):
                return _lines(read.removesuffix(prompt))


def _ending() -> str:
    return f"printf '\\n{_END}%d\\n' $?"


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.splitlines()]
