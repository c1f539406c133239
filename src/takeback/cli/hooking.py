"""takeback hook, as agents call it: without what only people need, because they wait for it at every step."""

from __future__ import annotations

import os
import sys

from takeback.adapters.hooks.agents import AGENTS
from takeback.adapters.hooks.receiving import Outcome, receive

_MOST = 512 << 20
"""No event is longer."""


def hook(agent: str) -> int:
    """Take an agent's event from stdin, record it, and answer; the exit code."""
    try:
        data = _read()
    except OSError:
        data = b""
    if os.environ.get("TAKEBACK_OFF", "0") in ("", "0"):
        return _answer(receive(agent, data))
    return _answer(Outcome(reply=AGENTS[agent].reply if agent in AGENTS else b""))


def _read() -> bytes:
    """All that the agent writes, because it may not like a pipe that is closed before; nothing if it is too much."""
    pieces: list[bytes] = []
    size = 0
    while piece := os.read(0, 1 << 20):
        size += len(piece)
        if size <= _MOST:
            pieces.append(piece)
    return b"".join(pieces) if size <= _MOST else b""


def _answer(outcome: Outcome) -> int:
    try:
        if outcome.reply:
            os.write(1, outcome.reply)
        if outcome.problem:
            print(f"takeback: {outcome.problem}", file=sys.stderr, flush=True)
    except OSError:
        pass  # nobody listens any more
    return outcome.exit_code
