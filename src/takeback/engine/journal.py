"""Restores that were killed: the next process that takes the lock finishes them, or takes them back.

A path is only written if it stands as the plan found it; what somebody changed since the kill is theirs and stays.
"""

from __future__ import annotations

from collections.abc import Sequence

from takeback.engine.line import Line
from takeback.engine.plandoc import decode_plan
from takeback.errors import Integrity, TakebackError, Unavailable
from takeback.model.ids import BlobKind
from takeback.model.plan import Effect, Kept, Plan
from takeback.sources.protocol import Source
from takeback.store.catalogue import journals, snapshots, timelines
from takeback.store.catalogue.database import Transaction
from takeback.store.catalogue.journals import Journal
from takeback.store.writer import Writer


def pending(line: Line) -> Journal | None:
    """The restore of this line's root that has begun and not ended."""
    with line.blobs.database.read() as tx:
        return journals.pending(tx, line.root)


def recover(line: Line, writer: Writer) -> bool:
    """Finish an interrupted restore, or roll it back if it cannot be finished. The caller holds the lock."""
    found = pending(line)
    if found is None:
        return False
    from takeback.engine.apply import conclude

    plan = decode_plan(writer.reader.get(found.plan, BlobKind.DOCUMENT))
    owner = _owner(line, found, plan)
    try:
        done, kept = _finish(owner, writer, plan)
    except TakebackError:
        roll_back(owner, writer, plan.effects)
        return True
    with line.blobs.database.read() as tx:
        safety = snapshots.by_id(tx, found.safety)
    if safety is None:
        raise Integrity(f"the safety snapshot {found.safety[:8]} of an interrupted restore is gone")
    if done:
        conclude(owner, writer, plan, safety, done, kept)
    else:
        _end(owner, writer)
    return True


def roll_back(line: Line, writer: Writer, effects: Sequence[Effect]) -> None:
    """Put every path back that an unfinished plan has changed, and end its journal."""
    for part in {effect.part for effect in effects}:
        source = line.source(part)
        some = [effect for effect in effects if effect.part == part]
        untouched = _untouched(source, some)
        back = [effect.inverse() for effect in some if effect not in untouched and _ours(source, effect)]
        if back:
            staged = source.stage(writer.reader, back)
            staged.apply()
    _end(line, writer)


def _finish(line: Line, writer: Writer, plan: Plan) -> tuple[list[Effect], list[Kept]]:
    """Do what is left of a plan: the effects that are in place then, and the paths that somebody changed since."""
    done: list[Effect] = []
    kept: list[Kept] = []
    for part in {effect.part for effect in plan.effects}:
        source = line.source(part)
        some = [effect for effect in plan.effects if effect.part == part]
        left = set(source.unfinished(some))
        ready = _untouched(source, some)
        todo = [effect for effect in some if effect in left and (effect in ready or _is_half_made(effect))]
        if todo:
            staged = source.stage(writer.reader, todo)
            staged.apply()
            kept += staged.kept
        still = set(source.unfinished(some))
        done += [effect for effect in some if effect not in still]
        kept += [Kept(part, effect.path, "it was changed after the restore was interrupted") for effect in still]
    return done, kept


def _untouched(source: Source, effects: Sequence[Effect]) -> set[Effect]:
    """Effects whose path still stands as it was before."""
    back = {effect.inverse(): effect for effect in effects}
    moved = set(source.unfinished(tuple(back)))
    return {effect for inverse, effect in back.items() if inverse not in moved}


def _ours(source: Source, effect: Effect) -> bool:
    return _is_half_made(effect) or not source.unfinished((effect,))


def _is_half_made(effect: Effect) -> bool:
    """Directories get their final permissions last, so one that was being made looks like neither end."""
    return effect.after is not None and effect.after.kind == "d"


def _owner(line: Line, found: Journal, plan: Plan) -> Line:
    """The line that began the restore: the same root, maybe another name."""
    with line.blobs.database.read() as tx:
        row = timelines.by_number(tx, found.timeline)
    missing = sorted({effect.part for effect in plan.effects} - line.sources.keys())
    if row is None or missing:
        raise Unavailable(
            f"a {plan.verb} of {line.root} was interrupted and must be finished first, but its parts "
            f"{', '.join(missing)} are not at hand here",
            hints=[f"run takeback again with the sources of the timeline {plan.timeline!r}"],
        )
    return line if row.name == line.name else Line(line.blobs, row.root, row.name, line.sources)


def _end(line: Line, writer: Writer) -> None:
    def write(tx: Transaction) -> None:
        journals.end(tx, line.root)

    writer.commit(write)
