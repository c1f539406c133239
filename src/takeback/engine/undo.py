"""undo and redo: what taking moves back would do, and doing it. Which moves are meant: `takeback.engine.candidates`."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from takeback.engine import by_hand, conversation, pending
from takeback.engine.apply import carry_out
from takeback.engine.attribution import PRESENT, OwnedStep, owned_steps
from takeback.engine.busy_paths import BusyPaths, past_busy
from takeback.engine.candidates import Wish, candidates, nothing_to_redo, open_manual, undos_to_redo
from takeback.engine.chosen import chosen, named
from takeback.engine.dealt_paths import DealtPaths
from takeback.engine.doubts import Doubts
from takeback.engine.line import Line, Present
from takeback.engine.lost_steps import lost_paths, lost_since, lost_steps
from takeback.engine.merge_ahead import without_long_merges
from takeback.engine.missed import not_now, reason
from takeback.engine.naming import called, naming, not_at_hand, options
from takeback.engine.outside import happened_beside
from takeback.engine.paths import clean
from takeback.engine.references import resolve
from takeback.engine.snapshot_parts import SnapshotParts
from takeback.engine.step_verdicts import judged
from takeback.errors import NotFound, Partial
from takeback.model.ids import short
from takeback.model.kinds import DOCUMENTS, FOLLOWING, NAMED
from takeback.model.move import AGENT_LEVELS, LEFT, Move
from takeback.model.plan import Choice, Effect, Going, Kept, Lost, Plan, Report
from takeback.model.progress import Watch
from takeback.model.snapshot import NotCaptured, Part
from takeback.sources import trees
from takeback.sources.protocol import Proposal, Step
from takeback.sources.trees import within
from takeback.sources.workspace.lost import has_lost
from takeback.store.catalogue import moves, snapshots
from takeback.store.reader import Reader
from takeback.store.writer import Writer


@without_long_merges
def plan_undo(line: Line, wish: Wish, watch: Watch | None = None) -> Plan:
    """What undo would do now; nothing is touched."""
    with line.looking() as writer:
        return _undo(line, writer, line.capture(writer, watch or Watch()), wish)


@without_long_merges
def undo(line: Line, wish: Wish, watch: Watch | None = None) -> Report:
    """Take back what was asked for, and nothing else."""
    wish.check()
    meant = wish

    def attempt(busy: BusyPaths) -> Report:
        nonlocal meant
        with line.locked(), line.still(), line.writer() as writer:
            present = pending.begin(line, writer, watch or Watch())
            meant = _fixed(line, meant)
            return carry_out(line, writer, busy.leave(_undo(line, writer, present, meant)), present, watch)

    return past_busy(line, attempt)


@without_long_merges
def undo_choices(line: Line, wish: Wish, watch: Watch | None = None) -> tuple[Choice, ...]:
    """The moves that plain undo can take now: what it takes without a question comes first. Nothing is touched."""
    with line.looking() as writer:
        if line.head() is None:
            return ()
        present = line.capture(writer, watch or Watch())
        wish = _checked(line, present, wish)
        try:
            targets, plan = _select(line, writer, present, wish)
        except NotFound:
            return _persons_own(line, writer.reader, present, wish)
        return (_choice(targets[0]), *plan.others)


def _fixed(line: Line, wish: Wish) -> Wish:
    """The same wish with the id of the snapshot that it names: each try of an undo adds to what `@-2` counts."""
    if wish.since is None:
        return wish
    with line.blobs.database.read() as tx:
        return wish._replace(since=resolve(tx, line, wish.since, wish.session).id)


@without_long_merges
def plan_redo(line: Line, move: str | None, watch: Watch | None = None) -> Plan:
    """What redo would do now; nothing is touched."""
    with line.looking() as writer:
        return _redo(line, writer, line.capture(writer, watch or Watch()), move)


@without_long_merges
def redo(line: Line, move: str | None, watch: Watch | None = None) -> Report:
    """Take back an undo."""

    def attempt(busy: BusyPaths) -> Report:
        with line.locked(), line.still(), line.writer() as writer:
            present = pending.begin(line, writer, watch or Watch())
            return carry_out(line, writer, busy.leave(_redo(line, writer, present, move)), present, watch)

    return past_busy(line, attempt)


def _undo(line: Line, writer: Writer, present: Present, wish: Wish) -> Plan:
    wish = _checked(line, present, wish)
    if wish.only == (conversation.PART,):
        return _conversation_alone(line, writer.reader, present, wish)
    return _select(line, writer, present, wish)[1]


def _checked(line: Line, present: Present, wish: Wish) -> Wish:
    """What was asked for, with clean paths; an error if it names what is not there."""
    wish.check()
    _check_parts(line, present, wish)
    if wish.paths is None:
        return wish
    return wish._replace(paths={part: tuple(clean(some) or ()) for part, some in wish.paths.items()})


def _select(line: Line, writer: Writer, present: Present, wish: Wish) -> tuple[list[Move], Plan]:
    """The first candidates that still have an effect, and the plan that takes them back."""
    passed: list[str] = []
    lost: list[Lost] = []
    for targets, after_seq in candidates(line, wish):
        plan = _plan(line, writer.reader, present, "undo", targets, after_seq, wish)
        partial = _lost(line, writer.reader, present, targets, after_seq, wish)
        plan = replace(plan, partial=(*plan.partial, *partial), lost=(*lost, *plan.lost))
        if not plan.empty:
            if wish.only is None and conversation.can_be_put_back(targets[-1]):
                plan = replace(plan, notes=(*plan.notes, _about_conversation(targets[-1])))
            elif wish.only is not None and conversation.PART in wish.only:
                said = conversation.plan_before(line, writer.reader, present, targets)
                plan = replace(plan, effects=(*plan.effects, *said.effects), notes=(*plan.notes, *said.notes))
            notes = (*plan.notes, *_not_looked_at(line, present, wish, plan.kept))
            others = _persons_own(line, writer.reader, present, wish)
            return targets, replace(plan, moves=(*plan.moves, *passed), notes=notes, others=others)
        if plan.stuck:
            others = _persons_own(line, writer.reader, present, wish)
            hints = (*plan.hints, *by_hand.instead(line, plan, targets))
            return targets, replace(plan, hints=hints, others=others)
        lost = list(plan.lost)
        if any(each.counts for each in lost):  # what it did stands, and cannot be taken back: it stays the newest
            raise _only_lost(lost, by_hand.instead(line, plan, targets))
        if wish.paths is None and not partial:  # a move that changed other paths stays
            passed += (move.id for move in targets if not move.open)
        if wish.move is not None:
            raise NotFound(
                f"there is nothing left of move {short(targets[0].id)} to take back",
                hints=_why_nothing(targets[0], partial),
            )
    unseen = list(_not_looked_at(line, present, wish, ()))
    own = _persons_own(line, writer.reader, present, wish)
    left = _of_left(line, writer.reader, present, wish)
    instead = [*unseen, *map(_of_own, own), *left] or list(_of_saves(line, wish))
    raise NotFound(
        "there is nothing to undo" if not own else "there is nothing of an agent's to undo",
        hints=[*instead, "`takeback log` shows what was recorded"],
    )


def _why_nothing(move: Move, partial: Sequence[Kept]) -> list[str]:
    hints = []
    if (by := move.undone_by) is not None:
        hints.append(f"it was taken back by {short(by)}; `takeback redo {short(by)}` brings it back")
    if partial:
        hints.append(f"snapshots of it were removed, so it is not known what it did to {partial[0].path} and others")
    return hints


def _lost(
    line: Line, reader: Reader, present: Present, targets: Sequence[Move], after_seq: int, wish: Wish
) -> tuple[Kept, ...]:
    """What the moves did that is not known any more, because snapshots were removed."""
    with line.blobs.database.read() as tx:
        timeline = line.row(tx).number
        if wish.since is not None:
            steps = lost_since(tx, timeline, resolve(tx, line, wish.since, wish.session))
        else:
            steps = lost_steps(tx, timeline, targets, after_seq)
    names = [name for name in _meant(line, present) if wish.wants(name)] if steps else []
    return lost_paths(line, reader, steps, names, wish.paths)


def _persons_own(line: Line, reader: Reader, present: Present, wish: Wish) -> tuple[Choice, ...]:
    """A person's own open move, where plain undo takes agents' moves and hers has an effect."""
    if not wish.is_plain or wish.session is not None:
        return ()
    with line.blobs.database.read() as tx:
        own = open_manual(tx, line.row(tx).number)
    if own is None or _plan(line, reader, present, "undo", [own], 0, wish).empty:
        return ()
    return (replace(_choice(own), needs_level=True),)


def _choice(move: Move) -> Choice:
    return Choice(move.id, move.level, move.about, move.session)


def _of_own(own: Choice) -> str:
    return f"{own.title} are your own: `takeback undo --level manual` takes them back"


def _only_lost(lost: Sequence[Lost], instead: Iterable[str]) -> Partial:
    """There is nothing to undo but what no snapshot holds."""
    return Partial(
        "nothing can be taken back: no snapshot holds what was removed or replaced\n  "
        + "\n  ".join(each.words for each in lost),
        hints=[*instead, "`include` in takeback.toml has ignored files captured, too"],
    )


def _of_left(line: Line, reader: Reader, present: Present, wish: Wish) -> Iterator[str]:
    """A hint at what the last undo left because it may be somebody else's, where that still stands."""
    if wish.shared or not wish.is_plain:
        return
    with line.blobs.database.read() as tx:
        undo = next(moves.effective(tx, line.row(tx).number, (), verbs=("undo",)), None)
        ids = moves.targets(tx, undo.id) if undo is not None and undo.context.get(LEFT) else []
        left = [move for id in ids if (move := moves.by_id(tx, id)) is not None and move.level in AGENT_LEVELS]
    for move in left:
        if not _plan(line, reader, present, "undo", [move], 0, wish._replace(shared=True)).empty:
            yield f"`takeback undo {short(move.id)} --shared` takes back what an earlier undo left of it"


