"""What a move did that no snapshot can take back: said by undo instead of pretending."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from takeback.model.move import Move
from takeback.model.plan import Outside


def outside_effects(moves: Sequence[Move]) -> tuple[Outside, ...]:
    """Commits that git gained inside the moves, and the effects that the agent's adapter recorded."""
    found: dict[Outside, None] = {}
    for move in moves:
        opened, closed = (_object(move.context.get(side)) for side in ("opened", "closed"))
        before, after = (_object(side.get("git")).get("commit") for side in (opened, closed))
        if before and after and before != after:
            what = f"git's HEAD went from {str(before)[:10]} to {str(after)[:10]}"
            found[Outside("commit", what, move.closed_ns or 0)] = None
        for record in (opened, closed, *map(_object, _list(move.context.get("actions")))):
            when = record.get("time_ns")
            for effect in map(_object, _list(record.get("effects"))):
                kind, what = str(effect.get("kind", "effect")), str(effect.get("what", ""))
                found[Outside(kind, what, when if isinstance(when, int) else move.opened_ns)] = None
    return tuple(found)


def _object(value: Any) -> dict[str, Any]:
    """A part of a context, which may hold anything."""
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
