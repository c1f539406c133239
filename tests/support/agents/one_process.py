"""Agents that take a prompt as an argument: each turn is a process of its own, which resumes the session."""

from __future__ import annotations

import os
import signal
import subprocess
from abc import abstractmethod

from support.agents.driver import Driver, Turn

PATIENCE = 90


class OneProcess(Driver):
    """One process a turn."""

    def begin(self, prompt: str) -> Process:
        return Process(self, self.program(*self.command(prompt)))

    @abstractmethod
    def command(self, prompt: str) -> list[str]:
        """Arguments that run one prompt, in the session if there is one."""

    @abstractmethod
    def read(self, out: str) -> tuple[str, str]:
        """The last words and the session's id, from what the agent printed; empty where it was killed before."""


class Process:
    """A turn that is at work."""

    def __init__(self, driver: OneProcess, process: subprocess.Popen[str]) -> None:
        self._driver = driver
        self._process = process

    def finish(self) -> Turn:
        driver = self._driver
        try:
            out, err = self._process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            self.kill()
            raise
        answer, session = driver.read(out)
        driver.session = session or driver.session
        return Turn(self._process.returncode, answer, driver.session, out, err)

    def kill(self) -> None:
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.communicate()
