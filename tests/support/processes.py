"""Work in forked children, for tests of what several processes do to one store and of what a killed one leaves."""

from __future__ import annotations

import os
import pickle
import signal
import sys
import traceback
import warnings
from collections.abc import Callable, Sequence
from typing import Any

KILLED = -signal.SIGKILL


def start(work: Callable[[], Any]) -> tuple[int, int]:
    """Run ``work`` in a child; returns its pid and a descriptor that its pickled result comes from."""
    read, write = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # later Pythons warn of a fork beside threads
        child = os.fork()
    if child:
        os.close(write)
        return child, read
    status = 1
    try:
        os.close(read)
        result = work()
        with open(write, "wb") as stream:
            pickle.dump(result, stream)
        status = 0
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
        with open(write, "wb") as stream:
            pickle.dump(traceback.format_exc(), stream)
    finally:
        os._exit(status)


def finish(child: tuple[int, int]) -> tuple[int, Any]:
    """The exit code (negative for a signal) and the result of a child, once it has ended; if it raised, where."""
    pid, read = child
    with open(read, "rb") as stream:
        answer = stream.read()
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return code, pickle.loads(answer) if code in (0, 1) and answer else None


def in_child(work: Callable[[], Any]) -> tuple[int, Any]:
    return finish(start(work))


def at_once(works: Sequence[Callable[[], Any]]) -> list[Any]:
    """The results of all, each in a child of its own, let go at the same moment; all must succeed."""
    gate, opener = os.pipe()

    def gated(work: Callable[[], Any]) -> Callable[[], Any]:
        def run() -> Any:
            os.close(opener)
            os.read(gate, 1)
            return work()

        return run

    children = [start(gated(work)) for work in works]
    os.close(opener)
    ended = [finish(child) for child in children]
    os.close(gate)
    for code, result in ended:
        assert code == 0, f"a process ended with {code}\n{result or ''}"
    return [result for _, result in ended]
