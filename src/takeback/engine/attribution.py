"""Which steps a move's changes lie in, and who may have made a change there. Whose it is: `takeback.engine.verdicts`.

Snapshots of a root are linear (one lock), so every step between two neighbouring ones lies inside the moves that were open
then. Each of these has a claim on what changed in the step: an agent's action by when its command ran (`takeback.engine.stretches`)
and the paths that it named; a turn or run that tells of its actions only by these, because a person edits files between
them. What takeback itself did belongs to its own moves alone, unless an agent told it to in a call of its own. A run is the frame of the turns in it, never their rival.

An agent's memory is nobody's but the agent's, and most of it is said between actions: of that it owns every step, unless it
said that it marks all that it does, as hooks do, which see no memory.

Where an owner comes to what other processes asked for, the step before that leads from what was recorded as pending to what the
owner really had: in that, nobody changed the memory.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise, takewhile
from typing import NamedTuple

from takeback.engine import stretches
from takeback.engine.later_takebacks import Dealt, Ends, Taken, redone, restored, taken
from takeback.engine.moves import ALL
from takeback.engine.stretches import RAN, Stretch
from takeback.model.move import AGENT_LEVELS, BY, CAUGHT_UP, Move
from takeback.sources import clock
from takeback.sources.clock import Reading
from takeback.store.catalogue import moves, snapshots
from takeback.store.catalogue.database import Transaction
from takeback.store.catalogue.snapshots import SnapshotRow

OPEN_END = 1 << 62

PRESENT = SnapshotRow(OPEN_END - 1, "", 0, None, 0, "", "", b"", 0)
"""Stands for the world as it is now, after the latest snapshot."""


_UNTITLED = "a command"


class Claim(NamedTuple):
    """Why a change in a step may be a move's."""

    mine: bool
    """Whether the move is one of those that are to be taken back."""
    command: str
    """What ran, in words."""
    named: tuple[str, ...]
    """Paths that the tool said it would write."""
    stretch: Stretch | None
    """When it ran; None for a move that an earlier version recorded, which only its window tells of."""


class OwnedStep(NamedTuple):
    """Snapshots between which targets may have changed something."""

    before: SnapshotRow
    after: SnapshotRow
    claims: tuple[Claim, ...] = ()
    """Of whom it may be; nothing if all of it is the targets'."""
    hers: bool = False
    """Whether the targets are a person's own: what no agent can claim is theirs."""
    contested: bool = False
    """Whether other sessions were at work, too."""
    own: frozenset[str] = frozenset()
    """Paths that the targets' sessions reported."""
    foreign: frozenset[str] = frozenset()
    """Paths that other sessions reported."""
    later: frozenset[Dealt] = frozenset()
    """Undos and restores that have dealt since with what they changed of it."""


