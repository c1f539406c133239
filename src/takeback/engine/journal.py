"""Restores that were killed: the next process that takes the lock finishes them, or takes them back.

They are written down under the root of their timeline, and under those that its sources have beside it: whoever looks at a
team next, from wherever, hears of it. Where there is none, they are under the name of each lock that its sources have: of a
container, whoever looks at it next. Objects have neither: they end with their process, and no
lock would tell a restore that was killed from one that goes on.

A path is only written if it stands as the plan found it; what somebody changed since the kill is theirs and stays.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from takeback.engine.line import Line
from takeback.engine.owner import owner_of, where
from takeback.errors import Conflict, Integrity, TakebackError, Unavailable
from takeback.model.ids import BlobKind
from takeback.model.kinds import DOCUMENTS, FOLLOWING
from takeback.model.progress import Watch
from takeback.model.snapshot import INFORMATIVE, Part, Snapshot
from takeback.model.tree import DIRECTORY, Entry
from takeback.store.catalogue import blobs as blob_rows
from takeback.store.catalogue import journals, snapshots, timelines
from takeback.store.catalogue.database import Transaction
from takeback.store.catalogue.journals import Journal
from takeback.store.catalogue.snapshots import SnapshotRow
from takeback.store.writer import Writer

if TYPE_CHECKING:
    from takeback.model.plan import Effect, Kept, Plan
    from takeback.sources.protocol import Source, Staged


def names(line: Line) -> list[str]:
    """What a line's restores are written down under: not under what is waiting to be taken back."""
    sources = [source for name, source in line.sources.items() if name not in line.unsettled]
    if not line.root:
        return sorted({source.lock for source in sources if source.lock})
    others = {source.root for source in sources if source.root}
    return [line.root, *sorted(others - {line.root})]


def pending(line: Line) -> Journal | None:
    """The restore that has begun there and not ended."""
    return next(iter(_pending(line, names(line))), None)


def _pending(line: Line, known: Sequence[str]) -> list[Journal]:
    """All that have begun under some names, each once."""
    if not known:
        return []
    with line.blobs.database.read() as tx:
        found = [each for name in known if (each := journals.pending(tx, name)) is not None]
    return list({(each.timeline, each.plan, each.safety): each for each in found}.values())


def _every_name(line: Line) -> list[str]:
    """What restores of anything at hand can be written down under."""
    locks = {source.lock for source in line.sources.values() if source.lock}
    roots = {source.root for source in line.sources.values() if source.root}
    return [*([line.root] if line.root else ()), *sorted(roots - {line.root}), *sorted(locks)]


def interrupted(line: Line) -> int | None:
    """When a restore began that has not ended: there, or of this timeline with sources that are not at hand here."""
    found = pending(line)
    if found is None:
        with line.blobs.database.read() as tx:
            row = timelines.find(tx, line.root, line.name)
            every = journals.every(tx) if row is not None else []
        found = next((each for each in every if row is not None and each.timeline == row.number), None)
    return None if found is None else found.started_ns


def settle(line: Line) -> None:
    """Finish an interrupted restore of the root, if there is one, for a verb that does not look at the world itself."""
    if _pending(line, _every_name(line)):
        with line.locked(), line.writer() as writer:
            recover(line, writer)


def recover(line: Line, writer: Writer) -> None:
    """Finish interrupted restores, or roll them back if they cannot be finished; of what is out of reach, the line says
    that it is ``unsettled``, and the rest goes on. The caller holds the lock."""
    line.unsettled = {}
    for found in _pending(line, _every_name(line)):
        if found in _pending(line, [found.root]):  # and nothing newer has taken its place
            line.unsettled = {**line.unsettled, **_recover(line, writer, found)}


def _recover(line: Line, writer: Writer, found: Journal) -> Mapping[str, TakebackError]:
    from takeback.engine.apply import conclude, finish
    from takeback.engine.plandoc import decode_plan

    plan = decode_plan(writer.reader.get(found.plan, BlobKind.DOCUMENT))
    safety, snapshot = _safety(line, writer, found)
    owner = owner_of(line, found, plan, snapshot.parts)
    _check_safety(owner, writer, plan, snapshot)
    staged: list[Staged] = []
    try:
        if plan.given_up or _moved_on(line, found):
            raise Conflict("somebody without its sources has recorded more since")
        done, kept = _finish(owner, writer, plan, snapshot.parts, staged)
    except TakebackError:
        failed = roll_back(owner, writer, plan.effects, snapshot.parts, found, staged)
        return _give_up(line, writer, plan, found, failed) if failed else {}
    if done or plan.pending:
        conclude(owner, writer, plan, safety, found, _as_of(owner, writer, snapshot), done, kept, snapshot.missed)
    else:
        _end(owner, found)
    finish(staged)
    return {}


