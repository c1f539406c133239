"""While an agent asks a person whether a call may run: a save every second, so that what the person changes meanwhile is in
steps of its own, and not in that of the call.

It ends when the question is answered, the turn ends, or the agent is gone; it becomes rarer with time.
"""

from __future__ import annotations

import os
import time

from takeback import locate
from takeback.adapters.hooks.event import Event
from takeback.engine import processes
from takeback.errors import TakebackError
from takeback.store import hooked

_OFTEN, _SELDOM = 1.0, 30.0
"""Seconds between two saves, in the first minutes and later."""
_MINUTES = 600.0
_LONGEST = 86400.0
_SHARE = 10
"""A save takes at most this fraction of the time."""


def watch(agent: str, event: Event) -> None:
    """Save until the question is answered."""
    directory, asked = locate.store_path(), time.monotonic()
    pause = _OFTEN
    while (waited := time.monotonic() - asked) < _LONGEST:
        time.sleep(max(pause, _SELDOM if waited > _MINUTES else _OFTEN))
        known = hooked.recall(directory, agent, event.session)
        if known is None or not known.on or not (set(known.running) or {event.key, event.call}) & set(known.asked):
            return
        process = processes.decoded(known.agent)
        if (process is not None and processes.is_gone(process)) or not os.path.isdir(known.root):
            return
        began = time.monotonic()
        try:
            with locate.open(directory) as store:
                locate.timeline(store, locate.place(known.root, fixed=True)).save(trigger="interval")
        except TakebackError:
            pass  # somebody else saves, or nothing can be saved now: the next second tries again
        pause = _SHARE * (time.monotonic() - began)
