"""Steps of moves that nobody can take back, because a snapshot that told them apart was removed.

A snapshot after such a step is marked as mixed: what changed up to it may be the move's, or anybody's. Undo leaves it and says
which paths that are. Retention keeps moves whole; this is for snapshots that a person dropped, and for moves that an earlier
version of takeback cut.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from takeback.engine.attribution import OPEN_END
from takeback.engine.line import Line
from takeback.model.kinds import DOCUMENTS, FOLLOWING
from takeback.model.move import CUT, Move
from takeback.model.plan import Kept
from takeback.model.snapshot import Part
from takeback.sources.trees import within
from takeback.store.catalogue import moves, snapshots
from takeback.store.catalogue.database import Transaction
from takeback.store.catalogue.snapshots import SnapshotRow
from takeback.store.reader import Reader

REASON = "what the move did to it is not known: a snapshot of that time was removed"


class LostStep(NamedTuple):
    """Neighbouring snapshots between which others were removed."""

    before: SnapshotRow | None
    """None if nothing is left before."""
    after: SnapshotRow


def lost_steps(tx: Transaction, timeline: int, targets: Sequence[Move], after_seq: int) -> list[LostStep]:
    """The steps in the windows of moves, and at their ends if these were removed, that nobody can take back."""
    found: dict[str, LostStep] = {}
    for move in targets:
        last = _last(tx, timeline, move)
        rows = snapshots.between(tx, timeline, max(after_seq, move.opening_seq), last)
        if rows and rows[0].id == move.opening and _lost_its_opening(move, rows[0]):
            found[rows[0].id] = LostStep(snapshots.beside(tx, rows[0], -1), rows[0])
        if rows and rows[-1].id == move.closing and CUT in move.context:
            after = snapshots.beside(tx, rows[-1], +1)
            rows += [after] if after is not None else []
        found |= {after.id: LostStep(before, after) for before, after in pairwise(rows) if after.mixed}
    return sorted(found.values(), key=lambda step: step.after.seq)


def _last(tx: Transaction, timeline: int, move: Move) -> int:
    """Where a move ends; one that has not, and marks its actions, has ended with the last of them for now."""
    if move.closing_seq is not None or not move.context.get("marks"):
        return move.closing_seq if move.closing_seq is not None else OPEN_END
    runs = any(each.level == "action" and each.open for each in moves.open_moves(tx, timeline, move.session))
    inside = moves.last_actions(tx, timeline, move.session, move.opening_seq, OPEN_END)
    ended = max((each.opening_seq if each.closing_seq is None else each.closing_seq for each in inside), default=None)
    return OPEN_END if runs or ended is None else ended


def lost_since(tx: Transaction, timeline: int, start: SnapshotRow) -> list[LostStep]:
    """The steps after a snapshot that nobody can take back, whoever made them."""
    rows = snapshots.between(tx, timeline, start.seq, OPEN_END)
    return [LostStep(before, after) for before, after in pairwise(rows) if after.mixed]


def _lost_its_opening(move: Move, opening: SnapshotRow) -> bool:
    """Whether a move began at another snapshot: this one is younger than the move."""
    return bool(opening.mixed) and (CUT in move.context or move.opened_ns < opening.time_ns)


def lost_paths(
    line: Line,
    reader: Reader,
    steps: Sequence[LostStep],
    parts: Sequence[str],
    paths: Mapping[str, Sequence[str]] | None,
) -> tuple[Kept, ...]:
    """What changed in lost steps, of the parts and paths that are meant."""
    found: dict[tuple[str, str], Kept] = {}
    for step in steps:
        new = line.load(reader, step.after).parts
        old = line.load(reader, step.before).parts if step.before is not None else {}
        for name in parts:
            limit = None if paths is None else paths.get(name)
            for path in _changed(line, reader, old.get(name), new.get(name)):
                if path == name or within(limit, path):
                    found.setdefault((name, path), Kept(name, path, REASON))
    return tuple(found[key] for key in sorted(found))


def _changed(line: Line, reader: Reader, old: Part | None, new: Part | None) -> Iterator[str]:
    """The paths of a part that differ; its name, if it has none or nothing is left to compare it with."""
    if new is None or new.kind in FOLLOWING or (old is not None and new.same_state(old)):
        return
    looker = line.looker(new.name, new)
    if old is None or new.kind in DOCUMENTS or looker is None:
        yield new.name
        return
    yield from (change.path for change in looker.diff(reader, old, new) if not change.is_directory)
