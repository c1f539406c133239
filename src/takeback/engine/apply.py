"""apply: save the present, do exactly what was planned, read it back, record it; or leave everything as it was.

The order is the promise: everything is staged; the safety snapshot and the journal are committed; effects are put in
place; the world is read back; the new snapshot and the move are committed and the journal ends in that same
transaction. Killed anywhere, the next process finishes it (`takeback.engine.journal`).
"""

from __future__ import annotations

import shlex
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

from takeback.engine import journal, moves, own_changes, pending, record, stretches
from takeback.engine.alone import Disturbed
from takeback.engine.keeping import keep_content
from takeback.engine.line import Line, Present
from takeback.engine.manifest import put_part
from takeback.engine.missed import check_at_hand, without
from takeback.engine.plandoc import encode_plan
from takeback.engine.save import lists_differ, same_state
from takeback.errors import Conflict, Integrity, InvalidInput, Partial, TakebackError, Unavailable
from takeback.model.ids import BlobKind, new_id, short
from takeback.model.kinds import DOCUMENTS, FOLLOWING
from takeback.model.move import AFTER, AGAIN, AGENT_LEVELS, ASKED, BY, CAUGHT_UP, LEFT, PARTLY, RESTORED, Move
from takeback.model.plan import Effect, Kept, Lost, Plan, Report, told
from takeback.model.progress import Watch
from takeback.model.snapshot import Part, Snapshot
from takeback.sources import clock
from takeback.sources.protocol import Opening, Staged
from takeback.sources.rooted import StagedPart
from takeback.store.catalogue import journals, snapshots
from takeback.store.catalogue import moves as move_rows
from takeback.store.catalogue.database import Transaction
from takeback.store.catalogue.snapshots import SnapshotRow
from takeback.store.reader import Reader
from takeback.store.writer import Writer


def apply(line: Line, plan: Plan, watch: Watch | None = None) -> Report:
    """Carry out a plan; Conflict, and nothing changed, if the world moved since it was made."""
    if (plan.root, plan.timeline) != (line.root, line.name):
        raise InvalidInput(
            f"the plan was made for the timeline {plan.timeline!r} of {plan.root}, not for {line.name!r} of {line.root}",
            hints=["apply it with the timeline that made it"],
        )
    with line.locked(), line.still(), line.writer() as writer:
        present = pending.begin(line, writer, watch or Watch())
        _check_unmoved(line, writer, plan, present)
        _keep_content(writer, plan, present)
        return carry_out(line, writer, plan, present, watch)


def _keep_content(writer: Writer, plan: Plan, present: Present) -> None:
    """What the plan puts back may have been dropped and collected, or purged, since it was made."""
    documents = {name for name, part in present.parts.items() if part.kind in DOCUMENTS}
    try:
        keep_content(writer, plan.effects, documents)
    except Integrity as error:
        raise Conflict(
            "nothing was changed: what the plan puts back is not in the store any more",
            hints=["plan again and look once more", "was nothing removed since? `takeback verify` checks the store"],
        ) from error


def carry_out(line: Line, writer: Writer, plan: Plan, present: Present, watch: Watch | None = None) -> Report:
    """Apply a plan that was made from this very present. The caller holds the lock. The watch hears how much has been
    made ready, and can stop it until then: what follows is done to its end."""
    if plan.stuck:
        raise _stuck(plan)
    if plan.empty:
        at = _keep_present(line, writer, plan, present).id
        return _report(plan, None, at, at, plan.effects, (), ())
    staged: list[Staged] = []
    safety: SnapshotRow | None = None
    begun: journals.Journal | None = None
    try:
        line.permit(by_part(plan.effects))
        with _telling(writer.reader, watch):
            for part, effects in by_part(plan.effects).items():
                staged.append(_stage(line, writer, plan, present, part, effects))
        if watch is not None:
            watch.begin("place", len(plan.effects))
        safety, begun = _begin(line, writer, plan, present)
        for each in staged:
            each.apply()
        done, kept, written = _read_back(line, plan.effects, staged, present.parts)
        plan = replace(plan, partial=(*plan.partial, *written))
        report = conclude(line, writer, plan, safety, begun, present.parts, done, kept, present.reasons)
    except BaseException as error:
        begun = begun or _begun(line)  # an interrupt may come right after the commit
        began = safety is not None or begun is not None
        if not _take_back(line, writer, plan, present, staged, began, begun) and isinstance(error, TakebackError):
            hint = f"the next `takeback` command here finishes this {plan.verb}, or takes it back"
            error.hints = (*error.hints, hint)
        raise
    return replace(report, notes=(*report.notes, *finish(staged)))


