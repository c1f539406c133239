"""Which snapshots a move needs, so that undo takes back exactly what it did.

Both ends; all within an action, because each step in it has its own evidence; for a turn that marks its actions, all that
those need; for a move that owns its whole window, the ends of others in it. A move that has not ended needs its beginning,
and what its finished actions need: what comes after may go, and is nobody's then.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from takeback.model.move import AGENT_LEVELS, Move


def needs(move: Move, seq: int, near: Sequence[Move]) -> bool:
    """Whether a move needs the snapshot at a place; ``near`` are all moves over that place."""
    if seq in (move.opening_seq, move.closing_seq):
        return True
    if not is_over(move, seq) or move.level == "takeback":
        return False
    if move.level == "action":
        return not move.open
    if move.context.get("marks"):
        return any(_is_inside(other, move) and not other.open and is_over(other, seq) for other in near)
    if move.open:
        return False
    return any(seq in (other.opening_seq, other.closing_seq) for other in near if not _is_frame(move, other))


def is_over(move: Move, seq: int) -> bool:
    """Whether a place lies in a move's window, ends included."""
    return move.opening_seq <= seq and (move.closing_seq is None or seq <= move.closing_seq)


def owns_whole_window(move: Move) -> bool:
    """Whether a turn or run owns what happens between its actions, too."""
    return move.level in ("turn", "run") and not move.context.get("marks")


def inner_actions(move: Move, near: Sequence[Move]) -> Iterator[Move]:
    """The actions of a turn or run."""
    for other in near if move.level in ("turn", "run") else ():
        if _is_inside(other, move):
            yield other


def concerns(move: Move, other: Move) -> bool:
    """Whether a move's steps would look different without the other one."""
    if other.level == "takeback" or "manual" in (move.level, other.level):
        return move.id != other.id
    return other.level in AGENT_LEVELS and other.session != move.session


def _is_inside(action: Move, frame: Move) -> bool:
    """Whether it is an action of a turn or run."""
    ended = frame.closing_seq is None or (action.closing_seq is not None and action.closing_seq <= frame.closing_seq)
    same = action.level == "action" and action.session == frame.session
    return same and action.opening_seq >= frame.opening_seq and ended


def _is_frame(frame: Move, other: Move) -> bool:
    """Whether a move that owns its whole window owns it with or without the other one."""
    if other.id == frame.id or _is_inside(other, frame):
        return True
    inside = frame.opening_seq <= other.opening_seq and is_over(frame, other.closing_seq or other.opening_seq)
    return frame.level == "run" and other.level in AGENT_LEVELS and inside and not other.open
