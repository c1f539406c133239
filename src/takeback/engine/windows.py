"""When agents were at work in a root: the windows of their moves.

A turn or run whose agent marks its actions has its windows in these alone: a person edits files between them.
"""

from __future__ import annotations

from takeback.model.move import AGENT_LEVELS, Move
from takeback.store.catalogue import moves, timelines
from takeback.store.catalogue.database import Transaction

_TICK = 20_000_000
"""So many nanoseconds may a ctime lie before the clock that was read when the file was written."""


def agents_at_work(tx: Transaction, timeline: int) -> bool:
    """Whether what changed since the latest snapshot of a timeline may be an agent's doing."""
    return any(map(_is_window, moves.open_moves(tx, timeline)))


def agents_wrote(tx: Transaction, root: str, time_ns: int) -> bool:
    """Whether a file of a root whose ctime this is was changed last while an agent was at work there."""
    for row in timelines.every(tx):
        if row.root == root:
            for time in (time_ns, time_ns + _TICK):
                if any(map(_is_window, moves.at_time(tx, row.number, time, AGENT_LEVELS))):
                    return True
    return False


def _is_window(move: Move) -> bool:
    return move.level in AGENT_LEVELS and (move.level == "action" or not move.context.get("marks"))
