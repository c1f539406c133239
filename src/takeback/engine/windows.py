"""When agents were at work in a root: the windows of their moves.

A turn or run whose agent marks its actions has its windows in these alone: a person edits files between them.
"""

from __future__ import annotations

from takeback.model.move import AGENT_LEVELS, Move
from takeback.store.catalogue import moves
from takeback.store.catalogue.database import Transaction


def agents_at_work(tx: Transaction, timeline: int) -> bool:
    """Whether what changed since the latest snapshot of a timeline may be an agent's doing."""
    return any(map(_is_window, moves.open_moves(tx, timeline)))


def _is_window(move: Move) -> bool:
    return move.level in AGENT_LEVELS and (move.level == "action" or not move.context.get("marks"))
