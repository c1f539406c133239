"""An agent in a home of its own, working in a project, against a scripted model: what the four drivers share."""

from __future__ import annotations

import os
import subprocess
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from support.agents import installed
from support.agents.model import Model
from support.agents.script import (
    Answer,
    Call,
    Calls,
    Edit,
    Fail,
    Hold,
    Say,
    Shell,
    Step,
    Subagent,
    Together,
    Write,
    ended,
)

PATIENCE = 90


@dataclass(frozen=True)
class Turn:
    """How one prompt went."""

    code: int
    answer: str
    """The last words, as the agent reports them."""
    session: str
    out: str
    err: str


class Driver(ABC):
    """One session of an agent; a turn is a process of its own that resumes it."""

    agent: ClassVar[str]

    def __init__(self, home: Path, project: Path, model: Model, extra: Mapping[str, str] | None = None) -> None:
        self.home = home
        self.project = project
        self.model = model
        self.session = ""
        self.env = {
            "HOME": str(home),
            "PATH": installed.search_path(),
            "LANG": "C.UTF-8",
            "TERM": "xterm-256color",
            **{name: value for name, value in os.environ.items() if name.startswith(("TAKEBACK_", "XDG_"))},
            **self.environment(),
            **(extra or {}),
        }
        self.prepare()

    def turn(self, prompt: str, *steps: Step) -> Turn:
        """One prompt; the model answers with the steps, all of which must be played, and nothing more be asked."""
        turn = self.finish(self.start(prompt, *steps))
        assert self.model.over, f"{self.agent} left {self.model.left} or asked for more\n{turn.out}\n{turn.err}"
        return turn

    def start(self, prompt: str, *steps: Step) -> subprocess.Popen[str]:
        """Begin a turn that something happens in the middle of; `finish` waits for its end."""
        self.model.play(list(self.translate(ended(steps))))
        return subprocess.Popen(
            [installed.program(self.agent), *self.command(prompt)],
            cwd=self.project,
            env=self.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def finish(self, process: subprocess.Popen[str]) -> Turn:
        with process:
            try:
                out, err = process.communicate(timeout=PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                raise
        answer, session = self.read(out)
        self.session = session or self.session
        return Turn(process.returncode, answer, self.session, out, err)

    def translate(self, steps: Iterable[Step]) -> Iterator[Answer]:
        for step in steps:
            match step:
                case Say() | Fail() | Hold() | Calls():
                    yield step
                case Shell():
                    yield Calls((self.shell(step),))
                case Write():
                    yield from self.write(step)
                case Edit():
                    yield from self.edit(step)
                case Together(actions):
                    answers = list(self.translate(actions))
                    yield Calls(tuple(call for answer in answers if isinstance(answer, Calls) for call in answer.calls))
                case Subagent(task, steps):
                    yield from self.subagent(task, list(self.translate(steps)))

    @abstractmethod
    def environment(self) -> dict[str, str]:
        """What makes the agent ask our model and nobody else."""

    @abstractmethod
    def prepare(self) -> None:
        """Write the configuration that a first start would ask for."""

    @abstractmethod
    def command(self, prompt: str) -> list[str]:
        """Arguments that run one prompt, in the session if there is one."""

    @abstractmethod
    def read(self, out: str) -> tuple[str, str]:
        """The last words and the session's id, from what the agent printed; empty where it was killed before."""

    @abstractmethod
    def shell(self, step: Shell) -> Call: ...

    @abstractmethod
    def write(self, step: Write) -> Iterator[Answer]: ...

    @abstractmethod
    def edit(self, step: Edit) -> Iterator[Answer]: ...

    @abstractmethod
    def subagent(self, task: str, steps: list[Answer]) -> Iterator[Answer]: ...
