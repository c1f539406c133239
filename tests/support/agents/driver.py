"""An agent in a home of its own, working in a project, against a scripted model: what the four drivers share."""

from __future__ import annotations

import os
import subprocess
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Protocol

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


@dataclass(frozen=True)
class Turn:
    """How one prompt went."""

    code: int
    answer: str
    """The last words, as the agent reports them."""
    session: str
    out: str
    err: str


class Running(Protocol):
    """A turn that has begun."""

    def finish(self) -> Turn: ...

    def kill(self) -> None:
        """End it as a crash does, with whatever processes the agent has started itself."""


class Driver(ABC):
    """One session of an agent."""

    agent: ClassVar[str]
    tells_late: ClassVar[bool] = False
    """Whether it goes on before those whom it told of a turn's end have heard it."""

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
        self.prepare(home)

    def turn(self, prompt: str, *steps: Step) -> Turn:
        """One prompt; the model answers with the steps, all of which must be played, and nothing more be asked."""
        turn = self.start(prompt, *steps).finish()
        assert self.model.over, f"{self.agent} left {self.model.left} or asked for more\n{turn.out}\n{turn.err}"
        return turn

    def start(self, prompt: str, *steps: Step) -> Running:
        """Begin a turn that something happens in the middle of."""
        self.model.play(list(self.translate(ended(steps))))
        return self.begin(prompt)

    def program(self, *arguments: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [installed.program(self.agent), *arguments],
            cwd=self.project,
            env=self.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def leave(self) -> None:  # noqa: B027 - most agents have nothing to end
        """End whatever runs between turns, as a person does who closes the agent."""

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

    @staticmethod
    @abstractmethod
    def prepare(home: Path) -> None:
        """Write the configuration that a first start would ask for, unless there is one."""

    @abstractmethod
    def configuration(self) -> list[Path]:
        """The files that a person keeps settings and hooks in, if they are there."""

    @abstractmethod
    def begin(self, prompt: str) -> Running:
        """Give the agent a prompt, in the session if there is one."""

    @abstractmethod
    def shell(self, step: Shell) -> Call: ...

    @abstractmethod
    def write(self, step: Write) -> Iterator[Answer]: ...

    @abstractmethod
    def edit(self, step: Edit) -> Iterator[Answer]: ...

    @abstractmethod
    def subagent(self, task: str, steps: list[Answer]) -> Iterator[Answer]: ...