def owned_steps(
    tx: Transaction, timeline: int, targets: Sequence[Move], after_seq: int = 0, *, memory: bool = False
) -> list[OwnedStep]:
    """The steps in which ``targets`` may have changed something, newest first. ``after_seq`` cuts off what is older. Those in
    which the agents' ``memory`` is theirs may be more than those in which files are.

    The last step of a move that is still open leads to `PRESENT`.
    """
    first = max(after_seq, min(move.opening_seq for move in targets))
    last = max(_end(move) for move in _with_actions(tx, timeline, targets))
    rows = snapshots.between(tx, timeline, first, last)
    if last == OPEN_END:
        rows.append(PRESENT)
    if len(rows) < 2:
        return []
    near = moves.overlapping(tx, timeline, rows[0].seq, rows[-1].seq)
    board = _Board(rows, near, memory=memory)
    chosen = {move.id for move in targets}
    owners = board.spread(targets)
    sessions = {target.session for target in targets if target.level in AGENT_LEVELS}
    own_work = board.spread(
        move
        for move in near
        if move.level == "takeback" and move.id not in chosen and move.context.get(BY) not in sessions
    )
    rivals = board.spread(_rivals(near, targets))
    seen_again = {move.opening for move in near if CAUGHT_UP in move.context} if memory else frozenset()
    by_takeback = any(target.level == "takeback" for target in targets)
    own_levels = {target.level == "manual" for target in targets}
    theirs = [move for move in near if move.session in sessions or _frames(move, targets) or move.level == "manual"]
    theirs = [move for move in theirs if (move.level == "manual") in own_levels and move.level != "takeback"]
    theirs = theirs if not by_takeback else list(targets)
    later = _Later(tx, timeline, targets, theirs, board, first)
    now = clock.read()
    steps: list[OwnedStep] = []
    for number, (before, after) in enumerate(pairwise(rows)):
        if not owners[number] or own_work[number] or after.mixed or after.id in seen_again:
            continue
        if later.has_taken(number, before, after, owners[number]):
            continue
        dealt = later.of(number, before, after)
        if by_takeback or (memory and not rivals[number]):
            _append(steps, OwnedStep(before, after, later=dealt))
        elif memory:
            own = frozenset(path for move in owners[number] for path in move.reported)
            foreign = frozenset(path for move in rivals[number] for path in move.reported)
            steps.append(OwnedStep(before, after, contested=True, own=own, foreign=foreign, later=dealt))
        else:
            claims = (*_claims(owners[number], True, now), *_claims(rivals[number], False, now))
            hers = any(move.level == "manual" for move in owners[number])
            if hers and not claims:
                _append(steps, OwnedStep(before, after, later=dealt))
            elif hers or any(claim.mine for claim in claims):
                steps.append(OwnedStep(before, after, claims, hers, bool(rivals[number]), later=dealt))
    return steps[::-1]


class _Later:
    """Which steps undos and restores have dealt with since."""

    def __init__(
        self, tx: Transaction, timeline: int, targets: Sequence[Move], own: Sequence[Move], board: _Board, first: int
    ) -> None:
        some = taken(tx, targets, own)
        self._over = [(each, board.spread([each.move])) for each in some]
        self._restored = list(restored(tx, timeline, targets, first))
        self._redone = list(redone(tx, timeline, first)) if self._restored or self._over else []

    def has_taken(self, number: int, before: SnapshotRow, after: SnapshotRow, owners: Sequence[Move]) -> bool:
        """Whether all that the owners did in a step is taken back already."""
        whole = [
            each.move
            for each in self._at(number)
            if any(not self._dealt(ends, after).brought_back for ends in each.whole_of(before, after))
        ]
        return bool(whole) and all(any(_covers(move, owner) for move in whole) for owner in owners)

    def of(self, number: int, before: SnapshotRow, after: SnapshotRow) -> frozenset[Dealt]:
        """The moves that have dealt with a part of a step."""
        undos = (each.undos_of(before, after) for each in self._at(number))
        restores = (each.ends for each in self._restored if each.first <= before.seq and after.seq <= each.last)
        return frozenset(self._dealt(ends, after) for ends in frozenset[Ends]().union(*undos, restores))

    def _dealt(self, ends: Ends, after: SnapshotRow) -> Dealt:
        brought = (*self._restored, *self._redone)
        later = (each for each in brought if each.ends.seq >= ends.seq and each.ends != ends)
        return Dealt(ends, frozenset(each.ends for each in later if after.seq <= each.first <= ends.seq))

    def _at(self, number: int) -> list[Taken]:
        return [each for each, over in self._over if over[number]]


def _with_actions(tx: Transaction, timeline: int, targets: Sequence[Move]) -> Iterator[Move]:
    """Moves, and the actions that began in them: one in the background may go on when its turn has ended."""
    yield from targets
    sessions = {move.session: move for move in targets if move.context.get("marks")}
    if not sessions:
        return
    first = min(move.opening_seq for move in sessions.values())
    for action in moves.overlapping(tx, timeline, first, max(_end(move) for move in sessions.values()) + 1):
        if action.level == "action" and action.session in sessions:
            if any(_began_in(action, move) for move in targets if move.session == action.session):
                yield action


