"""fork: a new timeline that starts at any snapshot, in a place of its own."""

from __future__ import annotations

import os
from collections.abc import Collection

from takeback.engine import record
from takeback.engine.line import Line
from takeback.engine.manifest import put_part
from takeback.engine.pending import for_another
from takeback.engine.references import Reference, find
from takeback.engine.restore import Places, make_at
from takeback.errors import InvalidInput
from takeback.model.kinds import DOCUMENTS
from takeback.model.progress import Watch
from takeback.model.tree import name_text
from takeback.sources.protocol import Source
from takeback.store.catalogue import timelines
from takeback.store.catalogue.database import Transaction
from takeback.store.catalogue.snapshots import SnapshotRow


def fork(line: Line, reference: Reference, name: str, to: Places) -> Line:
    """Put a snapshot's parts into other places and begin a timeline there; the first one is left alone.

    A value needs no place: it comes along as it was, and is pending for the object that is to have it there.
    """
    if not name.strip():
        raise InvalidInput("a fork needs a name")
    missing = sorted(name for name, source in line.sources.items() if name not in to and source.kind not in DOCUMENTS)
    if missing:
        raise InvalidInput(
            f"a fork needs a place of its own for {', '.join(missing)}", hints=["takeback fork REF NAME --to DIR"]
        )
    with line.blobs.reader() as reader:
        target = find(line, reader, reference)
        rooted = {part for part in to if part in target.parts and line.source(part, target.parts).root}
        _check_free(line, name, {_real(place) for part, place in to.items() if part in rooted} or {""})
        made = make_at(line, reader, target, to, durable=True)
    sources: dict[str, Source] = {part: each.source for part, each in made.items()}
    notes = [note for each in made.values() for note in each.notes]
    context = {"fork_of": target.id, **({"notes": notes} if notes else {})}
    root = next((source.root for source in sources.values() if source.root), "")
    other = Line(line.blobs, root, name, sources)
    with other.locked(), other.writer() as writer:
        # Looked at once more, because the same files stand under other rules there.
        parts = {
            part: put_part(writer, source.capture(writer, target.parts[part], Watch()))
            for part, source in sources.items()
        }
        parts |= {name: for_another(part) for name, part in target.parts.items() if part.kind in DOCUMENTS}
        snapshot = record.compose(other, writer, None, parts, trigger="fork", context=context, before={})

        def note(tx: Transaction, timeline: int, at: SnapshotRow) -> None:
            """Nothing more to write: a fork is no move."""

        record.commit(other, writer, snapshot, None, note, fork_of=target.id)
    return other


def _check_free(line: Line, name: str, roots: Collection[str]) -> None:
    """InvalidInput if a timeline stands in the way, or somebody works in one of the places."""
    with line.blobs.database.read() as tx:
        others = [row for row in timelines.every(tx) if row.root in roots]
    for row in others:
        if row.name == name:
            of = f" of {row.root}" if row.root else ""
            raise InvalidInput(f"there is a timeline {name!r}{of} already", hints=["choose another name"])
        if row.root and os.path.isdir(row.root) and os.listdir(row.root):
            raise InvalidInput(
                f"{row.root} is in use: it is the root of the timeline {row.name!r}",
                hints=["name a directory that is empty, or that does not exist"],
            )


def _real(place: object) -> str:
    """A directory as timelines name it; what is none is refused by its source."""
    return name_text(os.fsencode(os.path.realpath(place))) if isinstance(place, (str, os.PathLike)) else ""
