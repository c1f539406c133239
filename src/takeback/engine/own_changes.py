"""A person's own open move, around what takeback does.

It goes on while an agent's move is taken back. Where her own work is taken back or brought again, or all is restored, it ends
at the snapshot before, and the next one begins at the state that is back: what she changes after that can be undone in its
turn. Outside of this module only saves open and close such moves.
"""

from __future__ import annotations

from takeback.engine import moves, stretches
from takeback.engine.line import Line
from takeback.engine.save import same_parts
from takeback.model.ids import new_id
from takeback.model.kinds import NAMED
from takeback.model.move import AGENT_LEVELS, Move
from takeback.model.plan import Plan
from takeback.sources import clock
from takeback.store.catalogue import moves as move_rows
from takeback.store.catalogue.database import Transaction
from takeback.store.catalogue.snapshots import SnapshotRow
from takeback.store.reader import Reader


def note(
    line: Line, reader: Reader, tx: Transaction, timeline: int, plan: Plan, safety: SnapshotRow, at: SnapshotRow
) -> None:
    """End a person's open move at ``safety`` and begin the next one at ``at``, if a plan that was done makes that necessary."""
    if plan.catches_up:
        return
    opened = move_rows.open_moves(tx, timeline)
    own = [move for move in opened if move.level == "manual"]
    taken = [move for move in _targets(tx, plan) if move.level == "manual"]
    if not taken and not (own and plan.verb == "restore"):
        return
    for move in own:
        ended = moves.close_at(tx, timeline, move, safety, clock.read(), same_parts(line, reader))
        if ended is not None:  # before what was done then
            move_rows.update(tx, ended._replace(closed_ns=min(ended.closed_ns or at.time_ns, at.time_ns)))
    if not taken and any(_is_never_still(line, effect.part) for effect in plan.effects):
        return
    if not any(move.level in AGENT_LEVELS and not stretches.is_left(move) for move in opened):
        title = taken[0].title if plan.verb == "undo" else plan.title if plan.verb == "restore" else ""
        move_rows.add(tx, timeline, _begun(title, at))


def _is_never_still(line: Line, part: str) -> bool:
    """Whether a part changes by itself, as what runs in a container does: nobody's own changes begin with its restore."""
    source = line.sources.get(part)
    return source is not None and source.kind in NAMED


def _targets(tx: Transaction, plan: Plan) -> list[Move]:
    """The moves that an undo takes back, or that a redo brings again."""
    ids = list(plan.moves)
    if plan.verb == "redo":
        ids = [target for undo in plan.moves for target in move_rows.targets(tx, undo)]
    return [move for id in ids if (move := move_rows.by_id(tx, id)) is not None]


def _begun(title: str, at: SnapshotRow) -> Move:
    return Move(
        id=new_id(),
        session="",
        level="manual",
        title=title,
        opening=at.id,
        opening_seq=at.seq,
        closing=None,
        closing_seq=None,
        opened_ns=at.time_ns,
        closed_ns=None,
    )
