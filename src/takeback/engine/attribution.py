"""Whose change is it? Every step between two neighbouring snapshots belongs to the moves whose window it lies in.

A turn or run with action marks owns only the steps inside its actions, because a person edits files between them. An
agent's memory is nobody's but the agent's, and most of it is said between actions: of that it owns every step, unless it
said that it marks all that it does, as hooks do, which see no memory. What takeback itself did belongs to its own
moves alone. A step that lies in several sessions' moves is contested: a path in it belongs to the session whose tool
reported it, and is shared if none did. A run is the frame of the turns in it, never their rival.

Where an owner comes to what other processes asked for, the step before that leads from what was recorded as pending to what the
owner really had: in that, nobody changed the memory.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from itertools import pairwise, takewhile
from typing import NamedTuple

from takeback.engine.later_takebacks import Ends, restored, taken
from takeback.engine.moves import ALL
from takeback.model.move import AGENT_LEVELS, CAUGHT_UP, Move
from takeback.store.catalogue import moves, snapshots
from takeback.store.catalogue.database import Transaction
from takeback.store.catalogue.snapshots import SnapshotRow

OPEN_END = 1 << 62

PRESENT = SnapshotRow(OPEN_END - 1, "", 0, None, 0, "", "", b"", 0)
"""Stands for the world as it is now, after the latest snapshot."""


class OwnedStep(NamedTuple):
    """Snapshots between which targets changed something; ``contested`` if others may have, too."""

    before: SnapshotRow
    after: SnapshotRow
    contested: bool = False
    own: frozenset[str] = frozenset()
    """Paths that the targets' sessions reported."""
    foreign: frozenset[str] = frozenset()
    """Paths that other sessions reported."""
    later: frozenset[Ends] = frozenset()
    """Undos and restores that have dealt since with what they changed of it."""


def owned_steps(
    tx: Transaction, timeline: int, targets: Sequence[Move], after_seq: int = 0, *, memory: bool = False
) -> list[OwnedStep]:
    """The steps that belong to ``targets``, newest first, neighbours joined. ``after_seq`` cuts off what is older. Those in
    which the agents' ``memory`` is theirs may be more than those in which files are.

    The last step of a move that is still open leads to `PRESENT`.
    """
    first = max(after_seq, min(move.opening_seq for move in targets))
    rows = snapshots.between(tx, timeline, first, max(_end(move) for move in targets))
    if any(move.open for move in targets):
        rows.append(PRESENT)
    if len(rows) < 2:
        return []
    near = moves.overlapping(tx, timeline, rows[0].seq, rows[-1].seq)
    board = _Board(rows, near, memory=memory)
    chosen = {move.id for move in targets}
    sessions = {move.session for move in targets}
    owners = board.spread(targets)
    own_work = board.spread(move for move in near if move.level == "takeback" and move.id not in chosen)
    rivals = board.spread(
        move
        for move in near
        if move.level in AGENT_LEVELS and move.session not in sessions and not _frames(move, targets)
        if any(target.level != "takeback" for target in targets)
    )
    seen_again = {move.opening for move in near if CAUGHT_UP in move.context} if memory else frozenset()
    theirs = [move for move in near if move.session in sessions or _frames(move, targets)]
    later = _Later(tx, timeline, targets, theirs, board, first)
    steps: list[OwnedStep] = []
    for number, (before, after) in enumerate(pairwise(rows)):
        if not owners[number] or own_work[number] or after.mixed or after.id in seen_again:
            continue
        if later.has_taken(number, owners[number]):
            continue
        dealt = later.of(number, before, after)
        if not rivals[number]:
            _append(steps, OwnedStep(before, after, later=dealt))
        else:
            own = frozenset(path for move in owners[number] for path in move.reported)
            foreign = frozenset(path for move in rivals[number] for path in move.reported)
            steps.append(OwnedStep(before, after, True, own, foreign, dealt))
    return steps[::-1]


class _Later:
    """Which steps undos and restores have dealt with since."""

    def __init__(
        self, tx: Transaction, timeline: int, targets: Sequence[Move], own: Sequence[Move], board: _Board, first: int
    ) -> None:
        levels = {target.level == "manual" for target in targets}
        own = [move for move in own if (move.level == "manual") in levels]
        self._taken = {each.move.id: each for each in taken(tx, targets, own)}
        self._over = board.spread(each.move for each in self._taken.values())
        self._restored = list(restored(tx, timeline, targets, first))

    def has_taken(self, number: int, owners: Sequence[Move]) -> bool:
        """Whether all that the owners did in a step is taken back already."""
        whole = [move for move in self._over[number] if move.id in self._taken and self._taken[move.id].whole]
        if any(move.level != "action" for move in whole):
            return True
        known = {move.id for move in whole}
        return bool(whole) and all(owner.id in known for owner in owners if owner.level == "action")

    def of(self, number: int, before: SnapshotRow, after: SnapshotRow) -> frozenset[Ends]:
        """The moves that have dealt with a part of a step."""
        undos = (self._taken[move.id].undos for move in self._over[number] if move.id in self._taken)
        restores = (each.ends for each in self._restored if each.first <= before.seq and after.seq <= each.last)
        return frozenset[Ends]().union(*undos, restores)


def _append(steps: list[OwnedStep], step: OwnedStep) -> None:
    """Add a step, joined with the one before it if nothing lies between."""
    last = steps[-1] if steps else None
    if last is not None and not last.contested and last.after.id == step.before.id and last.later == step.later:
        steps[-1] = last._replace(after=step.after)
    else:
        steps.append(step)


class _Board:
    """Which moves lie over which steps. A move whose agent marks actions lies only where its actions do, but for its
    ``memory``."""

    def __init__(self, rows: Sequence[SnapshotRow], near: Sequence[Move], *, memory: bool) -> None:
        self._memory = memory
        self._places = [row.seq for row in rows]
        self._actions: dict[str, list[Move]] = {}
        for move in sorted(near, key=lambda each: each.opening_seq):
            if move.level == "action":
                self._actions.setdefault(move.session, []).append(move)

    def spread(self, some: Iterable[Move]) -> list[list[Move]]:
        """For each step, the moves over it, and the actions through which they are."""
        over: list[list[Move]] = [[] for _ in self._places[1:]]
        for move in some:
            for window in self._windows(move):
                first = bisect_left(self._places, window.opening_seq)
                last = bisect_right(self._places, _end(window)) - 1
                for number in range(first, last):
                    over[number] += (move,) if window is move else (move, window)
        return over

    def _windows(self, move: Move) -> Sequence[Move]:
        marks = move.context.get("marks")
        if not marks or (self._memory and marks != ALL):
            return (move,)
        actions = self._actions.get(move.session, [])
        start = bisect_left(actions, move.opening_seq, key=lambda action: action.opening_seq)
        inside = takewhile(lambda action: action.opening_seq <= _end(move), actions[start:])
        return [action for action in inside if _end(action) <= _end(move)]


def _frames(move: Move, targets: Sequence[Move]) -> bool:
    """Whether a move and the targets are one inside the other, as a run and its turns are."""
    if move.level == "run":
        return any(target.level != "run" for target in targets)
    return any(
        target.level == "run" and target.opening_seq <= move.opening_seq and _end(move) <= _end(target)
        for target in targets
    )


def _end(move: Move) -> int:
    return move.closing_seq if move.closing_seq is not None else OPEN_END