@contextmanager
def _telling(reader: Reader, watch: Watch | None) -> Iterator[None]:
    """A block in which the watch hears of all that is read to be put in place."""
    done = size = 0

    def hears(length: int) -> None:
        nonlocal done, size
        done, size = done + 1, size + length
        if watch is not None:
            watch.tick("apply", done, size=size)

    reader.hears = hears
    try:
        yield
    finally:
        reader.hears = None


def _stage(line: Line, writer: Writer, plan: Plan, present: Present, part: str, effects: Sequence[Effect]) -> Staged:
    """Make the effects on a part ready; if that is not possible here, whoever asked is told how to have the rest."""
    try:
        return line.source(part, present.parts).stage(writer.reader, effects)
    except Unavailable as error:
        error.hints = (*without(plan, present, part), *error.hints)
        raise


def finish(staged: Sequence[Staged]) -> list[str]:
    """Let go of what stood there before, now that all is recorded. What cannot go now is said; it goes at the next look."""
    notes = []
    for each in staged:
        try:
            each.finish()
        except Exception as error:  # a source's own code may raise anything, and nothing may undo what is recorded
            notes.append(f"all is in place, but what was there before could not be removed yet: {error}")
    return notes


def _take_back(
    line: Line,
    writer: Writer,
    plan: Plan,
    present: Present,
    staged: Sequence[Staged],
    began: bool,
    begun: journals.Journal | None,
) -> bool:
    """Have all as it was before a plan that could not be carried out; False if that is left to whoever can."""
    recorded = began and _is_recorded(line)
    if recorded:  # what failed came later
        finish(staged)
        return True
    left = recorded is None
    for each in staged:
        try:
            each.discard()
        except Exception:  # it must not be in the others' way
            left = True
    if began and recorded is not None:
        try:
            left = bool(journal.roll_back(line, writer, plan.effects, present.parts, begun))
        except Exception:  # the catalogue cannot be written, or what was there cannot be finished
            left = True
    return not left


def _begun(line: Line) -> journals.Journal | None:
    """The journal that stands; whoever carries out a plan has ended all others before."""
    try:
        return journal.pending(line)
    except Exception:  # the next command finds it
        return None


def _is_recorded(line: Line) -> bool | None:
    """Whether a plan that had begun is recorded, which the end of its journal says; None if that cannot be read."""
    try:
        return bool(journal.names(line)) and journal.pending(line) is None
    except Exception:
        return None


def conclude(
    line: Line,
    writer: Writer,
    plan: Plan,
    safety: SnapshotRow,
    begun: journals.Journal | None,
    before: Mapping[str, Part],
    done: Sequence[Effect],
    kept: Sequence[Kept],
    missed: Mapping[str, str],
) -> Report:
    """Record what was done to ``before``: the snapshot that it is now, the move, and the end of what had ``begun``.

    A conversation that came back beside the others changed nothing that a snapshot holds: it is neither.
    """
    parts = dict(before)
    line.heed(agents_at_work=True, origin={name: partial(_origin, line, writer.reader, plan, name) for name in before})
    unseen: list[Lost] = []
    for part, effects in by_part(done).items():
        source = line.source(part, before)
        if source.kind not in FOLLOWING:  # a conversation came back beside the one that is captured
            parts[part] = put_part(writer, source.amend(writer, parts[part], effects))
        if isinstance(source, Opening):
            unseen += source.unseen(writer, parts[part], effects)
    asked = pending.mark(line, plan, before, parts)
    context: dict[str, Any] = {"target": plan.target, "moves": list(plan.moves)}
    if kept:
        context["kept"] = {item.path: item.reason for item in kept}
    snapshot: Snapshot | None = None
    move: str | None = None
    if asked or any(
        line.part(effect.part, before).kind not in FOLLOWING for effect in done
    ):  # else undo could take back nothing
        snapshot = record.compose(
            line, writer, safety, parts, trigger=plan.verb, context=context, before=before, missed=missed
        )
        move = None if plan.completes else new_id()

    def note(tx: Transaction, timeline: int, at: SnapshotRow) -> SnapshotRow:
        if move is not None:
            by = stretches.acting(move_rows.open_moves(tx, timeline))
            _record_move(tx, timeline, move, plan, safety, at, by)
            own_changes.note(line, writer.reader, tx, timeline, plan, safety, at)
        if begun is not None:
            journals.end_all(tx, begun)
        return at

    at = record.commit(line, writer, snapshot, safety, note)
    left = tuple(name for name in plan.pending if name in parts and parts[name].pending)
    report = _report(plan, move, at.id, safety.id, done, kept, left)
    if not unseen:
        return report
    paths = " ".join(shlex.quote(each.path) for each in unseen[:3])
    hint = f"`takeback restore {short(at.id)} {paths}` makes it as it was when it was read last"
    return replace(report, lost=(*unseen, *report.lost), hints=(*report.hints, hint))


