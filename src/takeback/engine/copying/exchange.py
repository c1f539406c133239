"""export, import, push and pull: between which stores a copy is made."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

from takeback.engine.copying import chosen
from takeback.engine.copying.copied import Copied
from takeback.engine.copying.lines import CopyLine, settled
from takeback.engine.copying.operation import copy
from takeback.engine.line import Line
from takeback.engine.references import Reference, resolve
from takeback.errors import InvalidInput, NotFound
from takeback.model.progress import Watch
from takeback.model.tree import name_text
from takeback.store.blobstore import BlobStore
from takeback.store.exports.reading import open_export
from takeback.store.exports.writing import new_export


def export(origin: BlobStore, path: str, line: Line | None, references: Iterable[Reference], watch: Watch) -> Copied:
    """Write snapshots of a timeline, all of it, or, without one, the whole store into a new file."""
    with origin.reader() as reader:
        lines = choose(origin, line, list(references))
        with new_export(os.path.abspath(path), origin.id, watch) as target:
            return copy(origin.id, reader, lines, target, None, watch)


def import_(target: BlobStore, path: str, root: str | None, watch: Watch) -> Copied:
    """Bring everything that an export file holds into a store."""
    with open_export(os.path.abspath(path)) as origin, origin.reader() as reader:
        return copy(origin.id, reader, chosen.everything(origin), target, _real(root), watch)


def send(origin: BlobStore, target: BlobStore, line: Line | None, root: str | None, watch: Watch) -> Copied:
    """Bring one timeline of a store, or all of them, into another one."""
    if _same(origin, target):
        raise InvalidInput("a store cannot be copied into itself", hints=["name another store"])
    with origin.reader() as reader:
        return copy(origin.id, reader, choose(origin, line, []), target, _real(root), watch)


def choose(origin: BlobStore, line: Line | None, references: Sequence[Reference]) -> list[CopyLine]:
    """What a line and references name; NotFound if that is nothing."""
    return [settled(each) for each in _choose(origin, line, references)]


def _choose(origin: BlobStore, line: Line | None, references: Sequence[Reference]) -> list[CopyLine]:
    if line is None:
        lines = chosen.everything(origin)
        if not lines:
            raise NotFound("there is nothing to copy: no snapshot was saved yet", hints=["`takeback save` makes one"])
        return lines
    if not _same(line.blobs, origin):
        raise InvalidInput("that timeline is of another store", hints=["take one from the store that is copied"])
    with origin.database.read() as tx:
        if not references:
            found = chosen.only(tx, line.row(tx).number)
            if not found.snapshots:
                raise NotFound(f"the timeline {line.name!r} has no snapshots", hints=["`takeback save` makes one"])
            return [found]
        wanted: dict[int, set[str]] = {}
        for reference in references:
            row = resolve(tx, line, reference)
            wanted.setdefault(row.timeline, set()).add(row.id)
        return [chosen.only(tx, number, ids) for number, ids in wanted.items()]


def _same(one: BlobStore, other: BlobStore) -> bool:
    return one is other or (one.identity is not None and one.identity == other.identity)


def _real(root: str | None) -> str | None:
    """A directory's real path, as timelines are keyed by it."""
    if root is None:
        return None
    if not root.strip() or "\0" in root:
        raise InvalidInput("a root needs the name of a directory", hints=["leave it out to keep the one it had"])
    return name_text(os.fsencode(os.path.realpath(root)))
