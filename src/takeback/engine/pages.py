"""A page of a timeline's log: so many snapshots, and the moves that belong to them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from takeback.engine.history import Log
    from takeback.engine.timeline import Timeline

_MOVES = 4
"""A snapshot may end several moves: a run, a turn and an action."""


def page(line: Timeline, limit: int | None, session: str | None = None, path: str | None = None) -> tuple[Log, bool]:
    """The newest snapshots, of a session or those that changed a path, with their moves; and whether there are more."""
    moves = line.log(None if limit is None else _MOVES * limit, session=session).moves
    log = replace(line.log(None if limit is None else limit + 1, session=session, path=path), moves=moves)
    more = limit is not None and len(log.snapshots) > limit
    return _within(replace(log, snapshots=log.snapshots[:limit]), everything=path is None, more=more), more


def _within(log: Log, *, everything: bool, more: bool) -> Log:
    """The log with only those moves that belong to the snapshots in it."""
    if not log.snapshots:
        return log if everything else replace(log, moves=())
    seqs = [row.seq for row in log.snapshots]
    moves = log.moves
    if more:
        moves = tuple(move for move in moves if move.closing_seq is None or move.closing_seq >= seqs[-1])
    if not everything:
        moves = tuple(
            move
            for move in moves
            if any(move.opening_seq < seq and (move.closing_seq is None or seq <= move.closing_seq) for seq in seqs)
        )
    return replace(log, moves=moves)
