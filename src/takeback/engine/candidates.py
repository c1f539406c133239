"""Which moves undo and redo mean: the one that was named, all since a snapshot, or the newest that still has an effect.

The newest is the one that acted last. An agent that crashed, or thinks, has acted when its last tool call ended, however
long its turn stays open. Where agents have moved, plain undo takes their moves, and never a person's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from heapq import heappop, heappush
from itertools import islice, takewhile
from typing import NamedTuple

from takeback.engine.attribution import OPEN_END
from takeback.engine.later_takebacks import restored
from takeback.engine.line import Line
from takeback.engine.references import Reference, resolve, resolve_move
from takeback.engine.stretches import RAN
from takeback.errors import InvalidInput, NotFound
from takeback.model.ids import short
from takeback.model.move import AGENT_LEVELS, GONE, LEFT, LEVELS, PARTLY, Move
from takeback.store.catalogue import moves as move_rows
from takeback.store.catalogue.database import Transaction
from takeback.store.catalogue.snapshots import SnapshotRow

_PAGE = 16
"""So many moves are looked at first."""


class Wish(NamedTuple):
    """What the caller asked to take back: one move, every agent move since a snapshot, or the newest one."""

    move: str | None = None
    since: Reference | None = None
    level: str | None = None
    session: str | None = None
    shared: bool = False
    only: tuple[str, ...] | None = None
    """The parts that are meant; what only follows, such as the conversation, is meant only if it is named."""

    paths: Mapping[str, tuple[str, ...]] | None = None
    """Only these paths of parts; parts that are not named here are meant whole."""

    keep: Mapping[str, tuple[str, ...]] = {}
    """Paths of parts that are left as they are, whatever was done to them."""

    accepted: tuple[str, ...] = ()
    """Paths that are taken back although it is not certain whose their changes are, because a person said so."""

    def wants(self, part: str) -> bool:
        """Whether a part that is no following one is meant."""
        return self.only is None or part in self.only

    @property
    def is_plain(self) -> bool:
        """Whether it says nothing about which move is meant."""
        return self.move is None and self.since is None and self.level is None

    def check(self) -> None:
        if self.move is not None and self.since is not None:
            raise InvalidInput("undo takes either a move or --since, not both")
        if self.level is not None and self.level not in LEVELS[:-1]:
            raise InvalidInput(f"{self.level!r} is not a level", hints=[f"one of: {', '.join(LEVELS[:-1])}"])


def candidates(line: Line, wish: Wish) -> Iterator[tuple[list[Move], int]]:
    """The moves to try, each as a group that is taken back together, with where the group begins."""
    if wish.move is None and wish.since is None:
        yield from (([move], 0) for move in _newest_in_pages(line, wish))
        return
    groups: list[tuple[list[Move], int]] = []
    with line.blobs.database.read() as tx:
        if wish.move is not None:
            groups = [([_named(tx, line, wish.move)], 0)]
        elif wish.since is not None:
            start = resolve(tx, line, wish.since, wish.session)
            group = _since(tx, line.row(tx).number, start, wish)
            groups = [(group, start.seq)] if group else []
    yield from groups


def _newest_in_pages(line: Line, wish: Wish) -> Iterator[Move]:
    """Each page is read in a transaction of its own: most often the first move is it, and the iterator is given up."""
    passed, size = 0, _PAGE
    while True:
        with line.blobs.database.read() as tx:
            page = list(islice(_newest_first(tx, line.row(tx).number, wish), passed, passed + size))
        yield from page
        if len(page) < size:
            return
        passed, size = passed + size, 4 * size


def _named(tx: Transaction, line: Line, reference: str) -> Move:
    move = resolve_move(tx, line, reference)
    if GONE in move.context:
        raise NotFound(
            f"move {short(move.id)} cannot be taken back any more: snapshots that it needs were removed by retention",
            hints=["`takeback log` shows the snapshots that are left; `takeback restore` goes back to one"],
        )
    if move.verb in ("undo", "redo"):
        raise InvalidInput(
            f"move {short(move.id)} is takeback's own {move.verb}, which undo does not act on",
            hints=[
                f"takeback redo {short(move.id)}" if move.verb == "undo" else "`takeback undo` takes back what it redid"
            ],
        )
    return move


def _since(tx: Transaction, timeline: int, start: SnapshotRow, wish: Wish) -> list[Move]:
    """Every agent move that did something after a snapshot; a person's manual ones if there is no agent at all."""
    levels: Sequence[str] = (wish.level,) if wish.level is not None else _levels_in_use(tx, timeline)
    opened = [move for move in move_rows.open_moves(tx, timeline, wish.session) if move.level in levels]
    rest = [*_undos_with(tx, timeline, (PARTLY, LEFT), start.seq), *_undos_before_restores(tx, timeline, start.seq)]
    closed = move_rows.effective(tx, timeline, levels, session=wish.session, after_seq=start.seq, undone=rest)
    every = (*opened, *(move for move in closed if GONE not in move.context))
    return [move for move in every if wish.level is not None or _stands_alone(tx, timeline, move)]


def _undos_with(tx: Transaction, timeline: int, marks: Sequence[str], after_seq: int = 0) -> list[str]:
    """The undos in force that left something of what they took back."""
    undos = move_rows.effective(tx, timeline, (), verbs=("undo",), after_seq=after_seq)
    return [undo.id for undo in undos if any(undo.context.get(mark) for mark in marks)]


