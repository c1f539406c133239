"""Looking back without touching anything: log, show, read, diff."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from takeback.engine import journal
from takeback.engine.line import Line
from takeback.engine.missed import check_held
from takeback.engine.paths import meant, states_at, within_part
from takeback.engine.references import Reference, find
from takeback.errors import InvalidInput, NotFound
from takeback.model.ids import short
from takeback.model.kinds import DOCUMENTS, NAMED
from takeback.model.move import Move
from takeback.model.progress import Watch
from takeback.model.snapshot import PURGED, Part, Snapshot
from takeback.model.tree import Entry
from takeback.sources.protocol import Looks
from takeback.sources.trees import within
from takeback.store.blobstore import BlobStore
from takeback.store.catalogue import moves, snapshots, timelines
from takeback.store.catalogue.snapshots import SnapshotRow
from takeback.store.reader import Reader

if TYPE_CHECKING:
    from takeback.model.diff import Change, Diff, Difference
    from takeback.model.team import TeamDiff

Unknown = Literal["refuse", "record"]
"""What becomes of instances whose classes are not known: InvalidInput, or records to look at."""

_MOST = 1 << 40
"""What a catalogue can count to, and more than it can hold."""


@dataclass(frozen=True, slots=True)
class Log:
    """Snapshots and moves of a timeline, newest first."""

    snapshots: tuple[SnapshotRow, ...] = ()
    moves: tuple[Move, ...] = ()


def log(line: Line, limit: int | None = None, session: str | None = None, path: str | None = None) -> Log:
    """What was recorded, newest first; with ``path``, the snapshots in which it changed. Empty before the first save."""
    if limit is not None and not 0 <= limit <= _MOST:
        raise InvalidInput(f"a log cannot be limited to {limit} snapshots", hints=[f"to 0 or more, up to {_MOST:,}"])
    with line.blobs.database.read() as tx:
        row = timelines.find(tx, line.root, line.name)
        if row is None:
            return Log()
        if path is None:
            found = snapshots.newest(tx, row.number, limit, session)
        else:
            found = snapshots.newest(tx, row.number, None, session)
        some = moves.newest(tx, row.number, limit, session)
    if path is not None:
        found = _touching(line, found, path, limit)
    return Log(tuple(found), tuple(some))


def show(line: Line, reference: Reference, session: str | None = None) -> Snapshot:
    with line.blobs.reader() as reader:
        return find(line, reader, reference, session)


def parts_of(blobs: BlobStore, id: str) -> Mapping[str, Part]:
    """The parts of a snapshot of any timeline, by its whole id; none if there is no such snapshot."""
    from takeback.engine.manifest import load_snapshot

    with blobs.reader() as reader:
        with blobs.database.read() as tx:
            row = snapshots.by_id(tx, id)
        return {} if row is None else load_snapshot(reader, row).parts


def read(line: Line, reference: Reference, path: str, part: str = "workspace") -> bytes:
    """The bytes of one file as a snapshot has it."""
    return b"".join(stream(line, reference, path, part))


def stream(line: Line, reference: Reference, path: str, part: str = "workspace") -> Iterator[bytes]:
    """The same, piece by piece."""
    with line.blobs.reader() as reader:
        snapshot = find(line, reader, reference)
        held = _held(line, reader, snapshot, part)
        yield from _looker(line, part, held).read(reader, held, _read_from(reader, held, path))


def content(line: Line, path: str, entry: Entry) -> bytes:
    """The bytes of a file, or a link's target, by what a snapshot has at its path."""
    from takeback.sources.rooted import exactly

    with line.blobs.reader() as reader:
        return b"".join(exactly(entry.size, reader.stream(entry.id), path))


def files(line: Line, reference: Reference, path: str = "", part: str = "workspace") -> Iterator[tuple[str, Entry]]:
    """Everything that a part holds at and below a path."""
    with line.blobs.reader() as reader:
        snapshot = find(line, reader, reference)
        held = _held(line, reader, snapshot, part)
        wanted = [_read_from(reader, held, path)]
        for change in _looker(line, part, held).diff(reader, None, held, wanted):
            if change.after is not None and within(wanted, change.path):
                yield change.path, change.after


def _looker(line: Line, name: str, part: Part) -> Looks:
    return line.looker(name, part) or line.source(name, {name: part})


def _read_from(reader: Reader, part: Part, path: str) -> str:
    """A path as a part has it; one that begins with a slash is absolute only in a container, or below a team's directory."""
    return within_part(reader, part, path) if part.kind in NAMED else path.strip("/")


def interrupted(line: Line) -> int | None:
    """When a restore of the line began that has not ended."""
    return journal.interrupted(line)


def diff(
    line: Line,
    a: Reference,
    b: Reference | None = None,
    paths: Sequence[str] | None = None,
    watch: Watch | None = None,
) -> Diff:
    """What differs between two snapshots, or between one and the present."""
    if b is None:
        with line.looking() as writer:
            old = find(line, writer.reader, a)
            now = line.capture(writer, watch or Watch())
            return _diff(line, writer.reader, old, dict(now.parts), None, paths, now.reasons)
    with line.blobs.reader() as reader:
        old, new = find(line, reader, a), find(line, reader, b)
        if (old.root, old.timeline) == (new.root, new.timeline):
            return _diff(line, reader, old, dict(new.parts), new.id, paths, new.missed)
    from takeback.sources.homing import homed

    with line.blobs.scratch() as writer:
        parts = {name: homed(writer, part, old.parts.get(name, part)) for name, part in new.parts.items()}
        return _diff(line, writer.reader, old, parts, new.id, paths, new.missed)