def _of_saves(line: Line, wish: Wish) -> Iterator[str]:
    """A hint at what was saved between agents' turns, which undo passes over where there are turns."""
    if wish == Wish():
        if next(candidates(line, Wish(level="manual")), None) is not None:
            yield "what saves recorded beside the agents' turns: `takeback undo --level manual`"


def _about_conversation(move: Move) -> str:
    return (
        f"the agent still remembers it; `takeback undo {short(move.id)} --only transcript` makes a session of the "
        "conversation before it"
    )


def _check_parts(line: Line, present: Present, wish: Wish) -> None:
    for part in (*(wish.only or ()), *(wish.paths or ())):
        if part not in _meant(line, present) and part != conversation.PART:
            known = ", ".join((*sorted(_meant(line, present)), conversation.PART))
            raise NotFound(f"there is no part {part!r} here", hints=[f"parts are: {known}"])


def _conversation_alone(line: Line, reader: Reader, present: Present, wish: Wish) -> Plan:
    """The conversation as it was before what was asked for; files, and whether the move stands, are left as they are."""
    targets, _ = next(candidates(line, wish), ([], 0))
    if not targets:
        raise NotFound("there is no move whose conversation could be put back", hints=["`takeback log` shows moves"])
    said = conversation.plan_before(line, reader, present, targets)
    if not said.effects:
        raise NotFound(", ".join(said.notes) or "there is no conversation before it")
    return Plan(
        verb="restore",
        timeline=line.name,
        root=line.root,
        present=present.head.id if present.head is not None and not present.changed else None,
        effects=said.effects,
        target=targets[-1].opening,
        title=f"the conversation before “{targets[-1].about}”",
        notes=said.notes,
    )


