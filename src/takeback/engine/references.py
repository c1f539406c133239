"""References: how people name snapshots and moves.

A snapshot is named by its id or a unique prefix of it, a label, ``@`` (the latest), ``@-`` and ``@-3`` (one and three
before it), ``root`` (the first of the timeline), ``original`` (before the session's first move, else ``root``) or a
time such as ``10m ago``. A label wins over a prefix. ``NAME@``, ``NAME@-2`` and ``NAME@LABEL`` name the latest, an earlier
and a labelled snapshot of a fork called NAME, or of whoever else has the same beginning (`takeback.engine.family`); an exact
label wins. A move is named by its id or a unique prefix, and so is a session.
"""

from __future__ import annotations

import re
import time

from takeback.engine.line import Line
from takeback.errors import InvalidInput, NotFound
from takeback.model.ids import ID_LENGTH, short
from takeback.model.move import Move
from takeback.model.sizes import parse_seconds
from takeback.model.snapshot import Snapshot
from takeback.store.catalogue import moves, snapshots
from takeback.store.catalogue.database import Transaction
from takeback.store.catalogue.snapshots import SnapshotRow
from takeback.store.reader import Reader

Reference = str | Snapshot

_BEYOND = 1 << 40
"""More steps than there are in any history."""
_BACK = re.compile(r"@(?:-(\d{0,4000}))?")
_AGO = re.compile(r"(\S.{0,100})\sago")
_PREFIX = re.compile(rf"[0-9a-f]{{1,{ID_LENGTH}}}")
_NOT_FOUND_HINT = "`takeback log` lists the snapshots and their labels"


def resolve(tx: Transaction, line: Line, reference: Reference, session: str | None = None) -> SnapshotRow:
    """The snapshot that a reference names; NotFound or InvalidInput with the next step."""
    if isinstance(reference, Snapshot):
        row = snapshots.by_id(tx, reference.id)
        if row is None:
            raise NotFound(f"the snapshot {short(reference.id)} is not in this store any more", hints=[_NOT_FOUND_HINT])
        return row
    text = reference.strip()
    timeline = line.row(tx).number
    found = _relative(tx, timeline, text, session)
    if found is None and text.isprintable():  # as every label is; other text may not even be storable
        found = snapshots.labelled(tx, timeline, text)
    if found is None and _PREFIX.fullmatch(text.lower()):
        found = _by_prefix(tx, timeline, text.lower())
    if found is None and "@" in text:
        found = _of_another(tx, line, text)
    if found is None:
        raise NotFound(f"there is no snapshot {reference!r} on the timeline {line.name!r}", hints=[_NOT_FOUND_HINT])
    return found


def find(line: Line, reader: Reader, reference: Reference, session: str | None = None) -> Snapshot:
    """The same, with all that it holds."""
    with line.blobs.database.read() as tx:
        row = resolve(tx, line, reference, session)
    return line.load(reader, row)


def resolve_move(tx: Transaction, line: Line, reference: str) -> Move:
    """The move that an id or a prefix names."""
    text = reference.strip().lower()
    timeline = line.row(tx).number
    found = moves.by_prefix(tx, timeline, text) if _PREFIX.fullmatch(text) else []
    if not found:
        hints = ["`takeback log` lists the moves"]
        if _PREFIX.fullmatch(text) and len(snapshots.with_prefix(tx, text, 2)) == 1:
            hints = [f"{text} is a snapshot: `takeback restore {text}`, or `takeback undo --since {text}`"]
        raise NotFound(f"there is no move {reference!r} on the timeline {line.name!r}", hints=hints)
    if len(found) > 1:
        raise InvalidInput(
            f"{reference!r} is ambiguous: it begins the moves {', '.join(move.id[:12] for move in found)}",
            hints=["give more characters"],
        )
    return found[0]


def resolve_session(tx: Transaction, line: Line, beginning: str) -> str:
    """The session of that name, or the only one whose name begins so; what is of no session stays as it is."""
    found = moves.sessions(tx, line.row(tx).number, beginning)
    if not found or found[0] == beginning:
        return beginning
    if len(found) > 1:
        raise InvalidInput(
            f"{beginning!r} is ambiguous: it begins the sessions {', '.join(found)}", hints=["give more characters"]
        )
    return found[0]


def _relative(tx: Transaction, timeline: int, text: str, session: str | None) -> SnapshotRow | None:
    if text == "root":
        return snapshots.first(tx, timeline)
    if text == "original":
        first = moves.first_of_session(tx, timeline, session) if session else None
        return snapshots.by_id(tx, first.opening) if first is not None else snapshots.first(tx, timeline)
    if match := _BACK.fullmatch(text):
        steps = 0 if text == "@" else int(match[1] or 1)
        row = snapshots.back(tx, timeline, steps) if steps < _BEYOND else None
        if row is None:
            count = snapshots.count(tx, timeline)
            raise NotFound(f"{text} is before the first snapshot: there are only {count}", hints=[_NOT_FOUND_HINT])
        return row
    if match := _AGO.fullmatch(text):
        when = time.time_ns() - parse_seconds(match[1]) * 1e9
        row = snapshots.at(tx, timeline, int(when)) if when > 0 else None
        if row is None:
            raise NotFound(f"there is no snapshot as old as {text!r}", hints=["`root` names the oldest one"])
        return row
    return None


def _of_another(tx: Transaction, line: Line, text: str) -> SnapshotRow | None:
    """What ``NAME@…`` names on a fork; None if no fork has that name."""
    from takeback.engine.family import relative  # most references need none

    found = relative(tx, line, text)
    if found is None:
        return None
    kin, rest = found
    row = _relative(tx, kin.row.number, rest, None)
    if row is None:
        row = snapshots.labelled(tx, kin.row.number, rest[1:]) if rest.isprintable() else None
    if row is None and rest[1:] == "root":
        row = snapshots.first(tx, kin.row.number)
    if row is None:
        hint = "its own log lists them: " + _log_of(kin.row.root, kin.row.name)
        raise NotFound(f"there is no snapshot {rest!r} on the fork {kin.row.name!r}", hints=[hint])
    return row


def _log_of(root: str, name: str) -> str:
    import shlex

    return shlex.join(["takeback", *(["-C", root] if root else []), "--timeline", name, "log"])


def _by_prefix(tx: Transaction, timeline: int, prefix: str) -> SnapshotRow | None:
    everywhere = snapshots.with_prefix(tx, prefix, 20)
    found = [row for row in everywhere if row.timeline == timeline] or everywhere
    if len(found) > 1:
        raise InvalidInput(
            f"{prefix!r} is ambiguous: it begins {', '.join(row.id[:12] for row in found[:4])}",
            hints=["give more characters"],
        )
    return snapshots.with_marks(tx, found)[0] if found else None
