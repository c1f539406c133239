"""fork: a new timeline that starts at any snapshot, with all of its parts in places of their own.

All or nothing: every place is asked first; then everything is made, which is noted as it goes
(`takeback.engine.forknotes`); then all forks are recorded in one transaction. What fails before that takes with it what was
made; what is killed before that leaves a note, by which the next fork of the timeline does.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from functools import partial

from takeback.engine import forknotes, record
from takeback.engine.forknotes import Note, Thing
from takeback.engine.forkplaces import Wanted, check_free, in_directory, several, with_places
from takeback.engine.line import Line
from takeback.engine.manifest import encode_manifest, put_part
from takeback.engine.missed import check_held, why_not_then
from takeback.engine.pending import for_another
from takeback.engine.references import Reference, find
from takeback.engine.restore import Places
from takeback.errors import InvalidInput, NotFound, TakebackError
from takeback.model.ids import BlobKind
from takeback.model.kinds import DOCUMENTS, FOLLOWING
from takeback.model.progress import Watch
from takeback.model.snapshot import Part, Snapshot
from takeback.sources.protocol import Made, Source
from takeback.store.catalogue import timelines
from takeback.store.catalogue.database import Transaction
from takeback.store.locks import named_lock, root_lock
from takeback.store.reader import Reader
from takeback.store.writer import Writer

_NEW, _THERE, _MADE = "new", "there", "made"
"""What is noted of a place: that it is not there yet, or is; and that it is there now because of us."""


def fork(
    line: Line,
    reference: Reference,
    name: str,
    to: Places | str,
    without: Collection[str] = (),
    called: Places | None = None,
) -> Line:
    """Put a snapshot's parts into other places and begin a timeline there; the first one is left alone.

    ``to`` is a directory, beside which everything gets a place that is not ``called`` by the caller, or says where each part
    goes. A value needs no place: it
    comes along as it was, and is pending for the object that is to have it there.
    """
    with line.blobs.reader() as reader:
        target = find(line, reader, reference)
        if isinstance(to, str):
            wanted = in_directory(line, target, name, os.path.abspath(to), without, called or {})
        else:
            wanted = with_places(line, target, name, to, without)
        return _fork(line, reader, target, [wanted], without)[0]


def forks(
    line: Line, reference: Reference, name: str, number: int, directory: str, without: Collection[str] = ()
) -> list[Line]:
    """So many forks, each with a directory of its own name in ``directory``: all of them, or none."""
    with line.blobs.reader() as reader:
        target = find(line, reader, reference)
        each = several(name, number, os.path.abspath(directory))
        wanted = [in_directory(line, target, name, place, without) for name, place in each]
        return _fork(line, reader, target, wanted, without)


def _fork(
    line: Line, reader: Reader, target: Snapshot, wanted: Sequence[Wanted], without: Collection[str]
) -> list[Line]:
    notes = tidy(line, reader)
    check_free(line, target, wanted)
    with ExitStack() as locks:
        for lock in sorted(set(_locks(line, target, wanted))):
            locks.enter_context(named_lock(lock, line.patience, line.waiting))
        for each in wanted:
            _check_places(line, reader, target, each.places)
        head = {
            "store": str(line.blobs.path or ""),
            "root": line.root,
            "timeline": line.name,
            "target": target.id,
            "forks": [[root, each.name] for each in wanted for root in sorted(each.roots(line, target)) or [""]],
        }
        with forknotes.noting(_directory(line), head) as note:
            others: list[Line] = []
            try:
                for each in wanted:
                    made = _make(line, reader, target, each.places, note)
                    others.append(_begun(line, each.name, made))
                    said = (text for one in made.values() for text in one.notes)
                    others[-1].notes = (*notes, *said, *_missed(target, without))
                _record(line, target, others, without)
            except BaseException as error:
                _take_away(line, reader, target, note, others, error)
                raise
    return others


def tidy(line: Line, reader: Reader) -> list[str]:
    """Remove what forks of this timeline have left that were killed; what is to be said of it."""
    said: list[str] = []
    with forknotes.left(_directory(line), str(line.blobs.path or ""), line.root, line.name) as dead:
        for note in dead:
            if note.things and not _is_recorded(line, note.timelines):
                try:
                    target = find(line, reader, note.target)
                    still = _unmake(line, reader, target, note.things)
                except TakebackError as error:
                    still = [error.message]
                names = ", ".join(dict.fromkeys(name for _, name in note.timelines))
                if still:
                    said.append(
                        f"the fork {names} was not finished, and left what may be somebody else's: {_listed(still)}"
                    )
                    continue
                said.append(f"the fork {names} was not finished; what it had left is removed")
                for root, name in note.timelines:
                    if line.registers is not None and root:
                        line.registers.leave(root, name)
            forknotes.forget(note)
    return said


def _listed(left: Sequence[str]) -> str:
    return ", ".join(left[:5]) + (f" and {len(left) - 5} more" if len(left) > 5 else "")


def _directory(line: Line) -> str:
    return line.registers.directory if line.registers is not None else forknotes.default_directory()


def _locks(line: Line, target: Snapshot, wanted: Sequence[Wanted]) -> list[str]:
    """The locks of what is to be made and is no directory."""
    every = ((line.source(part, target.parts), place) for each in wanted for part, place in each.places.items())
    return [source.lock_at(place) for source, place in every if hasattr(source, "lock_at")]


def _check_places(line: Line, reader: Reader, target: Snapshot, places: Places) -> None:
    """Have every source look at its place, before anything is made."""
    for part, place in places.items():
        check_held(line, reader, target, part)
        held = _held(target, part)
        if held.kind in DOCUMENTS:
            raise InvalidInput(f"{part} is a value, and has no place in a directory: it comes along")
        line.source(part, target.parts).plan_at(reader, place, held, None)


def _held(target: Snapshot, part: str) -> Part:
    if part not in target.parts:
        raise NotFound(f"snapshot {target.id[:8]} has no part {part!r}", hints=[f"it has: {', '.join(target.parts)}"])
    return target.parts[part]


def _missed(target: Snapshot, without: Collection[str]) -> Iterator[str]:
    """What a fork goes without because its snapshot does."""
    for part in target.missed:
        if part not in without:
            yield f"{part} is left out: {why_not_then(target, part)}"


def _make(line: Line, reader: Reader, target: Snapshot, places: Places, note: Note) -> dict[str, Made]:
    """Make all parts of one fork, and note each before and after."""
    made: dict[str, Made] = {}
    for part, place in places.items():
        source = line.source(part, target.parts)
        if hasattr(source, "noting_at"):
            named, new = str(getattr(place, "name", place)), False
            place = source.noting_at(place, partial(_noting, note, part, named))
        else:
            named = os.path.abspath(str(place))
            new = not os.path.lexists(named)
        if new:
            _make_way(note, named)
        note.add(Thing(part, named, _NEW if new else _THERE, named))
        made[part] = source.make_at(reader, place, target.parts[part], None, durable=True)
        if new:
            note.add(Thing(part, named, _MADE, named))
    return made


def _noting(note: Note, part: str, place: str, kind: str, what: str) -> None:
    note.add(Thing(part, place, kind, what))


def _make_way(note: Note, place: str) -> None:
    """Make the directories above a place, so that it is known which of them were not there."""
    missing: list[str] = []
    above = os.path.dirname(os.path.abspath(place))
    while not os.path.lexists(above):
        missing.append(above)
        above = os.path.dirname(above)
    for each in reversed(missing):
        with suppress(OSError):  # whoever puts something there says why that is not possible
            os.mkdir(each)
            note.add(Thing("", each, _MADE, each))


def _begun(line: Line, name: str, made: Mapping[str, Made]) -> Line:
    sources: dict[str, Source] = {part: each.source for part, each in made.items()}
    rooted = [part for part, source in sources.items() if source.root]
    rooted.sort(key=lambda part: line.sources[part].root != line.root if part in line.sources else True)
    root = sources[rooted[0]].root if rooted else ""
    other = Line(line.blobs, root, name, sources, line.waiting, line.others)
    other.registers, other.patience = line.registers, line.patience
    return other


def _record(line: Line, target: Snapshot, others: Sequence[Line], without: Collection[str]) -> None:
    """Look at every fork once more, because the same files stand under other rules there, and record all of them at once."""
    with ExitStack() as stack:
        for root in sorted({root for other in others for root in other.roots()}):
            stack.enter_context(root_lock(root, line.patience, line.waiting))  # what has a name is locked already
        writer = stack.enter_context(line.blobs.writer())
        fresh = [_first(writer, other, target, without) for other in others]
        manifests = [writer.put(encode_manifest(each), BlobKind.MANIFEST) for each in fresh]
        for other in others:
            if line.registers is not None:
                line.registers.enter(line, other)

        def write(tx: Transaction) -> None:
            for other, snapshot, manifest in zip(others, fresh, manifests, strict=True):
                if timelines.find(tx, other.root, other.name) is not None:
                    raise InvalidInput(
                        f"somebody else has just begun a timeline {other.name!r} there", hints=["choose another name"]
                    )
                row = other.row_or_new(tx, target.id)
                record.append(tx, row.number, snapshot, manifest)

        writer.commit(write)


def _first(writer: Writer, other: Line, target: Snapshot, without: Collection[str]) -> Snapshot:
    """The snapshot that a fork begins with. A conversation goes along, though nobody continues it there yet."""
    writer.scope = other.scope()
    parts = {
        part: put_part(writer, source.capture(writer, target.parts[part], Watch()))
        for part, source in other.sources.items()
    }
    for name, part in target.parts.items():
        if name not in (*without, *parts, *target.missed) and part.kind in DOCUMENTS | FOLLOWING:
            parts[name] = for_another(part) if part.kind in DOCUMENTS else part
    context = {"fork_of": target.id, **({"notes": list(other.notes)} if other.notes else {})}
    return record.compose(other, writer, None, parts, trigger="fork", context=context, before={})


def _take_away(
    line: Line, reader: Reader, target: Snapshot, note: Note, others: Sequence[Line], error: BaseException
) -> None:
    """Remove what was made for forks that there will not be; unless they are recorded, and what failed came later."""
    if others and _is_recorded(line, [(other.root, other.name) for other in others]):
        return
    try:
        left = _unmake(line, reader, target, note.things)
    except Exception as failure:  # what made it fail may make this fail, too; the next try comes back to it
        left = [str(failure)]
    for other in others:
        if line.registers is not None and other.root:
            line.registers.leave(other.root, other.name)
    if left:
        note.stays = True
        if isinstance(error, TakebackError):
            error.hints = (*error.hints, f"what could not be removed of it: {_listed(left)}; the next fork tries again")


def _is_recorded(line: Line, made: Sequence[tuple[str, str]]) -> bool:
    with line.blobs.database.read() as tx:
        return any(timelines.find(tx, root, name) is not None for root, name in made)


def _unmake(line: Line, reader: Reader, target: Snapshot, things: Sequence[Thing]) -> list[str]:
    """Remove what was noted, newest first; what is left."""
    left: list[str] = []
    for part, place in dict.fromkeys((thing.part, thing.place) for thing in reversed(things) if thing.part):
        source = line.find_source(part, target.parts)
        unmake = getattr(source, "unmake_at", None)
        if part not in target.parts or unmake is None:
            left.append(place)
            continue
        noted = [(each.kind, each.what) for each in things if (each.part, each.place) == (part, place)]
        left += unmake(reader, place, target.parts[part], noted)
    for thing in reversed(things):
        if not thing.part and thing.kind == _MADE:
            with suppress(OSError):
                os.rmdir(thing.place)
    return left