def _redo(line: Line, writer: Writer, present: Present, move: str | None) -> Plan:
    with line.blobs.database.read() as tx:
        targets = undos_to_redo(tx, line, move)
    for target in targets:
        plan = _plan(line, writer.reader, present, "redo", [target], 0, Wish(shared=True))
        if not plan.empty or plan.stuck:
            return plan
        if move is not None or not _only_asked(line, writer.reader, target):
            raise NotFound(f"there is nothing left of undo {short(target.id)} to take back")
    raise nothing_to_redo()


def _only_asked(line: Line, reader: Reader, undo: Move) -> bool:
    """Whether an undo changed nothing: it asked owners for what they had saved last, and no more."""
    with line.blobs.database.read() as tx:
        ends = [snapshots.by_id(tx, id) for id in (undo.opening, undo.closing) if id is not None]
    old, new = (line.load(reader, row).parts if row is not None else {} for row in ends)
    return old.keys() == new.keys() and all(part.same_state(old[name]) for name, part in new.items())


def _plan(
    line: Line, reader: Reader, present: Present, verb: str, targets: Sequence[Move], after_seq: int, wish: Wish
) -> Plan:
    """The plan that takes back some moves together."""
    states = {name for name, part in present.parts.items() if part.kind in DOCUMENTS}
    with line.blobs.database.read() as tx:
        timeline = line.row(tx).number
        steps = owned_steps(tx, timeline, targets, after_seq)
        spoken = owned_steps(tx, timeline, targets, after_seq, memory=True) if states else []
        is_cut = any(move.opening_seq < after_seq for move in targets)
        cut = snapshots.between(tx, timeline, after_seq, after_seq) if is_cut else []
    parts = SnapshotParts(line, reader, present)
    dealt_paths = DealtPaths(line, reader, parts)
    effects: list[Effect] = []
    conflicts: list[Kept] = []
    kept: list[Kept] = []
    notes: list[str] = []
    goes: list[Going] = []
    gone: list[Lost] = []
    common: dict[str, None] = {}
    doubts = Doubts()
    stays: dict[str, None] = {}
    passing: list[Kept] = []
    blind: list[Kept] = []
    asked: list[str] = []
    is_left = False
    for name in _meant(line, present):
        if not wish.wants(name):
            continue
        source = line.source(name, present.parts)
        paths = _paths(reader, present, name, wish)
        elsewhere = line.is_elsewhere(name, present.parts)
        in_doubt = elsewhere and parts.in_doubt(name, targets)
        mine: list[Step] = []
        lost = False
        unseen = ""
        for step in spoken if name in states else steps:
            old, new = parts.at(step.before).get(name), parts.at(step.after).get(name)
            unseen = unseen or parts.missed_at(step.before, name) or parts.missed_at(step.after, name)
            if old is None or new is None:
                continue
            is_open_ended = any(claim.mine and claim.stretch and not claim.stretch.is_sure for claim in step.claims)
            whole = Step(old, new, certain=targets[0].level == "takeback", open_ended=is_open_ended)
            if new.same_state(old) and not (elsewhere and pending.is_request(whole)) and not has_lost(reader, old, new):
                continue
            if old.purged or new.purged:
                lost = True
                continue
            dealt = dealt_paths.of(step, name) if step.later and name not in states else frozenset[str]()
            if name in states:
                leave, unclear = _shares(reader, line, name, old, new, step, wish.shared)
                common |= dict.fromkeys(path for path in unclear if within(paths, path))
            else:
                found = judged(line, reader, parts, name, step, doubts.spent).without(dealt)
                leave = doubts.settle(present.parts[name], reader, found, wish, paths)
                passing += (
                    Kept(name, path, _came_and_went(step, path)) for path in doubts.passing if path in found.made
                )
                whole = whole._replace(unsure=frozenset(found.undecided))
            _append(mine, whole._replace(leave=leave | dealt))
        if lost:
            kept.append(Kept(name, name, "it held something that was purged"))
        elif unseen:
            blind.append(Kept(name, name, f"it could not be captured at one end of the move: {reason(unseen)}"))
        elif mine and name in present.missed:
            raise not_now(present, name, _rest(line, present, wish), f"{verb} {short(targets[0].id)}")
        elif mine or in_doubt:
            proposal = source.revert(reader, present.parts[name], mine)
            if elsewhere:
                proposal, is_asked = _of_owner(present.parts[name], mine, proposal, in_doubt=in_doubt)
                asked += [name] if is_asked else []
            every = proposal.effects
            if paths is not None:
                proposal, left = chosen(proposal, paths)
                stays |= dict.fromkeys(left)
            proposal, spared = _without(proposal, wish.keep.get(name, ()))
            if unasked := {effect.path for effect in every} - {effect.path for effect in proposal.effects}:
                if any(effect.after is not None for effect in every if effect.path in unasked):
                    alone = [step._replace(leave=step.leave | unasked) for step in mine]
                    proposal = _without_halves(proposal, source.revert(reader, present.parts[name], alone))
            kept += spared
            is_left = is_left or bool(spared)
            effects += proposal.effects
            conflicts += proposal.conflicts
            kept += proposal.kept
            notes += proposal.notes
            goes += proposal.goes
            gone += proposal.lost
    changed = {effect.path for effect in effects}
    common |= dict.fromkeys(path for path in doubts.left if path not in changed)
    if effects or conflicts or kept or common or asked:
        kept += blind  # where there is nothing else, nothing is known of the move, and an older one is meant
    beside = happened_beside(line, present, targets)
    away = _not_at_hand(line, parts, present, steps, wish)
    kept += (Kept(part.name, part.name, not_at_hand(part)) for part in away)
    if stays:
        rest = (
            f"`takeback {verb} {short(targets[0].id)}` takes it back, too"
            if len(targets) == 1
            else "it can be had later"
        )
        notes.append(f"{len(stays):,} other {'path' if len(stays) == 1 else 'paths'} left as asked; {rest}")
    return Plan(
        verb=verb,
        timeline=line.name,
        root=line.root,
        present=present.head.id if present.head is not None and not present.changed else None,
        effects=tuple(effects),
        moves=tuple(move.id for move in targets),
        title=targets[0].about if len(targets) == 1 else f"{len(targets)} moves",
        conflicts=tuple(conflicts),
        kept=tuple(kept),
        shared=tuple(common),
        outside=beside.outside,
        not_captured=_left_out(line, present),
        notes=tuple(notes),
        pending=tuple(asked),
        left=is_left,
        partial=tuple(passing),
        goes=tuple(goes),
        lost=tuple(gone),
        partly=bool(stays or cut) or wish.only is not None,
        after=cut[0].id if cut else None,
        again=tuple(sorted(changed & (doubts.left.keys() | doubts.again.keys()))),
        in_part=tuple(sorted(changed & doubts.left.keys())),
        undecided=doubts.grouped(),
        while_running=doubts.ran(effects),
        brought_back=doubts.brought_back(effects),
        hints=(
            *by_hand.of_values([item.part for item in conflicts if item.part in states], spoken),
            *by_hand.of_paths(line, present, [item for item in conflicts if item.part not in states], steps),
            *beside.hints,
            *_with_them(verb, targets, away, present, is_done=bool(effects)),
        ),
    )


