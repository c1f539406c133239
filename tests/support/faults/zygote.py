"""A process that has loaded takeback once and forks a child for each piece of work, with the fault layer in it if that is
asked for.

A child costs a few milliseconds instead of an interpreter's start, or of a fork of the tests' own process with all that it
holds, so thousands of runs are possible; and each is a fresh process, which knows nothing of those before.
"""

from __future__ import annotations

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
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

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
        _send(self._socket, (work, arguments))
        ended = _receive(self._socket)
        assert isinstance(ended, Ended), "the process that forks has died"
        return ended


def say(value: Any) -> None:
    """Tell whoever called, at once: it counts also if this child is killed in the next moment."""
    data = pickle.dumps((False, value))
    os.write(_voice, len(data).to_bytes(4, "little") + data)


def serve(descriptor: int) -> None:
    """In the process that forks, until the other side closes."""
    import takeback
    from takeback.engine import maintenance, retention, store, undrop  # noqa: F401 - what every child would load

    takeback.open  # noqa: B018 - a name that is loaded when it is first used
    with socket.socket(fileno=descriptor) as connection:
        while (asked := _receive(connection)) is not None:
            _send(connection, _run(*asked))


def _run(work: Callable[..., Any], arguments: tuple[Any, ...]) -> Ended:
    global _voice
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        _voice = write
        _work(work, arguments)
    os.close(write)
    heard, hung = _listen(read, child)
    os.close(read)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    said = [value for last, value in heard if not last]
    ends = [value for last, value in heard if last]
    result, trouble = ends[0] if ends else (None, "")
    return Ended(code, said, result, f"it hung for {PATIENCE:.0f} seconds" if hung else trouble)


def _work(work: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    """In the child: never returns."""
    try:
        end = (work(*arguments), "")
    except BaseException:
        end = (None, traceback.format_exc())
    data = pickle.dumps((True, end))
    os.write(_voice, len(data).to_bytes(4, "little"))
    view = memoryview(data)
    while view:
        view = view[os.write(_voice, view) :]
    os._exit(1 if end[1] else 0)


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