def _give_up(
    line: Line, writer: Writer, plan: Plan, found: Journal, failed: Mapping[str, Exception]
) -> Mapping[str, TakebackError]:
    """Everything else is as it was before: what is out of reach is to be taken back, by whoever can next, and until then
    is in nobody's way. Any other failure is raised."""
    from dataclasses import replace  # no save needs it

    from takeback.engine.plandoc import encode_plan

    kept = {part: line.sources[part].lock or line.sources[part].root for part in failed if part in line.sources}
    hopeless = [error for error in failed.values() if not isinstance(error, Unavailable)]
    if hopeless or len(kept) < len(failed) or line.root in kept.values():
        raise (*hopeless, *failed.values())[0]
    begun = {}
    for name in dict.fromkeys(kept.values()):
        left = tuple(effect for effect in plan.effects if kept.get(effect.part) == name)
        document = encode_plan(replace(plan, effects=left, pending=(), given_up=True))
        begun[name] = writer.put(document, BlobKind.DOCUMENT)

    def note(tx: Transaction) -> None:
        journals.end_all(tx, found)
        for name, document in begun.items():
            if (
                older := journals.pending(tx, name)
            ) is not None:  # whose part somebody has reached since, by another name
                journals.end_all(tx, older)
            journals.begin(tx, found._replace(root=name, plan=document))

    writer.commit(note)
    return {part: _unsettled(plan, part, error) for part, error in failed.items()}


def _unsettled(plan: Plan, part: str, error: Exception) -> TakebackError:
    why, hints = (error.message, error.hints) if isinstance(error, TakebackError) else (str(error), ())
    return Unavailable(f"a {plan.verb} of {part} was interrupted and is to be taken back, but {why}", hints=hints)


def _moved_on(line: Line, found: Journal) -> bool:
    """Whether the timeline has gone on without the restore. Only one without a root can: by who has but its objects."""
    with line.blobs.database.read() as tx:
        row = timelines.by_number(tx, found.timeline)
    return row is not None and row.head != found.safety


def _safety(line: Line, writer: Writer, found: Journal) -> tuple[SnapshotRow, Snapshot]:
    """The snapshot of the present from before the restore."""
    with line.blobs.database.read() as tx:
        row = snapshots.by_id(tx, found.safety)
    if row is None:
        raise Integrity(f"the safety snapshot {found.safety[:8]} of an interrupted restore is gone")
    if row.timeline != found.timeline:
        raise _forged(line, f"its safety snapshot {row.id[:8]} is of another place")
    return row, line.load(writer.reader, row)


def _check_safety(line: Line, writer: Writer, plan: Plan, snapshot: Snapshot) -> None:
    """The safety snapshot must hold, exactly and with its bytes, whatever the plan changes: a journal that an enemy wrote
    can then do nothing that `undo` does not take back."""
    parts = snapshot.parts
    for part in {effect.part for effect in plan.effects}:
        effects = [effect for effect in plan.effects if effect.part == part]
        source = line.source(part, parts)
        known = part in parts or source.kind in FOLLOWING
        moved = source.moved(writer.reader, line.part(part, parts), effects) if known else ("",)
        if moved:
            raise _forged(line, f"its safety snapshot {snapshot.id[:8]} does not hold what it would change")
        before = {effect.before.id for effect in effects if effect.before and effect.before.kind != DIRECTORY}
        with line.blobs.database.read() as tx:
            stored = blob_rows.known(tx, before, frozenset())
        if stored != before:
            raise _forged(line, "the bytes that it would change are not in the store")


def _forged(line: Line, why: str) -> Integrity:
    return Integrity(
        f"the store says that a restore of {where(line)} was interrupted, but {why}. Nothing was changed.",
        hints=["`takeback verify` checks the store; another one can be used with --store DIR"],
    )


