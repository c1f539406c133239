"""restore: some parts or paths exactly as in a snapshot, in place or somewhere else."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from takeback.engine import pending
from takeback.engine.apply import carry_out
from takeback.engine.busy_paths import BusyPaths, past_busy
from takeback.engine.line import Line, Present
from takeback.engine.missed import check_held, not_now, why_not_then
from takeback.engine.naming import called, naming, not_at_hand, options
from takeback.engine.paths import clean, inside, meant, outside, states_at
from takeback.engine.references import Reference, find
from takeback.errors import InvalidInput, NotFound
from takeback.model.ids import short
from takeback.model.kinds import DOCUMENTS, FOLLOWING, NAMED
from takeback.model.plan import Effect, Going, Kept, Plan, Report, told
from takeback.model.progress import Watch
from takeback.model.snapshot import Part, Snapshot
from takeback.sources.homing import carried, homed
from takeback.sources.protocol import Made, Proposal, Source
from takeback.sources.trees import within
from takeback.store.reader import Reader
from takeback.store.writer import Writer

Paths = Iterable[str] | Mapping[str, Iterable[str]] | None
"""What is wanted: these paths, or of each part that is named these, and all of the others."""

Places = Mapping[str, object]
"""Where parts are to go, by their names: a directory, a container's name, whatever their sources know."""


def plan_restore(
    line: Line,
    reference: Reference,
    only: Iterable[str] | None = None,
    paths: Paths = None,
    watch: Watch | None = None,
    title: str = "",
) -> Plan:
    """What a restore would do now; nothing is touched."""
    with line.looking() as writer:
        target = find(line, writer.reader, reference)
        return _plan(line, writer, line.capture(writer, watch or Watch()), target, only, paths, title)


def restore(
    line: Line,
    reference: Reference,
    only: Iterable[str] | None = None,
    paths: Paths = None,
    watch: Watch | None = None,
    title: str = "",
) -> Report:
    """Make parts or paths exactly as in a snapshot; the present is saved first."""
    target: Snapshot | None = None

    def attempt(busy: BusyPaths) -> Report:
        nonlocal target
        with line.locked(), line.still(), line.writer() as writer:
            pending.settle(line, writer, watch or Watch())
            target = target or find(line, writer.reader, reference)  # a try adds to what `@-2` counts
            present = line.capture(writer, watch or Watch())
            plan = busy.leave(_plan(line, writer, present, target, only, paths, title))
            return carry_out(line, writer, plan, present, watch)

    return past_busy(line, attempt, edits=True)


def plan_to(line: Line, reference: Reference, places: Places, paths: Iterable[str] | None = None) -> Plan:
    """What `restore_to` would make; InvalidInput if it would refuse one of the places."""
    with line.blobs.reader() as reader:
        target = find(line, reader, reference)
        proposals = _plan_at(line, reader, target, places, clean(paths))
    where = ", ".join(dict.fromkeys(map(str, places.values())))
    return Plan(
        verb="restore",
        timeline=line.name,
        root=where,
        present=None,
        effects=tuple(effect for proposal in proposals for effect in proposal.effects),
        target=target.id,
        title=f"restore of {short(target.id)} to {where}",
        not_captured=target.not_captured,
        notes=tuple(note for proposal in proposals for note in proposal.notes),
    )


def restore_to(
    line: Line,
    reference: Reference,
    places: Places,
    paths: Iterable[str] | None = None,
) -> Report:
    """Put parts of a snapshot somewhere else, where nothing is that could be lost.

    Nobody waits for the disk: what a power cut costs there can be had again from here.
    """
    with line.blobs.reader() as reader:
        target = find(line, reader, reference)
        made = make_at(line, reader, target, places, paths, durable=False)
    changed = [path for each in made.values() for _, path in told(each.effects)]
    return Report(
        verb="restore",
        move=None,
        snapshot=target.id,
        safety="",
        changed=tuple(changed),
        merged=(),
        conflicts=(),
        kept=(),
        shared=(),
        outside=(),
        not_captured=target.not_captured,
        verified=True,
        notes=tuple(note for each in made.values() for note in each.notes),
        actions=dict.fromkeys(changed, "create"),
    )


