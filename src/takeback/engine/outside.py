"""What a move did that no snapshot can take back: said by undo instead of pretending."""

from __future__ import annotations

from collections.abc import Sequence

from takeback.model.move import Move
from takeback.model.plan import Outside


def outside_effects(moves: Sequence[Move]) -> tuple[Outside, ...]:
    """Commits that git gained inside the moves, and the effects that the agent's adapter recorded."""
    found: dict[Outside, None] = {}
    for move in moves:
        opened, closed = move.context.get("opened", {}), move.context.get("closed", {})
        before, after = (side.get("git") or {} for side in (opened, closed))
        if before.get("commit") and after.get("commit") and before["commit"] != after["commit"]:
            what = f"git's HEAD went from {before['commit'][:10]} to {after['commit'][:10]}"
            found[Outside("commit", what, move.closed_ns or 0)] = None
        for record in (opened, closed, *move.context.get("actions", ())):
            for effect in record.get("effects", ()):
                kind, what = str(effect.get("kind", "effect")), str(effect.get("what", ""))
                found[Outside(kind, what, int(record.get("time_ns", move.opened_ns)))] = None
    return tuple(found)
