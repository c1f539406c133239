"""Processes in which agents live: each calls takeback's hook, as an agent does, until it ends or is killed.

They are forked where takeback is loaded already, and their parent is gone, so that nothing but they themselves stands above
two hooks of a session. A hook is a process below a shell; or, at an eighth of the cost, the agent itself does what its hook
would do. What a hook does if the system refuses it another process is the same work.
"""

from __future__ import annotations

import gc
import os
import pickle
import tempfile
import time
from collections.abc import Mapping, Sequence
from functools import cache
from multiprocessing.connection import Client, Connection, Listener
from pathlib import Path
from typing import Any

from support.faults import zygote
from takeback.adapters.hooks import recording  # noqa: F401 - here once, instead of in each process
from takeback.adapters.hooks.receiving import Outcome, receive
from takeback.cli import main
from takeback.cli.commands import run  # noqa: F401 - as above

PATIENCE = 60.0


class Process:
    """One process that does what it is told."""

    def __init__(self, pid: int, connection: Connection) -> None:
        self.pid, self._connection = pid, connection

    def tell(self, agent: str, data: bytes, *, forked: bool) -> tuple[int, Outcome]:
        """Call the hook; when it began, and what it answered."""
        self._connection.send((agent, data, forked))
        assert self._connection.poll(PATIENCE), "a hook hangs"
        answer: tuple[int, Outcome] = self._connection.recv()
        return answer

    def wait(self) -> None:
        """Until it has ended by itself."""
        try:
            while self._connection.poll(PATIENCE):
                self._connection.recv()
        except (EOFError, ConnectionError):
            pass
        self._until_gone()

    def kill(self) -> None:
        os.kill(self.pid, 9)
        self._until_gone()

    def close(self) -> None:
        """Let it end."""
        self._connection.close()

    def _until_gone(self) -> None:
        end = time.monotonic() + PATIENCE
        while _is_alive(self.pid):
            assert time.monotonic() < end, "a killed process is still there"
            time.sleep(0.001)
        self._connection.close()


def agent() -> Process:
    """A new agent, with the environment of this moment."""
    return _started(_listen_to_orders)


def command(arguments: Sequence[str], directory: Path) -> Process:
    """A command line of takeback that takes a while."""
    return _started(_run_command, tuple(arguments), str(directory))


def _started(work: Any, *arguments: Any) -> Process:
    listener = _listener()
    pid: int = zygote.shared().do(_leave, dict(os.environ), listener.address, work, arguments)
    return Process(pid, listener.accept())


@cache
def _listener() -> Listener:
    return Listener(("127.0.0.1", 0))


def _leave(environment: Mapping[str, str], address: Any, work: Any, arguments: tuple[Any, ...]) -> int:
    """In a child of the process that forks, which ends at once: leave a process behind that works."""
    child = os.fork()
    if child:
        return child
    try:
        os.setsid()
        os.closerange(3, 256)
        os.environ.clear()
        os.environ.update(environment, TMPDIR=environment["HOME"])
        tempfile.tempdir = None
        gc.freeze()
        os.chdir("/")
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nothing, stream)
        work(Client(address), *arguments)
    except (EOFError, ConnectionError):
        pass
    finally:
        os._exit(0)


def _listen_to_orders(connection: Connection) -> None:
    fork = os.fork
    while True:
        name, data, forked = connection.recv()
        if forked:
            connection.send(_below_a_shell(name, data))
        else:
            os.fork = _refuse
            connection.send((time.time_ns(), receive(name, data)))
            os.fork = fork


def _refuse() -> int:
    raise BlockingIOError("no process can be had")


def _below_a_shell(name: str, data: bytes) -> tuple[int, Outcome]:
    ours, theirs = os.pipe()
    shell = os.fork()
    if shell == 0:
        try:
            _name_process("sh")
            if hook := os.fork():
                os.waitpid(hook, 0)
                os._exit(0)
            _name_process("takeback")
            said = pickle.dumps((time.time_ns(), receive(name, data)))
            os.write(theirs, len(said).to_bytes(4, "little") + said)
        finally:
            os._exit(0)
    os.close(theirs)
    with os.fdopen(ours, "rb") as pipe:
        size = int.from_bytes(pipe.read(4), "little")
        answer: tuple[int, Outcome] = pickle.loads(pipe.read(size))
    os.waitpid(shell, 0)
    return answer


def _name_process(name: str) -> None:
    try:
        Path("/proc/self/comm").write_text(name)
    except OSError:  # not Linux
        pass


def _run_command(connection: Connection, arguments: Sequence[str], directory: str) -> None:
    os.chdir(directory)
    connection.send(main(arguments))


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    try:
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] not in (b"Z", b"X")
    except OSError:
        return Path("/proc").is_dir() is False
