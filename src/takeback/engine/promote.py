"""promote: what a fork has changed since it began is done here, as one move that undo takes back.

It is three-way, as undo is: base is what the fork began with, theirs what it has now, ours the present. What is here as
the fork began becomes as the fork has it; what was changed here meanwhile is merged, or is a conflict and stays. What was
promoted before counts as begun: a second promote brings what the fork has done since, and again what could not be brought.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from takeback.engine import pending, record
from takeback.engine.apply import carry_out
from takeback.engine.family import Family, Kin, named, relative
from takeback.engine.line import Line, Present
from takeback.engine.merge_ahead import without_long_merges
from takeback.engine.missed import not_now, reason
from takeback.engine.naming import called, naming, not_at_hand
from takeback.engine.references import resolve
from takeback.errors import InvalidInput, NotFound
from takeback.model.ids import short
from takeback.model.kinds import DOCUMENTS, FOLLOWING, NAMED
from takeback.model.plan import Going, Kept, Plan, Report
from takeback.model.progress import Watch
from takeback.model.snapshot import Part, Snapshot
from takeback.sources import trees
from takeback.sources.homing import carried, homed
from takeback.sources.protocol import Proposal, Source, Step
from takeback.store.catalogue import moves as move_rows
from takeback.store.catalogue import snapshots
from takeback.store.catalogue.snapshots import SnapshotRow
from takeback.store.writer import Writer

_FEW = 3
"""So many paths are spelt out in a hint."""
_PURGED = "it held something that was purged"


class Result(NamedTuple):
    """What a fork has come to."""

    kin: Kin
    began: SnapshotRow
    latest: SnapshotRow
    notes: tuple[str, ...] = ()


class Before(NamedTuple):
    """An earlier promote of the same fork that still stands: what the fork was then, and the ends of the move here."""

    fork: Snapshot
    opening: Snapshot
    closing: Snapshot


def plan_promote(line: Line, fork: str | Line, only: Sequence[str] | None, watch: Watch) -> Plan:
    """What promote would do now; only the fork is saved, so that the plan can be carried out."""
    return _planned(line, _result(line, fork, watch), only, watch)


def promote(line: Line, fork: str | Line, only: Sequence[str] | None, watch: Watch) -> Report:
    """Do here what a fork has changed."""
    return _done_here(line, _result(line, fork, watch), only, watch)


@without_long_merges
def _planned(line: Line, result: Result, only: Sequence[str] | None, watch: Watch) -> Plan:
    with line.looking() as writer:
        return _plan(line, writer, line.capture(writer, watch), result, only)


@without_long_merges
def _done_here(line: Line, result: Result, only: Sequence[str] | None, watch: Watch) -> Report:
    with line.locked(), line.still(), line.writer() as writer:
        present = pending.begin(line, writer, watch)
        return carry_out(line, writer, _plan(line, writer, present, result, only), present, watch)


def _result(line: Line, fork: str | Line, watch: Watch) -> Result:
    """Find the fork, save it, and say where it began; one that is named by a snapshot of its own is as that was."""
    with line.blobs.database.read() as tx:
        if isinstance(fork, Line):
            found = Family(tx, line).get(fork.root, fork.name)
            if found is None or fork.blobs is not line.blobs:
                raise InvalidInput(f"the timeline {fork.name!r} has no beginning in common with {line.name!r}")
            kin, at = found, None
        elif "@" in fork and (behind := relative(tx, line, fork.strip())) is not None:
            kin, at = behind[0], resolve(tx, line, fork)
        else:
            kin, at = named(tx, line, fork.strip()), None
        began = _began(snapshots.first(tx, kin.row.number), snapshots.by_id(tx, kin.began), kin)
    if at is not None:
        return Result(kin, began, at)
    other, notes = _line_of(line, kin, fork if isinstance(fork, Line) else None)
    return Result(kin, began, _saved(other, watch), tuple(notes))


def _began(first: SnapshotRow | None, origin: SnapshotRow | None, kin: Kin) -> SnapshotRow:
    """What a fork began with: its own first snapshot, or, where that was dropped or it never had one, what it was made
    from. For what this timeline itself was made from, that is the latter."""
    if first is not None and first.trigger == "fork" and (origin is None or origin.timeline != kin.row.number):
        return first
    if origin is not None:
        return origin
    raise NotFound(
        f"nobody knows any more what {kin.row.name!r} began with: that snapshot was dropped",
        hints=[f"`takeback restore {kin.row.name}@` makes everything as it is there"],
    )


def _line_of(line: Line, kin: Kin, given: Line | None) -> tuple[Line, list[str]]:
    """The fork as a timeline, with its sources: those that it was given, and those that are here of what it has."""
    other = Line(line.blobs, kin.row.root, kin.row.name, {}, line.waiting, line.others)
    other.patience = line.patience
    head = other.head()
    with line.blobs.reader() as reader:
        latest = other.latest(reader, head) if head is not None else None
    sources: dict[str, Source] = dict(given.sources) if given is not None else {}
    notes: list[str] = []
    for name, part in (latest.parts if latest is not None else {}).items():
        if name in sources or name not in line.sources or part.kind in DOCUMENTS | FOLLOWING:
            continue
        found = getattr(line.sources[name], "at_fork", lambda part, root: None)(part, kin.row.root)
        if found is None:
            notes.append(f"{name} of {kin.row.name} is not there any more: as its last snapshot has it")
        else:
            sources[name] = found
    other.sources = sources
    return other, notes


def _saved(fork: Line, watch: Watch) -> SnapshotRow:
    """The present of a fork as a snapshot of its own; its latest, if nothing of it is there any more."""
    head = fork.head()
    if not fork.sources or (head is not None and fork.blobs.readonly):
        if head is None:
            raise NotFound(f"nothing has been saved on the timeline {fork.name!r}")
        return head
    with fork.locked(), fork.writer() as writer:
        present = pending.begin(fork, writer, watch)
        fresh = record.latest_or_new(fork, writer, present, trigger="safety", context={"before": "promote"})
        if fresh is None and present.head is not None:
            return present.head
        return record.commit(fork, writer, fresh, present.head, lambda tx, timeline, at: at)


def _plan(line: Line, writer: Writer, present: Present, result: Result, only: Sequence[str] | None) -> Plan:
    name = result.kin.row.name
    first, latest = (line.load(writer.reader, row) for row in (result.began, result.latest))
    before = _before(line, writer, result)
    _check_parts(latest, only)
    proposals: list[Proposal] = []
    kept: list[Kept] = []
    asked: list[str] = []
    for part in only if only is not None else sorted(latest.parts):
        new, old = latest.parts[part], first.parts.get(part)
        if (why := first.missed.get(part) or latest.missed.get(part)) is not None:
            kept.append(Kept(part, part, f"{name} could not capture it: {reason(why)}"))
            continue
        if new.kind in FOLLOWING or old is None or new.same_state(old):
            kept += [Kept(part, part, f"only {name} has it")] if old is None and new.kind not in FOLLOWING else []
            continue
        source = line.find_source(part, present.parts)
        if source is None or part not in present.parts or source.kind != new.kind:
            kept.append(Kept(part, part, not_at_hand(new)))
            continue
        if any(each.purged for each in (old, new)):
            kept.append(Kept(part, part, _PURGED))
            continue
        if part in present.missed:
            rest = [each for each in latest.parts if each in line.sources and each != part]
            raise not_now(present, part, rest, f"promote {shlex.quote(name)}")
        steps = _steps(writer, present.parts[part], old, new, before, part)
        proposal = source.revert(writer.reader, present.parts[part], steps)
        if new.kind not in DOCUMENTS:
            proposal = carried(writer, proposal, new)
        proposals.append(proposal)
        if line.is_elsewhere(part, present.parts) and proposal.effects:
            asked.append(part)
    conflicts = [_told(item, name) for each in proposals for item in each.conflicts]
    goes: list[Going] = [item for each in proposals for item in each.goes]
    return Plan(
        verb="restore",
        timeline=line.name,
        root=line.root,
        present=present.head.id if present.head is not None and not present.changed else None,
        effects=tuple(effect for each in proposals for effect in each.effects),
        target=latest.id,
        title=_title(result),
        conflicts=tuple(conflicts),
        kept=(*kept, *(item for each in proposals for item in each.kept)),
        notes=(*result.notes, *(note for each in proposals for note in each.notes), *_unseen(line, latest, only)),
        hints=tuple(_by_hand(name, conflicts)),
        pending=tuple(asked),
        goes=tuple(goes),
    )


def _check_parts(latest: Snapshot, only: Sequence[str] | None) -> None:
    for part in only or ():
        if part not in latest.parts:
            raise NotFound(
                f"snapshot {short(latest.id)} has no part {part!r}", hints=[f"it has: {', '.join(latest.parts)}"]
            )
        if latest.parts[part].kind in FOLLOWING:
            raise InvalidInput(
                f"{part} is a conversation, which goes on where it is",
                hints=[f"`takeback restore {short(latest.id)} --only {part}` makes a session of it"],
            )


def _steps(writer: Writer, present: Part, old: Part, new: Part, before: Before | None, part: str) -> list[Step]:
    """What the fork did, told backwards, in the words of what is here: undo of that is the fork's result."""
    old, new = (homed(writer, each, present) for each in (old, new))
    then = before.fork.parts.get(part) if before is not None else None
    if before is None or then is None or then.kind != new.kind:
        return [Step(new, old, here=False)]
    then = homed(writer, then, present)
    if new.kind in DOCUMENTS:
        return [Step(new, old if present.content == old.content else then, here=False)]
    done = _done(writer, present, old, then, before, part)
    return [Step(then, old, leave=frozenset(done), here=False), Step(new, then, here=False)]


