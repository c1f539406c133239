"""takeback hook, as agents call it: without what only people need, because they wait for it at every step."""

from __future__ import annotations

import os
import select
import signal

from takeback.adapters.hooks.agents import AGENTS
from takeback.adapters.hooks.receiving import Outcome, receive
from takeback.engine import processes
from takeback.sources import clock
from takeback.sources.clock import Reading

_MOST = 512 << 20
"""No event is longer."""


def hook(agent: str) -> int:
    """Take an agent's event from stdin, record it, and answer; the exit code."""
    came = _came()
    _open_what_is_closed()
    called = _end_is_said()
    try:
        data = _read(called)
    except OSError:
        data = b""
    if os.environ.get("TAKEBACK_OFF", "0") in ("", "0"):
        return _answer(receive(agent, data, called, came))
    return _answer(Outcome(reply=AGENTS[agent].reply if agent in AGENTS else b""))


def _came() -> Reading:
    """When the agent called: when this process began, because its command had ended then."""
    now = clock.read()
    began = processes.began_ns(processes.ancestry().chain[0], now.offset_ns)
    return now if began is None else now._replace(real_ns=min(now.real_ns, began))


def _open_what_is_closed() -> None:
    """Give streams that were closed to /dev/null, lest something else gets their numbers."""
    for stream in (0, 1, 2):
        try:
            os.fstat(stream)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest number that is free


def _end_is_said() -> int:
    """From now on a signal to end is no end: it can be read from the pipe that this gives. Who works on in a child has
    been told nothing, and an agent that loses patience gets its answer."""
    read, write = os.pipe()
    os.set_blocking(write, False)
    signal.set_wakeup_fd(write, warn_on_full_buffer=False)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: None)
    return read


def _read(called: int) -> bytes:
    """All that the agent writes until it closes the pipe, or tells us to end; nothing if it is too much."""
    pieces: list[bytes] = []
    size = 0
    while 0 in select.select([0, called], [], [])[0] and (piece := os.read(0, 1 << 20)):
        size += len(piece)
        if size <= _MOST:
            pieces.append(piece)
    return b"".join(pieces) if size <= _MOST else b""


def _answer(outcome: Outcome) -> int:
    try:
        if outcome.reply:
            os.write(1, outcome.reply)
        if outcome.problem:
            os.write(2, f"takeback: {outcome.problem}\n".encode())
    except OSError:
        pass  # nobody listens any more
    return outcome.exit_code
