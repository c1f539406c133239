"""`takeback hook` as a program: called as agents call it, killed as they kill it, and waited for when nobody else does."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from support.agent import World
from support.hooks.forked import Hooks
from support.hooks.voices import Call, ClaudeCode, Raw
from takeback.adapters.hooks.agents import AGENTS
from takeback.store import hooked, notices, queueing
from takeback.store.locks import root_lock
from takeback.store.notices import Notice

Told = subprocess.CompletedProcess[bytes]

PATIENCE = 60.0


def command(agent: str) -> list[str]:
    return [sys.executable, "-P", "-m", "takeback", "hook", agent]


def eventually(holds: Callable[[], bool]) -> None:
    """Wait until it does."""
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end, "it never came to be"
        time.sleep(0.01)


class Program:
    """A project, a store, and a Claude Code whose hooks are called in it.

    A call is a process of its own; what is only said (`say`, `turn`) goes to ``hooks``, if there are any, at a tenth of the cost."""

    def __init__(self, base: Path, home: Path, hooks: Hooks | None = None) -> None:
        self.hooks = hooks
        self.world = World(base, opened=False)
        self.store = self.world.store_path
        self.voice = ClaudeCode("one", str(self.world.root), str(home))
        self.spare = base / "tmp"
        self.spare.mkdir()
        self.env = {**os.environ, "TAKEBACK_STORE": str(self.store), "TMPDIR": str(self.spare)}

    def __call__(self, raw: Raw | bytes, agent: str = "claude-code", **options: Any) -> Told:
        """One call, which must look to the agent as if all were well."""
        done = self.called(raw, agent, **options)
        assert (done.returncode, done.stdout, done.stderr) == (0, AGENTS[agent].reply, b""), done
        return done

    def called(
        self, raw: Raw | bytes, agent: str = "claude-code", env: Mapping[str, str] | None = None, **options: Any
    ) -> Told:
        data = raw if isinstance(raw, bytes) else json.dumps(raw).encode()
        options = {"cwd": "/", "capture_output": True, **options}
        return subprocess.run(command(agent), input=data, env={**self.env, **(env or {})}, **options)

    def started(self, raw: Raw) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            command("claude-code"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd="/",
            env=self.env,
        )
        assert process.stdin is not None
        process.stdin.write(json.dumps(raw).encode())
        process.stdin.close()
        process.stdin = None
        return process

    def say(self, *raws: Raw) -> None:
        for raw in raws:
            if self.hooks is None:
                self(raw)
            else:
                self.hooks("claude-code", json.dumps(raw).encode(), self.env)

    def turn(self, title: str, path: str, text: str) -> None:
        """A whole turn that writes a file."""
        call = Call(path=f"{self.world.root}/{path}", text=text)
        self.say(*self.voice.prompt(title), *self.voice.before(call))
        self.world.write(path, text)
        self.say(*self.voice.after(call), *self.voice.stop())

    def turns(self) -> list[str]:
        """The titles of the turns that are moves, oldest first."""
        return [move.title for move in reversed(self.world.moves()) if move.level == "turn"]

    def notices(self) -> list[Notice]:
        place = self.spare / f"takeback-{os.getuid()}"
        return [*notices.read(self.store), *notices.read(place)]

    @contextmanager
    def busy(self) -> Iterator[Callable[[], None]]:
        """Somebody saves in the project meanwhile; gives what waits until a hook waits for them."""
        with root_lock(str(self.world.root)):
            fd = os.open(self.world.root, os.O_RDONLY)
            try:
                yield lambda: eventually(lambda: queueing.others_wait(fd))
            finally:
                os.close(fd)

    def finished(self) -> None:
        """Wait for whoever still works for the session without anybody waiting."""
        with hooked.alone(str(self.store), "claude-code", self.voice.session, PATIENCE):
            pass


def child_of(pid: int) -> int:
    """The one child of a process, once it has it."""
    found: list[str] = []

    def there() -> bool:
        found[:] = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        return bool(found)

    eventually(there)
    return int(found[0])