def _done(writer: Writer, present: Part, old: Part, then: Part, before: Before, part: str) -> Iterator[str]:
    """Paths that an earlier promote has brought, and that are not as the fork began again: what became of them since is
    this timeline's own."""
    opening, closing = (each.parts.get(part) for each in (before.opening, before.closing))
    if opening is None or closing is None:
        return
    was, came, now = (trees.TreeView(writer.reader, each.content) for each in (opening, closing, present))
    for path, began, brought in trees.compare(writer.reader, old.content, then.content):
        if now.get(path) != began and (came.get(path) == brought or came.get(path) != was.get(path)):
            yield path


def _before(line: Line, writer: Writer, result: Result) -> Before | None:
    """The newest promote of the fork that was not taken back."""
    with line.blobs.database.read() as tx:
        found = [
            (snapshots.by_id(tx, move.opening), snapshots.by_id(tx, move.closing))
            for move in move_rows.effective(tx, line.row(tx).number, (), verbs=("restore",))
            if move.title == _title(result) and move.closing is not None
        ]
    for opening, closing in found:
        if opening is None or closing is None:
            continue
        came = line.load(writer.reader, closing)
        target = came.context.get("target")
        with line.blobs.database.read() as tx:
            fork = snapshots.by_id(tx, target) if isinstance(target, str) else None
        if fork is not None and fork.timeline == result.kin.row.number:
            return Before(line.load(writer.reader, fork), line.load(writer.reader, opening), came)
    return None