def _not_at_hand(
    line: Line, parts: SnapshotParts, present: Present, steps: Sequence[OwnedStep], wish: Wish
) -> list[Part]:
    """What the moves changed that is not at hand, so that nothing of it is taken back here."""
    found = []
    for name, part in present.parts.items():
        if part.kind not in NAMED or name in line.sources or not wish.wants(name):
            continue
        ends = ((parts.at(step.before).get(name), parts.at(step.after).get(name)) for step in steps)
        if any(old is not None and new is not None and not new.same_state(old) for old, new in ends):
            found.append(part)
    return found


def _not_looked_at(line: Line, present: Present, wish: Wish, kept: Sequence[Kept]) -> Iterator[str]:
    """Notes on what this timeline holds that is not at hand: nobody knows what has changed in it since."""
    said = {item.part for item in kept}
    unseen: dict[str, list[Part]] = {}
    for name, part in present.parts.items():
        if part.kind in NAMED and name not in line.sources and name not in said and wish.wants(name):
            if option := naming(part):
                unseen.setdefault(option, []).append(part)
    for option, missing in unseen.items():
        was, stays = ("was", "stays as it is") if len(missing) == 1 else ("were", "stay as they are")
        yield f"{', '.join(map(called, missing))} {was} not looked at, and {stays}; add {option}"