def changes(line: Line, reference: Reference) -> Diff | None:
    """What differs in a snapshot from the one before it, if that is still there."""
    with line.blobs.reader() as reader:
        new = find(line, reader, reference)
        if new.parent is None:
            return None
        try:
            old = find(line, reader, new.parent)
        except NotFound:
            return None
        return _diff(line, reader, old, dict(new.parts), new.id, None, new.missed)


def value(line: Line, reference: Reference, name: str, types: Iterable[type], unknown: Unknown) -> Any:
    """A value as a snapshot has it, made anew."""
    with line.blobs.reader() as reader:
        snapshot = find(line, reader, reference)
        part = _held(line, reader, snapshot, name)
        if part.kind not in DOCUMENTS:
            raise InvalidInput(f"the part {name!r} is of the kind {part.kind!r}, and is no value")
        if part.purged:
            raise NotFound(f"{name} is not in snapshot {short(snapshot.id)} any more: it held what was purged")
        from takeback import documents
        from takeback.sources.valued import Valued

        source = line.sources.get(name)
        if isinstance(source, Valued) and unknown == "refuse":
            return source.value(reader, part, types)
        return documents.get(reader, part.content, types=types, unknown=unknown)


def _held(line: Line, reader: Reader, snapshot: Snapshot, name: str) -> Part:
    check_held(line, reader, snapshot, name)
    part = snapshot.parts.get(name)
    if part is None:
        held = ", ".join(snapshot.parts)
        raise NotFound(f"snapshot {short(snapshot.id)} has no part {name!r}", hints=[f"it has: {held}"])
    return part


def _diff(
    line: Line,
    reader: Reader,
    old: Snapshot,
    new: dict[str, Part],
    id: str | None,
    paths: Sequence[str] | None,
    missed: Mapping[str, str],
) -> Diff:
    from takeback.model.diff import Diff

    files: list[Change] = []
    beside: dict[str, list[Change]] = {"container": [], "team": [], "worktree": files}
    teams: list[TeamDiff] = []
    state: list[Difference] = []
    every = [*old.parts.values(), *new.values()]
    unknown = {**old.missed, **missed}
    for name in sorted(old.parts.keys() | new.keys()):
        a, b = old.parts.get(name), new.get(name)
        if any(part is not None and part.kind in DOCUMENTS for part in (a, b)):
            state += _compare(line, reader, a, b) if paths is None else ()
            continue
        looker = line.looker(name, b, a)
        if looker is None:
            continue  # a conversation: it goes along, and nobody compares it
        kind = next((part.kind for part in (a, b) if part is not None and part.kind in NAMED), "")
        wanted = _within(reader, paths, [part for part in (a, b) if part is not None], every)
        found = [each for each in looker.diff(reader, a, b, wanted) if within(wanted, each.path)]
        (beside[kind] if kind else files).extend(found)
        if found and kind == "team":
            from takeback.sources.team.telling import tell  # only who has a team needs it

            teams.append(tell(reader, a, b, found))
    named = tuple(beside["container"]), tuple(beside["team"])
    return Diff(old.id, id, tuple(files), tuple(state), *named, tuple(teams), missed=unknown)


def _within(
    reader: Reader, paths: Sequence[str] | None, parts: Sequence[Part], every: Sequence[Part]
) -> list[str] | None:
    """The paths that are meant of a part, as it has them now and had them then."""
    if paths is None:
        return None
    named = meant(parts[0], paths, every)
    return [_read_from(reader, part, each) for part in parts for each in named]


def _compare(line: Line, reader: Reader, a: Part | None, b: Part | None) -> Iterator[Difference]:
    """What differs in a value; one that is there on one side only, or is not held any more, is told as a whole."""
    from takeback.model.diff import Difference

    known = a or b
    assert known is not None
    before, after = (None if part is None else _as_whole(part) for part in (a, b))
    if a is None or b is None or a.purged or b.purged or a.kind != b.kind:
        if before != after:
            yield Difference(known.name, "", _status(a, b), before, after)
        return
    if a.content == b.content:
        return
    from takeback.sources.valued import Valued

    source = line.sources.get(known.name)
    if isinstance(source, Valued):
        yield from source.compare(reader, a, b)
        return
    from takeback import documents

    yield from documents.compare(reader, a.content, reader, b.content, known.name)


def _status(a: Part | None, b: Part | None) -> str:
    return "added" if a is None else "removed" if b is None else "changed"


def _as_whole(part: Part) -> str:
    kind = part.detail.get("type")
    return PURGED if part.purged else kind if isinstance(kind, str) else part.kind


def _touching(line: Line, rows: list[SnapshotRow], path: str, limit: int | None) -> list[SnapshotRow]:
    """Those of the snapshots (newest first) in which something at or below a path is not as in the one before."""
    path = path.rstrip("/")
    found: list[SnapshotRow] = []
    with line.blobs.reader() as reader:
        state = [_state(line, reader, rows[0], path)] if rows else []
        for number, row in enumerate(rows):
            older = _state(line, reader, rows[number + 1], path) if number + 1 < len(rows) else {}
            if older != state[-1]:
                found.append(row)
                if limit is not None and len(found) >= limit:
                    break
            state = [older]
    return found


def _state(line: Line, reader: Reader, row: SnapshotRow, path: str) -> dict[str, object]:
    snapshot = line.load(reader, row)
    found: dict[str, object] = {}
    for name, part in snapshot.parts.items():
        looker = line.looker(name, part) if meant(part, [path], snapshot.parts.values()) else None
        if looker is not None:
            state = states_at(reader, looker, part, _read_from(reader, part, path))
            found |= {name: state} if state is not None else {}
    return found
