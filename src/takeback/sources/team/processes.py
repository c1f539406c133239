"""Whether a process that somebody noted is still there: by its number, or by its pane of tmux.

Nothing is signalled, no shell is started, and nothing that was noted becomes an argument of a program.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from typing import NamedTuple

SHELLS = frozenset({"bash", "zsh", "sh", "fish"})
"""What a pane shows whose program has ended."""

_PATIENCE = 5.0
_SLACK_NS = 1_000_000_000
_LARGEST_PID = 2**31 - 1
_ENDED = frozenset("ZX")


class _Seen(NamedTuple):
    """A process as the kernel describes it."""

    name: str
    state: str
    started_ns: int
    command: bytes


class Pane(NamedTuple):
    """A pane of tmux: ``where`` begins with its target, ``session:window``, and ends with what runs in it."""

    dead: bool
    where: str

    def runs_at(self, target: str) -> str:
        """What runs there if this is a pane of that target; empty if it is not, or if only a shell does."""
        if self.dead or not self.where.startswith(f"{target} "):
            return ""
        command = self.where[len(target) + 1 :]
        return "" if command in SHELLS else command


def running(pid: object, noted_ns: int, word: str = "") -> str | None:
    """The name of a process, if it runs and can be the one that was noted at a time, with a command of this first word;
    None if not. A process that began only after the note, and runs something else, has but the same number."""
    if type(pid) is not int or not 0 < pid <= _LARGEST_PID or not _exists(pid):
        return None
    seen = _seen(pid)
    if seen is None:  # nobody tells more here
        return os.path.basename(word)
    if seen.state in _ENDED:
        return None
    if seen.started_ns > noted_ns + _SLACK_NS and not (word and word.encode("utf-8", "replace") in seen.command):
        return None
    return os.path.basename(word) or seen.name


def panes() -> list[Pane]:
    """All panes that tmux has; none if it is not installed, does not run, or does not answer."""
    try:
        done = subprocess.run(
            ["tmux", "list-panes", "-a", "-F", "#{pane_dead} #{session_name}:#{window_name} #{pane_current_command}"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_PATIENCE,
        )
    except (OSError, subprocess.SubprocessError):
        return []
    return list(_read(done.stdout.decode("utf-8", "replace"))) if done.returncode == 0 else []


def _read(text: str) -> Iterator[Pane]:
    for line in text.splitlines():
        dead, _, where = line.partition(" ")
        yield Pane(dead == "1", where)


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)  # no signal at all
    except PermissionError:
        return True  # somebody else's
    except OSError:
        return False
    return True


def _seen(pid: int) -> _Seen | None:
    """What Linux says of a process; None where nobody does."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            name, _, rest = file.read().decode("utf-8", "replace").partition("(")[2].rpartition(")")
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            command = file.read()
        fields = rest.split()
        age_ns = time.clock_gettime_ns(time.CLOCK_BOOTTIME) - int(fields[19]) * 10**9 // os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError, AttributeError):
        return None
    return _Seen(name, fields[0], time.time_ns() - age_ns, command)