def _with_them(
    verb: str, targets: Sequence[Move], away: Sequence[Part], present: Present, *, is_done: bool
) -> Iterator[str]:
    """An undo can be asked for again; an undo that was redone, though only in part, cannot be redone again."""
    if needed := options(away, present.parts.values()):
        again = f"{verb} {short(targets[0].id)}"
        if verb == "redo" and is_done:
            again = f"restore {short(targets[0].opening)} --only {','.join(part.name for part in away)}"
        yield f"`takeback {again} {needed}` {'brings it' if verb == 'redo' else 'takes it back'} there, too"


def _meant(line: Line, present: Present) -> list[str]:
    """The parts that can be taken back: those with a source here, and values whose objects live elsewhere."""
    absent = [name for name, part in present.parts.items() if line.is_absent(name, present.parts) and not part.filed]
    return [*line.sources, *absent]


def _of_owner(now: Part, steps: Sequence[Step], proposal: Proposal, *, in_doubt: bool) -> tuple[Proposal, bool]:
    """What is done to a value that another process has, and whether its owner has more to do then than before."""
    if proposal.conflicts:
        return proposal, False
    for effect in proposal.effects:
        return proposal, effect.after is None or pending.is_asked(now, steps, effect.after.id, in_doubt=in_doubt)
    if in_doubt:
        return proposal, not now.pending
    request = next((step for step in steps if pending.is_request(step)), None)
    if request is None or not pending.stands(now, request):
        return proposal, False
    if not now.pending:
        return proposal, True
    note = f"{now.name}: its owner is not asked any more, and keeps what it has"
    return proposal._replace(effects=(pending.withdrawn(now),), notes=(*proposal.notes, note)), False