def _undos_before_restores(tx: Transaction, timeline: int, after_seq: int) -> Iterator[str]:
    """The undos in force of which a later restore has brought back what they took away, or a part of it."""
    restores = list(restored(tx, timeline, (), after_seq))
    for undo in move_rows.effective(tx, timeline, (), verbs=("undo",), after_seq=after_seq) if restores else ():
        if any(each.first <= undo.opening_seq <= each.ends.seq for each in restores):
            yield undo.id


def _newest_first(tx: Transaction, timeline: int, wish: Wish) -> Iterator[Move]:
    """Moves that are not, or not as a whole, taken back, and that stand for themselves; what acted last comes first."""
    levels: Sequence[str] = (wish.level,) if wish.level is not None else _levels_in_use(tx, timeline)
    verbs = ("restore",) if wish.level is None else ()
    waiting: list[tuple[int, int, Move]] = []
    for number, move in enumerate(move_rows.open_moves(tx, timeline, wish.session)):
        if move.level in levels and (wish.level is not None or _stands_alone(tx, timeline, move)):
            heappush(waiting, (-_acted(tx, timeline, move), number, move))
    number = len(waiting)
    rest = _undos_with(tx, timeline, (PARTLY,))
    for move in move_rows.effective(tx, timeline, levels, verbs=verbs, session=wish.session, undone=rest):
        if GONE in move.context:
            continue
        while waiting and -waiting[0][0] >= (move.closing_seq or 0):  # none of those to come acted later
            yield heappop(waiting)[-1]
        if wish.level is not None or _stands_alone(tx, timeline, move):
            number += 1
            heappush(waiting, (-_acted(tx, timeline, move), number, move))
    while waiting:
        yield heappop(waiting)[-1]


def _acted(tx: Transaction, timeline: int, move: Move) -> int:
    """When a move acted last, as a place on the timeline."""
    if move.level in ("turn", "run") and (move.open or move.context.get("marks")):
        last = move.closing_seq if move.closing_seq is not None else OPEN_END
        inside = move_rows.last_actions(tx, timeline, move.session, move.opening_seq, last)
        if inside:
            return max(map(_action_acted, inside))
    if move.open:
        return OPEN_END if move.level == "manual" else move.opening_seq  # a person acts without telling
    return move.closing_seq if move.closing_seq is not None else move.opening_seq


def _action_acted(action: Move) -> int:
    """Where an action ended, if an event of its own told that; else where it began, however late its window was closed."""
    ran = action.context.get(RAN)
    is_cut = isinstance(ran, Mapping) and ran.get("finished") is not True
    return action.opening_seq if action.closing_seq is None or is_cut else action.closing_seq


def newest_of_agents(tx: Transaction, timeline: int) -> Move | None:
    """The agents' move that acted last and has ended, of those that undo would take."""
    if not has_agents(tx, timeline):
        return None
    found = _newest_first(tx, timeline, Wish())
    return next((move for move in found if move.level in AGENT_LEVELS and not move.open), None)


def has_agents(tx: Transaction, timeline: int) -> bool:
    """Whether an agent has ever moved on a timeline."""
    return any(move_rows.has_level(tx, timeline, level) for level in AGENT_LEVELS)


def _levels_in_use(tx: Transaction, timeline: int) -> Sequence[str]:
    """Agents' levels, if an agent has ever moved here; else a person's own saves."""
    return AGENT_LEVELS if has_agents(tx, timeline) else ("manual",)


def open_manual(tx: Transaction, timeline: int) -> Move | None:
    """A person's own open move, where agents have moved: plain undo leaves it to her."""
    if not has_agents(tx, timeline):
        return None
    return next((move for move in move_rows.open_moves(tx, timeline) if move.level == "manual"), None)


def _stands_alone(tx: Transaction, timeline: int, move: Move) -> bool:
    """Whether undo acts on a move by itself: on turns; on runs without turns; on actions outside of both."""
    first, last = move.opening_seq, move.closing_seq if move.closing_seq is not None else OPEN_END
    if move.level == "run":
        return not move_rows.inside(tx, timeline, "turn", first, last)
    if move.level == "action":
        in_turn = move_rows.around(tx, timeline, "turn", first, last, move.session)
        return not in_turn and not move_rows.around(tx, timeline, "run", first, last)
    return True


def undos_to_redo(tx: Transaction, line: Line, move: str | None) -> list[Move]:
    """The undo that redo takes back; after it those that it takes back if the first one changed nothing."""
    timeline = line.row(tx).number
    if move is not None:
        named = resolve_move(tx, line, move)
        undo_id = named.id if named.verb == "undo" else named.undone_by
        undo_move = resolve_move(tx, line, undo_id) if undo_id else None
        if undo_move is None or undo_move.verb != "undo":
            raise NotFound(f"move {short(named.id)} is not taken back, so there is nothing to redo")
        if undo_move.undone_by is not None:
            raise NotFound(
                f"the undo {short(undo_move.id)} was redone already, by {short(undo_move.undone_by)}",
                hints=[f"`takeback restore {short(undo_move.opening)}` makes all as it was before the undo"],
            )
        return [undo_move]
    found = list(islice(move_rows.effective(tx, timeline, (), verbs=("undo",)), _PAGE))
    if not found:
        raise nothing_to_redo()
    since = list(takewhile(lambda undo: not move_rows.opened_since(tx, timeline, undo.id, AGENT_LEVELS), found))
    if not since:
        newest = found[0]
        raise NotFound(
            "there is nothing to redo: an agent has moved on since the last undo",
            hints=[f"`takeback redo {short(newest.id)}` brings it back all the same"],
        )
    return since


def nothing_to_redo() -> NotFound:
    return NotFound("there is nothing to redo", hints=["redo takes back an undo; `takeback log` shows them"])