def _origin(line: Line, reader: Reader, plan: Plan, name: str) -> Part | None:
    """A part as it was where a plan leads back to; None if that is not known any more."""
    with line.blobs.database.read() as tx:
        row = snapshots.by_id(tx, plan.target) if plan.target is not None else None
        timeline = line.row(tx).number
        moved = [each for id in plan.moves for each in move_rows.by_prefix(tx, timeline, id)]
        if row is None and moved:
            row = snapshots.by_id(tx, min(moved, key=lambda each: each.opening_seq).opening)
    return line.load(reader, row).parts.get(name) if row is not None else None


def by_part(effects: Sequence[Effect]) -> Mapping[str, list[Effect]]:
    groups: dict[str, list[Effect]] = {}
    for effect in effects:
        groups.setdefault(effect.part, []).append(effect)
    return groups


def _keep_present(line: Line, writer: Writer, plan: Plan, present: Present) -> SnapshotRow:
    """Save the present where there is nothing to do to it."""
    fresh = record.latest_or_new(line, writer, present, trigger="safety", context={"before": plan.verb})
    if fresh is None and present.head is not None:
        return present.head
    return record.commit(line, writer, fresh, present.head, lambda tx, timeline, at: at)


def _begin(line: Line, writer: Writer, plan: Plan, present: Present) -> tuple[SnapshotRow, journals.Journal | None]:
    """Commit the safety snapshot and the journal; from here on the plan can be finished by anybody."""
    for effect in plan.effects:
        if effect.merged is not None:
            writer.put(effect.merged, BlobKind.DATA)
    document = writer.put(encode_plan(plan), BlobKind.DOCUMENT)
    always = lists_differ(writer.reader, present)
    fresh = record.latest_or_new(line, writer, present, trigger="safety", context={"before": plan.verb}, always=always)
    same = same_state(line, writer.reader, present, fresh)

    def note(tx: Transaction, timeline: int, at: SnapshotRow) -> tuple[SnapshotRow, journals.Journal | None]:
        now = clock.read()
        for move in _ended_by(plan, move_rows.open_moves(tx, timeline)):
            moves.close_at(tx, timeline, _noting_request(plan, move), at, now, same)
        begun = [journals.Journal(name, timeline, document, at.id, time.time_ns()) for name in journal.names(line)]
        for each in begun:
            journals.begin(tx, each)
        return at, begun[0] if begun else None

    return record.commit(line, writer, fresh, present.head, note)


def _ended_by(plan: Plan, opened: Sequence[Move]) -> list[Move]:
    """Agents' open moves that end here: those that are taken back, with their actions. A person's own are ended with the
    record of what was done (`takeback.engine.own_changes`). None ends because an owner comes to what was asked for."""
    if plan.catches_up:
        return []
    targets = [move for move in opened if move.id in plan.moves and move.level != "manual"]
    inner = {(move.session, "action") for move in targets}
    return [move for move in opened if move in targets or (move.session, move.level) in inner]


def _noting_request(plan: Plan, move: Move) -> Move:
    """An open move as it is once it is taken back: an agent's remembers that the owner of its memory is asked."""
    is_target = move.id in plan.moves and move.level in AGENT_LEVELS
    return move._replace(context={**move.context, ASKED: True}) if plan.pending and is_target else move


def _check_unmoved(line: Line, writer: Writer, plan: Plan, present: Present) -> None:
    """Every path that the plan changes must still be as the plan found it."""
    check_at_hand(plan, present)
    for part, effects in by_part(plan.effects).items():
        source = line.source(part, present.parts)
        moved = source.moved(writer.reader, line.part(part, present.parts), effects)
        if moved:
            names = ", ".join(moved[:3]) + (f" and {len(moved) - 3} more" if len(moved) > 3 else "")
            raise Conflict(
                f"nothing was changed: {names} changed after the plan was made", hints=["plan again and look once more"]
            )


def _read_back(
    line: Line, effects: Sequence[Effect], staged: Sequence[Staged], parts: Mapping[str, Part]
) -> tuple[tuple[Effect, ...], tuple[Kept, ...], tuple[Kept, ...]]:
    """The effects that are in place; what is excused: directories that had to stay because something new was in them,
    mail that its owner took as soon as it was back; and files that were in place, until another program wrote to them. What is
    excused is asked last, or more of it would be read back as missing."""
    left = [effect for part, some in by_part(effects).items() for effect in line.source(part, parts).unfinished(some)]
    kept = tuple(item for each in staged for item in each.kept)
    excused = {(item.part, item.path) for item in kept}
    written = tuple(item for each in staged if isinstance(each, StagedPart) for item in each.written_since(left))
    written = tuple(item for item in written if (item.part, item.path) not in excused)
    fine = {(item.part, item.path) for item in written}
    for effect in left:
        if (effect.part, effect.path) in fine:
            continue
        if (effect.part, effect.path) not in excused:
            raise Disturbed(
                f"{effect.path} was written, but reads back differently; everything was put back as it was",
                hints=["is another program writing there? `takeback verify` checks the store"],
            )
    done = tuple(effect for effect in effects if (effect.part, effect.path) not in excused)
    return done, kept, written