def _rest(line: Line, present: Present, wish: Wish) -> list[str]:
    return [name for name in _meant(line, present) if wish.wants(name)]


def _shares(
    reader: Reader, line: Line, part: str, old: Part, new: Part, step: OwnedStep, shared: bool
) -> tuple[frozenset[str], list[str]]:
    """In a contested step: the paths to leave alone, and those of them that may be anybody's."""
    if not step.contested:
        return frozenset(), []
    foreign: list[str] = []
    unclear: list[str] = []
    for change in line.source(part, {part: new}).diff(reader, old, new):
        mine, theirs = within(step.own, change.path), within(step.foreign, change.path)
        if mine == theirs:
            unclear.append(change.path)
        elif theirs:
            foreign.append(change.path)
    return frozenset(foreign if shared else (*foreign, *unclear)), [] if shared else unclear


def _append(steps: list[Step], step: Step) -> None:
    """Add a step, newest first; joined with the one after it where nothing lies between and nothing is left."""
    is_one = bool(steps) and steps[-1].before is step.after and not steps[-1].leave and not step.leave
    if is_one and not step.open_ended and not steps[-1].open_ended:
        steps[-1] = step._replace(
            after=steps[-1].after,
            through=(*steps[-1].through, step.after),
            unsure=steps[-1].unsure | step.unsure,
        )
    else:
        steps.append(step)


def _without(proposal: Proposal, keep: Sequence[str]) -> tuple[Proposal, list[Kept]]:
    """A proposal that leaves alone what a person asked to keep."""
    if not keep:
        return proposal, []
    spared = [effect for effect in proposal.effects if within(keep, effect.path)]
    above = {parent for effect in spared if effect.before is not None for parent in trees.parents(effect.path)}
    effects = tuple(
        effect
        for effect in proposal.effects
        if effect not in spared and not (effect.path in above and effect.after is None)
    )
    told = [Kept(effect.part, effect.path, "you asked to keep it") for effect in spared]
    return proposal._replace(effects=effects), told


def _came_and_went(step: OwnedStep, path: str) -> str:
    command = next((claim.command for claim in step.claims if claim.mine), "a command")
    has_it = "" if step.after is PRESENT else f"; `takeback restore {short(step.after.id)} {shlex.quote(path)}` has it"
    return f"it came and went, and nothing tells whether “{command[:60]}” made it{has_it}"


def _without_halves(proposal: Proposal, alone: Proposal) -> Proposal:
    """A choice of paths without those that would lose something if nothing else is done: what was renamed, and does not get
    its old name back. ``alone`` is what would be done if the steps had not touched any other path."""
    refused = {item.path: item for item in alone.conflicts}
    halves = [effect for effect in proposal.effects if effect.path in refused]
    effects = tuple(effect for effect in proposal.effects if effect not in halves)
    return proposal._replace(
        effects=effects, conflicts=(*proposal.conflicts, *(refused[effect.path] for effect in halves))
    )


def _paths(reader: Reader, present: Present, part: str, wish: Wish) -> list[str] | None:
    """The paths of a part that were chosen; None for all of it. A value has none, and is taken back whole."""
    if wish.paths is None or part not in wish.paths or present.parts[part].kind in FOLLOWING | DOCUMENTS:
        return None
    return named(reader, present.parts[part], wish.paths[part])


def _left_out(line: Line, present: Present) -> tuple[NotCaptured, ...]:
    looked_at = (part for name, part in present.parts.items() if part.kind not in NAMED or name in line.sources)
    return tuple(item for part in looked_at for item in part.not_captured)