def _title(result: Result) -> str:
    return f"promote {result.kin.row.name}"


def _unseen(line: Line, latest: Snapshot, only: Sequence[str] | None) -> Iterator[str]:
    """Notes on what the fork has and is not at hand here: nobody can say what would become of it."""
    for name, part in latest.parts.items():
        if only is None and part.kind in NAMED and name not in line.sources and (option := naming(part)):
            yield f"{called(part)} was not looked at, and stays as it is; add {option}"


_REASONS = {
    "it was made again since": "it was made here, too",
    "it was changed since the move made it": "it was changed here, and {name} removed it",
}
"""What is said of conflicts where undo speaks of a move."""


def _told(item: Kept, name: str) -> Kept:
    said = _REASONS.get(item.reason, item.reason.replace(" since", " here"))
    return replace(item, reason=said.format(name=name) if item.reason in _REASONS else said)


def _by_hand(name: str, conflicts: Sequence[Kept]) -> Iterator[str]:
    """How a person looks at both sides of a conflict, and takes the fork's."""
    if not conflicts:
        return
    paths = [shlex.quote(item.path) for item in conflicts if item.part == "workspace" and item.path.isprintable()]
    some = " ".join(paths) if 0 < len(paths) == len(conflicts) <= _FEW else "PATH"
    fork = shlex.quote(f"{name}@")
    yield f"`takeback diff @ {fork} -- {some}` shows both sides"
    yield f"`takeback restore {fork} {some}` takes the fork's; what is here now is saved first"