def _stuck(plan: Plan) -> Conflict | Partial:
    """Nothing at all could be applied: the move stays as it is."""
    if not plan.conflicts and not plan.kept:
        listed = _listed([path for each in plan.undecided for path in each.paths] or list(plan.shared))
        return Partial(
            f"nothing was changed: it is not certain that move {short(plan.moves[0])} made these changes:\n  {listed}",
            hints=plan.hints,
        )
    lines = [f"{item.path}: {item.reason}" for item in (*plan.conflicts, *plan.kept)]
    lines += [f"{path}: it may be somebody else's" for path in plan.shared]
    lines += [each.words for each in plan.lost]
    return Conflict(
        f"nothing of move {short(plan.moves[0])} could be taken back:\n  {_listed(lines)}", hints=plan.hints
    )


def _listed(lines: Sequence[str]) -> str:
    return "\n  ".join((*lines[:20], *([f"and {len(lines) - 20} more"] if len(lines) > 20 else ())))


def _record_move(
    tx: Transaction, timeline: int, id: str, plan: Plan, safety: SnapshotRow, at: SnapshotRow, by: str
) -> None:
    move_rows.add(
        tx,
        timeline,
        Move(
            id=id,
            session="",
            level="takeback",
            title=plan.title,
            opening=safety.id,
            opening_seq=safety.seq,
            closing=at.id,
            closing_seq=at.seq,
            opened_ns=at.time_ns,
            closed_ns=at.time_ns,
            verb=plan.verb,
            context={**_noted(plan), **({BY: by} if by else {})},
        ),
    )
    if plan.verb in ("undo", "redo"):
        move_rows.take(tx, id, (*_agents_own(tx, timeline, plan), *plan.moves))


def _agents_own(tx: Transaction, timeline: int, plan: Plan) -> Iterator[str]:
    """The undos, redos and restores that agents ran themselves within the moves that are taken back, the newest first: they go
    along with them."""
    if plan.verb != "undo" or plan.partly:
        return
    taken = [move for id in plan.moves if (move := move_rows.by_id(tx, id)) is not None and move.level in AGENT_LEVELS]
    if not taken:
        return
    last = max(move.closing_seq or 0 for move in taken)
    near = move_rows.overlapping(tx, timeline, min(move.opening_seq for move in taken), last + 1)
    for own in reversed(near):
        if own.level == "takeback" and own.undone_by is None and own.closing_seq is not None:
            inside = (move for move in taken if move.session == own.context.get(BY))
            if any(
                move.opening_seq <= own.opening_seq and own.closing_seq <= (move.closing_seq or 0) for move in inside
            ):
                yield own.id


def _noted(plan: Plan) -> dict[str, Any]:
    """What later undos have to know of a move."""
    context: dict[str, Any] = {}
    if plan.partly:
        context[PARTLY] = True
    if plan.verb == "undo" and (plan.is_left or plan.again):
        context[LEFT] = True
    if plan.after is not None:
        context[AFTER] = plan.after
    if plan.verb == "undo" and plan.again:
        context[AGAIN] = list(plan.again)
    if plan.exact and plan.target is not None:
        context[RESTORED] = plan.target
    if plan.catches_up:
        context[CAUGHT_UP] = True
    return context


def _report(
    plan: Plan,
    move: str | None,
    snapshot: str,
    safety: str,
    done: Sequence[Effect],
    kept: Sequence[Kept],
    pending: tuple[str, ...],
) -> Report:
    return Report(
        verb=plan.verb,
        move=move,
        snapshot=snapshot,
        safety=safety,
        changed=tuple(path for _, path in told(done)),
        merged=tuple(effect.path for effect in done if effect.is_merge and effect.shown is not None),
        conflicts=plan.conflicts,
        kept=(*plan.kept, *kept),
        shared=plan.shared,
        outside=plan.outside,
        not_captured=plan.not_captured,
        verified=True,
        moves=plan.moves,
        title=plan.title,
        notes=plan.notes,
        hints=plan.hints,
        pending=pending,
        others=plan.others,
        partial=plan.partial,
        actions={path: action for action, path in told(done)},
        lost=plan.lost,
        undecided=plan.undecided,
        while_running=plan.while_running,
        brought_back=plan.brought_back,
        in_part=plan.in_part,
    )