def make_at(
    line: Line, reader: Reader, target: Snapshot, places: Places, paths: Iterable[str] | None = None, *, durable: bool
) -> dict[str, Made]:
    """Put parts of a snapshot somewhere else; nothing is made if one of the places is refused."""
    wanted = clean(paths)
    _plan_at(line, reader, target, places, wanted)
    return {
        name: _source_of(line, target, name).make_at(
            reader, place, target.parts[name], _inside(reader, target.parts[name], wanted), durable=durable
        )
        for name, place in places.items()
    }


def _inside(reader: Reader, part: Part, wanted: Sequence[str] | None) -> list[str] | None:
    return None if wanted is None else inside(reader, part, wanted)


def _plan_at(
    line: Line, reader: Reader, target: Snapshot, places: Places, wanted: Sequence[str] | None
) -> list[Proposal]:
    for name in places:
        check_held(line, reader, target, name)
        if name in target.parts and target.parts[name].kind in DOCUMENTS:
            raise InvalidInput(
                f"{name} is a value, and has no place in a directory",
                hints=[f"`takeback show {short(target.id)} --part {name}` shows it"],
            )
    return [
        _source_of(line, target, name).plan_at(
            reader, place, target.parts[name], _inside(reader, target.parts[name], wanted)
        )
        for name, place in places.items()
    ]


def _plan(
    line: Line,
    writer: Writer,
    present: Present,
    target: Snapshot,
    only: Iterable[str] | None,
    paths: Paths,
    title: str = "",
) -> Plan:
    by_part = {name: clean(some) for name, some in paths.items()} if isinstance(paths, Mapping) else None
    parts_of(target, by_part or ())  # a part that is not there would leave all others without a limit
    wanted = None if by_part is not None or isinstance(paths, Mapping) else clean(paths)
    effects: list[Effect] = []
    kept: list[Kept] = []
    notes: list[str] = []
    goes: list[Going] = []
    asked: list[str] = []
    planned: list[str] = []
    limits: list[Collection[str] | None] = []
    away: list[Part] = []
    rest = parts_of(target, only)
    for name in rest:
        part = target.parts[name]
        if only is None and part.kind in NAMED and name not in line.sources:
            away += [part] if wanted is None or meant(part, wanted, target.parts.values()) else []
            continue
        source = _source_of(line, target, name)
        if part.kind in DOCUMENTS:
            if wanted is not None and only is None:
                continue  # paths are meant, and it has none
            if (why := _why_not(present.parts.get(name), part)) is not None:
                kept.append(Kept(name, name, why))
                continue
            asked += [name] if line.is_elsewhere(name, present.parts) else []
        named = wanted if by_part is None else by_part.get(name)
        if part.kind in FOLLOWING | DOCUMENTS:
            named = None  # which has no paths, and comes back whole
        if named is not None and only is None and by_part is None:
            named = meant(part, named, target.parts.values())
            if not named:
                continue
        if name in target.missed:
            if only is not None:
                check_held(line, writer.reader, target, name)
            kept.append(Kept(name, name, why_not_then(target, name)))
            continue
        if name in present.missed:
            raise not_now(present, name, rest, f"restore {short(target.id)}")
        now = present.parts.get(name, part)
        mine = homed(writer, part, now) if (target.root, target.timeline) != (line.root, line.name) else part
        if named is not None:
            named = inside(writer.reader, mine, named)
            _check_paths(writer.reader, source, present.parts.get(name), target, named)
        planned.append(name)
        limits.append(named)
        proposal = source.plan(writer.reader, now, mine, named)
        if mine is not part:
            proposal = carried(writer, proposal, part)
        effects += proposal.effects
        kept += (*proposal.conflicts, *proposal.kept)
        notes += proposal.notes
        goes += proposal.goes
    _check_some(wanted, planned, away)
    return Plan(
        verb="restore",
        timeline=line.name,
        root=line.root,
        present=present.head.id if present.head is not None and not present.changed else None,
        effects=tuple(effects),
        target=target.id,
        title=title or _title(target, limits),
        kept=tuple(kept),
        not_captured=tuple(
            item for name, part in target.parts.items() if part not in away for item in part.not_captured
        ),
        notes=(*notes, *map(_not_at_hand, away), *(_not_held(line, target) if only is None and wanted is None else ())),
        pending=tuple(asked),
        goes=tuple(goes),
        exact=True,
    )


