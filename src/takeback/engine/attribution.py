"""Whose change is it? Every step between two neighbouring snapshots belongs to the moves whose window it lies in.

A turn or run with action marks owns only the steps inside its actions. What takeback itself did belongs to its own
moves alone. A step that lies in several sessions' moves is contested: a path in it belongs to the session whose tool
reported it, and is shared if none did. A run is the frame of the turns in it, never their rival.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from takeback.model.move import AGENT_LEVELS, Move
from takeback.store.catalogue import moves, snapshots
from takeback.store.catalogue.database import Transaction
from takeback.store.catalogue.snapshots import SnapshotRow

OPEN_END = 1 << 62

PRESENT = SnapshotRow(OPEN_END - 1, "", 0, None, 0, "", "", b"", 0)
"""Stands for the world as it is now, after the latest snapshot."""


@dataclass(frozen=True, slots=True)
class OwnedStep:
    """Snapshots between which targets changed something; ``contested`` if others may have, too."""

    before: SnapshotRow
    after: SnapshotRow
    contested: bool = False
    own: frozenset[str] = frozenset()
    """Paths that the targets' sessions reported."""
    foreign: frozenset[str] = frozenset()
    """Paths that other sessions reported."""


def owned_steps(tx: Transaction, timeline: int, targets: Sequence[Move], after_seq: int = 0) -> list[OwnedStep]:
    """The steps that belong to ``targets``, newest first, neighbours joined. ``after_seq`` cuts off what is older.

    The last step of a move that is still open leads to `PRESENT`.
    """
    first = max(after_seq, min(move.opening_seq for move in targets))
    rows = snapshots.between(tx, timeline, first, max(_end(move) for move in targets))
    if any(move.open for move in targets):
        rows.append(PRESENT)
    if len(rows) < 2:
        return []
    near = moves.overlapping(tx, timeline, rows[0].seq, rows[-1].seq)
    chosen = {move.id for move in targets}
    sessions = {move.session for move in targets}
    windows = [_Windows(move, near) for move in targets]
    own_work = [move for move in near if move.level == "takeback" and move.id not in chosen]
    rivals = [
        _Windows(move, near)
        for move in near
        if move.level in AGENT_LEVELS and move.session not in sessions and not _frames(move, targets)
        if any(target.level != "takeback" for target in targets)
    ]
    steps: list[OwnedStep] = []
    for before, after in pairwise(rows):
        covering = [each for each in windows if each.cover(before, after)]
        if not covering or any(_covers(move, before, after) for move in own_work):
            continue
        others = [each for each in rivals if each.cover(before, after)]
        if not others:
            _append(steps, OwnedStep(before, after))
        else:
            own = frozenset(path for each in covering for path in each.reported(before, after))
            foreign = frozenset(path for each in others for path in each.reported(before, after))
            steps.append(OwnedStep(before, after, True, own, foreign))
    return steps[::-1]


def _append(steps: list[OwnedStep], step: OwnedStep) -> None:
    """Add a step, joined with the one before it if nothing lies between."""
    if steps and not steps[-1].contested and steps[-1].after.id == step.before.id:
        steps[-1] = OwnedStep(steps[-1].before, step.after)
    else:
        steps.append(step)


class _Windows:
    """The parts of a move's time that count: its actions, if its agent marks actions, else all of it."""

    def __init__(self, move: Move, near: Sequence[Move]) -> None:
        self._move = move
        self._windows = [each for each in near if _is_action_in(each, move)] if move.context.get("marks") else [move]

    def cover(self, before: SnapshotRow, after: SnapshotRow) -> bool:
        return any(_covers(window, before, after) for window in self._windows)

    def reported(self, before: SnapshotRow, after: SnapshotRow) -> set[str]:
        paths = set(self._move.reported)
        for window in self._windows:
            if _covers(window, before, after):
                paths.update(window.reported)
        return paths


def _is_action_in(action: Move, move: Move) -> bool:
    return (
        action.level == "action"
        and action.session == move.session
        and action.opening_seq >= move.opening_seq
        and _end(action) <= _end(move)
    )


def _frames(move: Move, targets: Sequence[Move]) -> bool:
    """Whether a move and the targets are one inside the other, as a run and its turns are."""
    if move.level == "run":
        return any(target.level != "run" for target in targets)
    return any(
        target.level == "run" and target.opening_seq <= move.opening_seq and _end(move) <= _end(target)
        for target in targets
    )


def _covers(move: Move, before: SnapshotRow, after: SnapshotRow) -> bool:
    return move.opening_seq <= before.seq and after.seq <= _end(move)


def _end(move: Move) -> int:
    return move.closing_seq if move.closing_seq is not None else OPEN_END
