"""Processes as moves remember them: which one an agent is, and whether it is gone.

A process is known by its number and its start, on one boot and in one pid namespace: numbers are used again. Of a process on
another boot it is certain that it is gone; of one in another namespace, or on another machine, nothing is known.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

_SHELLS = frozenset("sh bash dash zsh ksh fish ash busybox env timeout nice setsid".split())
"""Programs through which an agent starts a hook."""
_LATELY = 2.0
"""A shell that began so many seconds before the hook was started for it."""
_DEEPEST = 64


class Process(NamedTuple):
    """One process."""

    pid: int
    start: int
    """When it began, in clock ticks since the boot; 0 if the system does not say."""
    name: str = ""


class Ancestry(NamedTuple):
    """A process and those above it, the nearest first."""

    boot: str
    namespace: str
    chain: tuple[Process, ...]

    def encoded(self) -> dict[str, Any]:
        """As JSON; `decoded` reads it."""
        return {"boot": self.boot, "ns": self.namespace, "chain": [[each.pid, each.start] for each in self.chain]}

    def has(self, process: Process) -> bool:
        return any((each.pid, each.start) == (process.pid, process.start) for each in self.chain)


def ancestry(pid: int | None = None) -> Ancestry:
    """The ancestry of a process; of this one if none is named."""
    chain: list[Process] = []
    number = os.getpid() if pid is None else pid
    while number > 1 and len(chain) < _DEEPEST:
        found = _look(number)
        if found is None:
            break
        process, number = found
        chain.append(process)
    if not chain:
        chain.append(Process(os.getpid() if pid is None else pid, 0))
    return Ancestry(_boot(), _namespace(), tuple(chain))


def began_ns(process: Process, real_at_boot_ns: int) -> int | None:
    """The latest moment, in real time, at which a process can have begun; None if the system does not say."""
    if not process.start:
        return None
    return real_at_boot_ns + (process.start + 1) * 1_000_000_000 // os.sysconf("SC_CLK_TCK")


def agent_above(hook: Ancestry, before: Ancestry | None = None) -> Ancestry:
    """The agent that called a hook, and what is above it: the lowest process that two of its hooks share. Of the first hook
    of a session, the lowest that is no shell started for it."""
    if before is not None and (before.boot, before.namespace) == (hook.boot, hook.namespace):
        for place, process in enumerate(hook.chain):
            if before.has(process):
                return hook._replace(chain=hook.chain[place:])
    own, *above = hook.chain
    ticks = os.sysconf("SC_CLK_TCK") if above and own.start else 0
    while len(above) > 1 and above[0].name in _SHELLS and own.start - above[0].start <= _LATELY * ticks:
        above.pop(0)
    return hook._replace(chain=tuple(above) or hook.chain)


def decoded(raw: Any) -> Ancestry | None:
    """What `Ancestry.encoded` gave; None for anything else."""
    if not isinstance(raw, Mapping) or not isinstance(raw.get("chain"), list) or not raw["chain"]:
        return None
    pairs = [each for each in raw["chain"] if _is_pair(each)]
    if len(pairs) != len(raw["chain"]):
        return None
    return Ancestry(
        str(raw.get("boot", "")), str(raw.get("ns", "")), tuple(Process(pid, start) for pid, start in pairs)
    )


def is_gone(agent: Ancestry) -> bool:
    """Whether an agent has certainly ended: the first process of its ancestry."""
    if agent.boot and _boot() and agent.boot != _boot():
        return True
    if agent.namespace != _namespace():
        return False
    process = agent.chain[0]
    if not _boot():  # no /proc
        return not _answers(process.pid)
    found = _look(process.pid)
    return found is None or found[0].start != process.start


def _answers(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _look(pid: int) -> tuple[Process, int] | None:
    """A process and the number of its parent; None if it has ended, or the system does not tell."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            head, _, rest = file.read().rpartition(b")")
    except OSError:
        return None
    fields = rest.split()
    if len(fields) < 20 or fields[0] in (b"Z", b"X"):
        return None
    return Process(pid, int(fields[19]), head.partition(b"(")[2].decode("utf-8", "replace")), int(fields[1])


@cache
def _boot() -> str:
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            return file.read().strip()
    except OSError:
        return ""


def _namespace() -> str:
    try:
        return os.readlink("/proc/self/ns/pid")
    except OSError:
        return ""


def _is_pair(value: object) -> bool:
    return isinstance(value, Sequence) and len(value) == 2 and all(type(each) is int for each in value)
