"""A process that has loaded takeback once and forks a child for each piece of work, with the fault layer in it if that is
asked for.

A child costs a few milliseconds instead of an interpreter's start, or of a fork of the tests' own process with all that it
holds, so thousands of runs are possible; and each is a fresh process, which knows nothing of those before. It has the
environment of the test. A module that a child had to load is loaded here before the next one is forked.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import os
import pickle
import select
import signal
import socket
import subprocess
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from support import faults
from support.faults import Fault, Point

KILLED = -signal.SIGKILL
PATIENCE = 60.0
"""Seconds after which a child counts as hung."""

_voice = -1


@dataclass(frozen=True)
class Ended:
    """How a child ended: its exit code (negative for a signal), what it said before, and what it returned."""

    code: int
    said: list[Any] = field(default_factory=list)
    result: Any = None
    trouble: str = ""
    """A traceback, or that it hung."""
    loaded: tuple[str, ...] = ()
    """Modules that it had to load."""


class Zygote:
    """The process that forks; use it in a ``with`` block."""

    def __init__(self, library: Path | None = None) -> None:
        self._socket, other = socket.socketpair()
        tests = Path(__file__).parents[2]
        path = os.pathsep.join([str(tests), str(tests.parent), os.environ.get("PYTHONPATH", "")])
        self._process = subprocess.Popen(
            [sys.executable, "-c", f"from support.faults.zygote import serve; serve({other.fileno()})"],
            env={**os.environ, "PYTHONPATH": path} | ({"LD_PRELOAD": str(library)} if library else {}),
            pass_fds=[other.fileno()],
        )
        other.close()

    def __enter__(self) -> Zygote:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()
        self._process.wait()

    def call(self, work: Callable[..., Any], *arguments: Any) -> Ended:
        """Do ``work``, a function of a module, in a child of its own."""
        _send(self._socket, (dict(os.environ), work, arguments))
        ended = _receive(self._socket)
        assert isinstance(ended, Ended), "the process that forks has died"
        return ended

    def do(self, work: Callable[..., Any], *arguments: Any) -> Any:
        """The result of ``work``, which must succeed."""
        ended = self.call(work, *arguments)
        assert ended.code == 0 and not ended.trouble, ended
        return ended.result

    def points(self, below: Path, work: Callable[..., Any], *arguments: Any) -> list[Point]:
        """Do ``work`` without a fault; the calls that changed something below a directory."""
        points: list[Point] = self.do(_with_fault, below, 0, work, arguments)
        return points

    def killed(self, below: Path, at: int, work: Callable[..., Any], *arguments: Any) -> bool:
        """Do ``work``, and kill it just before point ``at`` below a directory; whether it came to that point."""
        ended = self.call(_with_fault, below, at, work, arguments)
        assert ended.code in (0, KILLED) and not ended.trouble, ended
        return ended.code == KILLED


@cache
def shared() -> Zygote:
    """One without the fault layer, for all tests of this process."""
    zygote = Zygote()
    atexit.register(zygote.__exit__)
    return zygote


def say(value: Any) -> None:
    """Tell whoever called, at once: it counts also if this child is killed in the next moment."""
    data = pickle.dumps((False, value))
    os.write(_voice, len(data).to_bytes(4, "little") + data)


def serve(descriptor: int) -> None:
    """In the process that forks, until the other side closes."""
    import takeback
    from takeback.engine import maintenance, retention, store, undrop  # noqa: F401 - what every child would load

    takeback.open  # noqa: B018 - a name that is loaded when it is first used
    gc.freeze()  # so that a child that collects garbage need not copy what was there before
    with socket.socket(fileno=descriptor) as connection:
        while (asked := _receive(connection)) is not None:
            ended = _run(*asked)
            _send(connection, ended)
            if ended.loaded:
                for name in ended.loaded:
                    with suppress(ImportError):  # one that is made by another
                        importlib.import_module(name)
                gc.freeze()


def _with_fault(below: Path, at: int, work: Callable[..., Any], arguments: tuple[Any, ...]) -> list[Point]:
    faults.arm(below, Fault.KILL if at else None, at)
    work(*arguments)
    faults.disarm()
    return faults.points()


def _run(environment: dict[str, str], work: Callable[..., Any], arguments: tuple[Any, ...]) -> Ended:
    global _voice
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        _voice = write
        os.environ.clear()
        os.environ.update(environment)
        _work(work, arguments)
    os.close(write)
    heard, hung = _listen(read, child)
    os.close(read)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    said = [value for last, value in heard if not last]
    ends = [value for last, value in heard if last]
    result, trouble, loaded = ends[0] if ends else (None, "", ())
    return Ended(code, said, result, f"it hung for {PATIENCE:.0f} seconds" if hung else trouble, loaded)


def _work(work: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    """In the child: never returns."""
    before = set(sys.modules)
    try:
        result, trouble = work(*arguments), ""
    except BaseException:
        result, trouble = None, traceback.format_exc()
    loaded = tuple(sys.modules.keys() - before)
    data = pickle.dumps((True, (result, trouble, loaded)))
    os.write(_voice, len(data).to_bytes(4, "little"))
    view = memoryview(data)
    while view:
        view = view[os.write(_voice, view) :]
    os._exit(1 if trouble else 0)


def _listen(read: int, child: int) -> tuple[list[tuple[bool, Any]], bool]:
    data, hung, deadline = bytearray(), False, time.monotonic() + PATIENCE
    while True:
        ready, _, _ = select.select([read], [], [], max(0.0, deadline - time.monotonic()))
        if not ready:
            os.kill(child, signal.SIGKILL)
            hung, deadline = True, time.monotonic() + PATIENCE
            continue
        piece = os.read(read, 1 << 20)
        if not piece:
            break
        data += piece
    heard = []
    while data:
        size = int.from_bytes(data[:4], "little")
        heard.append(pickle.loads(data[4 : 4 + size]))
        del data[: 4 + size]
    return heard, hung


def _send(connection: socket.socket, value: Any) -> None:
    data = pickle.dumps(value)
    connection.sendall(len(data).to_bytes(8, "little") + data)


def _receive(connection: socket.socket) -> Any:
    size = int.from_bytes(_exactly(connection, 8), "little")
    return pickle.loads(_exactly(connection, size)) if size else None


def _exactly(connection: socket.socket, size: int) -> bytes:
    data = bytearray()
    while len(data) < size:
        piece = connection.recv(size - len(data))
        if not piece:
            return b""
        data += piece
    return bytes(data)
