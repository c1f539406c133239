"""When agents were at work in a root: the windows of their moves.

A turn or run whose agent marks its actions has its windows in these alone: a person edits files between them. A tool that
writes nothing but the files that it names changes no rules unless it names them.
"""

from __future__ import annotations

from collections.abc import Mapping

from takeback.engine import processes, stretches
from takeback.engine.stretches import AGENT, RAN
from takeback.model.move import AGENT_LEVELS, Move
from takeback.sources import clock
from takeback.sources.clock import TICK_NS, Reading
from takeback.sources.workspace.ignore.texts import ALWAYS_CAPTURED
from takeback.store.catalogue import moves, timelines
from takeback.store.catalogue.database import Transaction

_DECIDING = ALWAYS_CAPTURED | {"pyproject.toml"}


def agents_at_work(tx: Transaction, timeline: int) -> bool:
    """Whether the rules of what is captured, if they have changed since the latest snapshot of a timeline, may have been
    changed by an agent."""
    return any(map(_may_change_rules, moves.open_moves(tx, timeline))) or _went_on_at(tx, timeline) is not None


def agents_wrote(tx: Transaction, root: str, ctime_ns: int) -> bool:
    """Whether an agent may have changed rules in a root at the time to which a file's ctime points."""
    now = clock.read()
    for row in timelines.every(tx):
        if row.root == root:
            near = (*moves.at_time(tx, row.number, ctime_ns, AGENT_LEVELS),)
            near += (*moves.at_time(tx, row.number, ctime_ns + TICK_NS, AGENT_LEVELS),)
            if any(_may_change_rules(move) and _ran_at(move, ctime_ns, now) for move in near):
                return True
            since = _went_on_at(tx, row.number)
            if since is not None and since - TICK_NS <= ctime_ns:
                return True
    return False


def _went_on_at(tx: Transaction, timeline: int) -> int | None:
    """Since when an agent may be at work of which no move is open: the last undo ended its turn, it lives, and nothing was heard
    of its session since. None if there is none."""
    undo = next(moves.effective(tx, timeline, (), verbs=("undo",)), None)
    for id in moves.targets(tx, undo.id) if undo is not None else ():
        move = moves.by_id(tx, id)
        if undo is None or move is None or move.level not in AGENT_LEVELS or move.closing_seq != undo.opening_seq:
            continue
        ran, agent = move.context.get(RAN), processes.decoded(move.context.get(AGENT))
        if agent is None or processes.is_gone(agent) or (isinstance(ran, Mapping) and ran.get("finished")):
            continue
        newest = moves.newest(tx, timeline, 1, move.session)
        if newest and newest[0].opened_ns <= undo.opened_ns:
            return undo.opened_ns
    return None


def _may_change_rules(move: Move) -> bool:
    if move.level not in AGENT_LEVELS or (move.level != "action" and move.context.get("marks")):
        return False
    raw = move.context.get(RAN)
    only_named = isinstance(raw, Mapping) and raw.get("only") is True
    return not only_named or any(map(_decides, move.reported))


def _decides(path: str) -> bool:
    """Whether a file that a tool names may decide what is captured: it may do so outside of the root, too."""
    names = path.split("/")
    return names[-1] in _DECIDING or ".git" in names or names[0] in ("", "..")


def _ran_at(move: Move, ctime_ns: int, now: Reading) -> bool:
    """Whether a move's commands may have run at a time within it."""
    calls = None if move.open else stretches.calls_of(move)
    if calls is None:
        found = [stretches.of_move(move, now)]
    else:
        raws = [call.get(RAN) for call in calls]
        found = [stretches.decoded(raw) if isinstance(raw, Mapping) else None for raw in raws]
    return any(each is None or each.offset_ns is None or each.may_hold(ctime_ns) for each in found)