def _title(target: Snapshot, limits: Sequence[Collection[str] | None]) -> str:
    """What the move will be called: the paths that each part is limited to, unless one comes whole, and as they were where."""
    paths = [path for some in limits for path in some or ()]
    if not paths or None in limits:
        return f"restore {target.labels[0] if target.labels else short(target.id)}"
    where = f"‘{target.labels[0]}’" if target.labels else short(target.id)
    what = paths[0] if len(paths) == 1 else f"{len(paths)} paths"
    return f"restore {what.encode('utf-8', 'surrogateescape').decode('utf-8', 'replace')} as in {where}"


def _not_held(line: Line, target: Snapshot) -> Iterator[str]:
    """Notes on what is at hand and came only after the snapshot: a member that joined a team since."""
    for name, source in line.sources.items():
        if name not in target.parts and source.kind not in FOLLOWING | DOCUMENTS:
            yield f"the snapshot does not hold {name}, which stays as it is"


def _not_at_hand(part: Part) -> str:
    option = naming(part)
    return f"the snapshot holds {called(part)}, too, but {not_at_hand(part)}" + (f"; add {option}" if option else "")


def _check_some(wanted: Sequence[str] | None, planned: Sequence[str], away: Sequence[Part]) -> None:
    """InvalidInput if the paths that are wanted are all of what is not at hand, or of nothing that the snapshot holds."""
    if wanted is None or planned:
        return
    if not away:
        for path in (each for each in wanted if os.path.isabs(each)):
            raise outside(path)
        return
    raise InvalidInput(
        f"{', '.join(map(repr, wanted[:3]))} may be in {_any_of(away)} of that snapshot, but none is at hand",
        hints=[f"add {needed}"] if (needed := options(away)) else [],
    )


def _any_of(parts: Sequence[Part]) -> str:
    return " or ".join(f"a {kind}" for kind in sorted({part.kind for part in parts}))


def _why_not(present: Part | None, target: Part) -> str | None:
    """Why a value cannot be put back, if so."""
    if target.purged:
        return "it held something that was purged, and is not in the snapshot any more"
    if target.filed:
        return "it is read from the snapshot that holds it, so there is nothing to put back"
    return "this timeline does not have it any more: who has the object saves first" if present is None else None


def parts_of(target: Snapshot, only: Iterable[str] | None) -> list[str]:
    """The parts of a snapshot that are meant, all but those that only follow if none is named; NotFound if it lacks one."""
    if only is None:
        return sorted(name for name, part in target.parts.items() if part.kind not in FOLLOWING)
    names = list(only)
    for name in names:
        if name not in target.parts:
            raise NotFound(
                f"snapshot {short(target.id)} has no part {name!r}", hints=[f"it has: {', '.join(target.parts)}"]
            )
    return names


def _source_of(line: Line, target: Snapshot, name: str) -> Source:
    if name not in target.parts:
        raise NotFound(
            f"snapshot {short(target.id)} has no part {name!r}", hints=[f"it has: {', '.join(target.parts)}"]
        )
    return line.source(name, target.parts)


def _typed(part: Part, path: str) -> str:
    """How a path of a team, as plans name it, is typed; empty if it is none of this part's."""
    root, covers = part.detail.get("data_dir"), part.detail.get("covers")
    if part.kind != "team" or not isinstance(root, str) or not isinstance(covers, list):
        return ""
    return f"{root}/{path}" if within(covers, path) else ""


def _check_paths(reader: Reader, source: Source, present: Part | None, target: Snapshot, paths: Sequence[str]) -> None:
    """A path that is neither there now nor in the snapshot is most likely a typing error: say so."""
    for path in paths:
        parts = (target.parts[source.name], *((present,) if present is not None else ()))
        if all(states_at(reader, source, part, path) is None for part in parts):
            boxed = source.kind == "container"
            show = f"takeback show {short(target.id)}" + (f" --part {source.name}" if source.kind in NAMED else ":")
            raise NotFound(
                f"{path!r} is neither in snapshot {short(target.id)} nor there now",
                hints=[
                    *(
                        f"`{place}` is {called(part)}'s"
                        for part in target.parts.values()
                        if (place := _typed(part, path))
                    ),
                    f"`{show}` lists what it holds",
                    *(["what the image has, and nobody changed, is in no snapshot"] if boxed else []),
                ],
            )