def _as_of(line: Line, writer: Writer, safety: Snapshot) -> dict[str, Part]:
    """The parts of the safety snapshot, with what is informative taken from the world as it is."""
    parts = dict(safety.parts)
    for name, source in line.sources.items():
        if source.kind != "workspace" or name not in parts:  # only that is seen to ignore anything
            continue
        fresh = source.capture(writer, parts[name], Watch())
        informative = {key: blob for key, blob in fresh.refs.items() if key in INFORMATIVE}
        parts[name] = parts[name]._replace(refs={**parts[name].refs, **informative})
    return parts


def roll_back(
    line: Line,
    writer: Writer,
    effects: Sequence[Effect],
    parts: Mapping[str, Part],
    journal: Journal | None,
    begun: Sequence[Staged] = (),
) -> Mapping[str, Exception]:
    """Put every path back that an unfinished plan has changed, and end its journal. What cannot be put back is in no
    other part's way; the journal stays then, and why is given by part. What was ``begun`` of it here goes first."""
    from takeback.engine.apply import finish

    failed: dict[str, Exception] = {}
    staged: list[Staged] = []
    for each in begun:
        with suppress(Exception):  # which the part itself says next, if it matters
            each.discard()
    for part in {effect.part for effect in effects}:
        some = [effect.inverse() for effect in effects if effect.part == part]
        try:
            _carry_on(line.source(part, parts), writer, some, staged)
        except Exception as error:  # an object's own code may raise anything
            failed[part] = error
    if not failed and journal is not None:
        _end(line, journal)
    finish(staged)
    return failed


def _finish(
    line: Line, writer: Writer, plan: Plan, parts: Mapping[str, Part], staged: list[Staged]
) -> tuple[list[Effect], list[Kept]]:
    """Do what is left of a plan: the effects that are in place then, and the paths that somebody changed since."""
    from takeback.model.plan import Kept

    done: list[Effect] = []
    kept: list[Kept] = []
    for part in {effect.part for effect in plan.effects}:
        source = line.source(part, parts)
        some = [effect for effect in plan.effects if effect.part == part]
        if line.part(part, parts).kind in DOCUMENTS:
            source.stage(writer.reader, some).discard()  # all of what is to be pending must be there
        _carry_on(source, writer, some, staged)
        still = set(source.unfinished(some))
        done += [effect for effect in some if effect not in still]
        kept += [Kept(part, effect.path, "it was changed after the restore was interrupted") for effect in still]
    return done, kept


def _carry_on(source: Source, writer: Writer, effects: Sequence[Effect], staged: list[Staged]) -> None:
    """Do what is left of some effects. What is neither as it was nor on its way is somebody else's, and stays. What
    is ``staged`` meanwhile, and has taken its place, is to be finished once that is recorded."""
    left = set(source.unfinished(effects))
    untouched = _untouched(source, effects)
    todo = [effect for effect in effects if effect in left and (effect in untouched or _on_its_way(effect))]
    try:
        staged += _put(source, writer, todo)
    except Conflict:
        # Something is in the way of one of them. The others are done without it, in an order that makes room first.
        for effect in sorted(todo, key=_order):
            try:
                for each in _put(source, writer, [effect]):
                    each.finish()  # before the next is made ready
            except Conflict:
                continue


def _put(source: Source, writer: Writer, effects: Sequence[Effect]) -> list[Staged]:
    if not effects:
        return []
    staged = source.stage(writer.reader, effects)
    try:
        staged.apply()
    except BaseException:
        staged.discard()
        raise
    return [staged]


def _untouched(source: Source, effects: Sequence[Effect]) -> set[Effect]:
    """Effects whose path still stands as it was before."""
    back = {effect.inverse(): effect for effect in effects}
    moved = set(source.unfinished(tuple(back)))
    return {effect for inverse, effect in back.items() if inverse not in moved}


def _on_its_way(effect: Effect) -> bool:
    """Whether a path may look like neither end because it was left in the middle, and not because of somebody else.

    A directory gets its permissions last, and what stands in the place of a directory goes before that comes.
    """
    return _is_directory(effect.before) != _is_directory(effect.after)


def _order(effect: Effect) -> tuple[bool, int, str]:
    goes = effect.after is None
    return not goes, -effect.path.count("/") if goes else 0, effect.path


def _is_directory(entry: Entry | None) -> bool:
    return entry is not None and entry.kind == DIRECTORY


def _end(line: Line, journal: Journal) -> None:
    """Not by way of the writer: that may be one whose own commit has failed."""
    with line.blobs.database.write() as tx:
        journals.end_all(tx, journal)
