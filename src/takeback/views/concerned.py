"""What an operation of takeback's was about, in words: the title of the move that its snapshot is an end of, and labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from takeback.engine import listing

if TYPE_CHECKING:
    from takeback.model.move import Move
    from takeback.store.catalogue.operations import Operation
    from takeback.views.desk import Desk

_BEGINS = {"turn_start": "turn", "run_start": "run", "before_action": "action"}
_ENDS = {"turn_end": "turn", "run_end": "run", "after_action": "action"}
_OWN = ("undo", "redo", "restore")


def titles(desk: Desk, done: Sequence[Operation]) -> dict[int, str]:
    """By the operations' numbers; nothing for those of which nobody knows."""
    ids = [each.detail["snapshot"] for each in done if isinstance(each.detail.get("snapshot"), str)]
    known = listing.meeting(desk.store.blobs, ids)
    found: dict[int, str] = {}
    for each in done:
        row, moves = known.get(each.detail.get("snapshot", ""), (None, []))
        labels = row.labels if row is not None else tuple(each.detail.get("labels") or ())
        words = [_title(each, moves), *(f"“{label}”" for label in labels)]
        if said := "  ".join(word for word in words if word):
            found[each.seq] = said
    return found


def _title(done: Operation, moves: Sequence[Move]) -> str:
    snapshot = done.detail.get("snapshot")
    if done.verb in _BEGINS:
        level, met = _BEGINS[done.verb], [move for move in moves if move.opening == snapshot]
    else:
        level = "takeback" if done.verb in _OWN else _ENDS.get(done.verb, "")
        met = [move for move in moves if move.closing == snapshot]
    fitting = [move for move in met if move.level == level] or [move for move in met if move.level != "manual"]
    return fitting[0].about if fitting else ""
