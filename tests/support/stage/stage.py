"""Where a story is told: a project, a store, agents whose hooks are called, and a clock that goes as fast as it is told to.

Everything is recorded by takeback itself, through the door that agents use. Only the time and what is random are the
stage's own, so that a story looks the same each time.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from unittest import mock

import takeback as tb
from support.git import git
from takeback import locate
from takeback.adapters.hooks.event import Event
from takeback.adapters.hooks.recording import record

MINUTE = 60 * 10**9
Content = str | bytes | Callable[[str], str] | None
"""What a file becomes: this, what is made of what it holds, or nothing."""


@dataclass(frozen=True)
class Story:
    """What was staged: ``env`` is what a command needs to find its way there."""

    root: Path
    store: Path
    env: Mapping[str, str]
    fork: Path


@dataclass(frozen=True)
class Call:
    """What an agent does with one tool."""

    tool: str
    input: Mapping[str, str]
    changes: Mapping[str, Content] = field(default_factory=dict)


def write(path: str, content: str | bytes) -> Call:
    return Call("Write", {"file_path": path}, {path: content})


def edit(path: str, *replacements: tuple[str, str]) -> Call:
    def edited(text: str) -> str:
        for old, new in replacements:
            assert old in text, f"{path} has no {old!r}"
            text = text.replace(old, new)
        return text

    return Call("Edit", {"file_path": path}, {path: edited})


def run(command: str, changes: Mapping[str, Content] | None = None) -> Call:
    return Call("Bash", {"command": command}, changes or {})


class Stage:
    """The place, while a story is told."""

    def __init__(self, directory: Path, begins_ns: int) -> None:
        self.directory = directory.resolve()
        self.root = self.directory / "tinyshop"
        self.now_ns = begins_ns
        home = self.directory / "home"
        self.env = {
            "HOME": str(home),
            "XDG_CONFIG_HOME": str(home / ".config"),
            "XDG_DATA_HOME": str(home / ".local/share"),
            "XDG_STATE_HOME": str(home / ".local/state"),
            "XDG_CACHE_HOME": str(home / ".cache"),
            "TAKEBACK_STORE": str(self.directory / "store"),
            "TAKEBACK_UPKEEP": "off",
            "CLAWTEAM_DATA_DIR": str(self.directory / "clawteam"),
            "CLAWTEAM_TRANSPORT": "file",
            "GIT_CONFIG_NOSYSTEM": "1",
        }
        for place in (self.root, home, self.directory / "clawteam"):
            place.mkdir(parents=True)

    @contextmanager
    def set(self) -> Iterator[None]:
        """Everything that is done in the block is done there and then."""
        chance = random.Random(7)
        with (
            mock.patch.dict(os.environ, self.env),
            mock.patch.object(time, "time_ns", self._clock),
            mock.patch.object(os, "urandom", chance.randbytes),
        ):
            yield

    def _clock(self) -> int:
        self.now_ns += 1_000_000
        return self.now_ns

    def wait(self, minutes: float) -> None:
        self.now_ns += int(minutes * MINUTE)

    def line(self) -> tb.Timeline:
        return locate.here(self.root)

    def change(self, changes: Mapping[str, Content], root: Path | None = None) -> None:
        for path, content in changes.items():
            target = (root or self.root) / path
            if content is None:
                target.unlink()
                if not any(target.parent.iterdir()):
                    target.parent.rmdir()
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            made = content(target.read_text()) if callable(content) else content
            target.write_bytes(made.encode() if isinstance(made, str) else made)

    def git(self, *arguments: str) -> None:
        when = f"@{self.now_ns // 10**9} +0000"
        person = {"NAME": "Robin", "EMAIL": "robin@example.org", "DATE": when}
        known = {f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER") for key, value in person.items()}
        with mock.patch.dict(os.environ, known):
            git(self.root, *arguments)

    def agent(self, name: str, session: str, root: Path | None = None) -> Agent:
        return Agent(self, name, session, root or self.root)


class Agent:
    """A session of a coding agent that was installed."""

    def __init__(self, stage: Stage, name: str, session: str, root: Path) -> None:
        self._stage, self._name, self._session, self._root = stage, name, session, root
        self._calls = 0

    def turn(self, prompt: str, *calls: Call) -> None:
        self._say("UserPromptSubmit", "turn_start", prompt=prompt)
        for call in calls:
            self._stage.wait(0.4)
            self._call(call)
        self._stage.wait(0.2)
        self._say("Stop", "turn_end")

    def _call(self, call: Call) -> None:
        self._calls += 1
        paths = tuple(str(self._root / path) for path in call.changes) if "file_path" in call.input else ()
        about = {"tool": call.tool, "input": call.input, "key": f"call-{self._calls}", "paths": paths}
        self._say("PreToolUse", "before_action", **about)
        self._stage.change(call.changes, self._root)
        command: Sequence[str] = call.input.get("command", "").split("'")
        if command[0].startswith("git commit"):
            self._stage.git("add", "--all")
            self._stage.git("commit", "--quiet", "--message", command[1])
        self._say("PostToolUse", "after_action", **about)

    def _say(self, name: str, trigger: str, **more: object) -> None:
        record(self._name, Event(name, trigger, self._session, str(self._root), **more))  # type: ignore[arg-type]