def _began_in(action: Move, move: Move) -> bool:
    """Whether an action began while a move of its session was open; one that begins where the move ends is of the next."""
    first, end = move.opening_seq, _end(move)
    return first <= action.opening_seq < end or (
        action.opening_seq == end and move.opened_ns <= action.opened_ns <= (move.closed_ns or OPEN_END)
    )


def _rivals(near: Sequence[Move], targets: Sequence[Move]) -> Iterator[Move]:
    """Agents' moves at the same time that are not part of the targets; those of the same session only beside single actions,
    because a session's turns and runs hold each other."""
    if all(target.level == "takeback" for target in targets):
        return
    chosen, sessions = {move.id for move in targets}, {move.session for move in targets}
    among_actions = all(target.level == "action" for target in targets)
    for move in near:
        if move.level not in AGENT_LEVELS or move.id in chosen or _frames(move, targets):
            continue
        if move.session not in sessions or (among_actions and move.level == "action"):
            yield move


def _claims(some: Iterable[Move], mine: bool, now: Reading) -> Iterator[Claim]:
    """The claims of moves on a step, each once."""
    for move in {move.id: move for move in some}.values():
        if move.level not in AGENT_LEVELS:
            continue
        calls = stretches.calls_of(move)
        if calls is not None and not move.open:
            for call in calls:
                raw = call.get(RAN)
                paths = call.get("paths")
                named = tuple(path for path in paths if isinstance(path, str)) if isinstance(paths, list) else ()
                found = (
                    stretches.decoded(raw if "to" in raw else stretches.cut(raw, now))
                    if isinstance(raw, dict)
                    else None
                )
                if found is not None:
                    yield Claim(mine, str(call.get("title", move.title)), named, found)
            continue
        yield Claim(mine, move.title or _UNTITLED, move.reported, stretches.of_move(move, now))


def _append(steps: list[OwnedStep], step: OwnedStep) -> None:
    """Add a step that is all the targets', joined with the one before it if nothing lies between."""
    last = steps[-1] if steps else None
    if (
        last is not None
        and not last.contested
        and not last.claims
        and (last.after.id, last.later) == (step.before.id, step.later)
    ):
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
        """For each step, the moves over it; of those that lie only where their actions do, these."""
        over: list[list[Move]] = [[] for _ in self._places[1:]]
        for move in some:
            for window in self._windows(move):
                first = bisect_left(self._places, window.opening_seq)
                last = bisect_right(self._places, _end(window)) - 1
                for number in range(first, last):
                    over[number].append(window)
        return over

    def _windows(self, move: Move) -> Sequence[Move]:
        marks = move.context.get("marks")
        if not marks or (self._memory and marks != ALL):
            return (move,)
        actions = self._actions.get(move.session, [])
        start = bisect_left(actions, move.opening_seq, key=lambda action: action.opening_seq)
        inside = takewhile(lambda action: action.opening_seq <= _end(move), actions[start:])
        return [action for action in inside if _began_in(action, move)]


def _frames(move: Move, targets: Sequence[Move]) -> bool:
    """Whether a move and the targets are one inside the other, as a run and its turns are."""
    if move.level == "run":
        return any(_is_frame(move, target) for target in targets)
    return any(target.level == "run" and _is_frame(target, move) for target in targets)


def _is_frame(run: Move, target: Move) -> bool:
    """Whether a run and a target are one inside the other: by their processes, or, where these are not known, by their windows."""
    if stretches.runs_in(run, target) or stretches.runs_in(target, run):
        return True
    if target.level == "run" or (stretches.AGENT in run.context and stretches.AGENT in target.context):
        return False
    return run.opening_seq <= target.opening_seq and _end(target) <= _end(run)


def _covers(taken: Move, owner: Move) -> bool:
    """Whether who took back a move has taken back what another one did there, too."""
    if taken.id == owner.id:
        return True
    if taken.level == "action" or (taken.level == "manual") != (owner.level == "manual"):
        return False
    return taken.session == owner.session or (taken.level == "run" and _is_frame(taken, owner))


def _end(move: Move) -> int:
    return move.closing_seq if move.closing_seq is not None else OPEN_END
