"""Running somebody's command as if takeback were not there: its terminal, its signals, its exit code."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from types import FrameType

from takeback.views.text import visible

NOT_FOUND, NOT_EXECUTABLE = 127, 126

_STDERR = 2

_TERMINAL = (signal.SIGINT, signal.SIGQUIT)
"""What the terminal sends to both of us: only the command acts on it."""

_PASSED_ON = (signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2)
"""What somebody sends to us alone."""


def run_child(words: Sequence[str], directory: str, *, stdout_to_stderr: bool, finish: Callable[[int], None]) -> int:
    """Run a command to its end, then ``finish`` with its exit code, undisturbed by signals; the exit code."""
    child: subprocess.Popen[bytes] | None = None
    early: list[int] = []

    def pass_on(number: int, frame: FrameType | None) -> None:
        if number not in _PASSED_ON:
            return
        if child is None:
            early.append(number)  # it may run already, before we know its number
        elif child.returncode is None:
            child.send_signal(number)

    # Handlers, not SIG_IGN: a handler is gone in the child, an ignored signal would stay ignored.
    before = {number: signal.signal(number, pass_on) for number in (*_TERMINAL, *_PASSED_ON)}
    try:
        sys.stdout.flush()
        sys.stderr.flush()
        try:
            child = subprocess.Popen(list(words), cwd=directory, stdout=_STDERR if stdout_to_stderr else None)
        except OSError as error:
            code = _cannot_start(words[0], error)
        else:
            for number in early:
                child.send_signal(number)
            code = _exit_code(child.wait())
        finish(code)
        return code
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _exit_code(returned: int) -> int:
    return 128 - returned if returned < 0 else returned


def _cannot_start(word: str, error: OSError) -> int:
    found = not isinstance(error, FileNotFoundError)
    print(f"takeback: cannot run {visible(word)}: {os.strerror(error.errno or 0)}", file=sys.stderr)
    hint = "make it executable, or name the program that runs it" if found else "is it installed, and on the PATH?"
    print(f"hint: {hint}", file=sys.stderr)
    return NOT_EXECUTABLE if found else NOT_FOUND
