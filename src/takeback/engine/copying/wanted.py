"""What snapshots need, as whole blobs: their manifests, and all that their parts lead to, each once.

The origin may be anybody's, so what leads on is looked at closely: how long it is before it is read, whether it is such
as takeback writes, and whether everybody who refers to a blob means the same size. Integrity if not.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from takeback.engine.manifest import load_snapshot
from takeback.errors import Integrity, Unavailable
from takeback.model.ids import BlobKind, short
from takeback.model.kinds import DOCUMENTS, TREES
from takeback.model.snapshot import Part, Snapshot
from takeback.model.tree import DIRECTORY, LINK, Entry
from takeback.sources import trees
from takeback.sources.workspace import checking
from takeback.store.catalogue.snapshots import SnapshotRow
from takeback.store.reader import Reader

_LIMITS = {BlobKind.MANIFEST: 16 << 20, BlobKind.DOCUMENT: 64 << 20, BlobKind.TREE: 256 << 20}
"""No blob of these kinds is longer; what files hold is never read as a whole."""
_MOST_PATHS = 100_000_000
"""No workspace has more; few small trees, each in the next one twice, would make any number."""
_MOST_PIECES = 10_000_000
"""No value has more documents and contents, counted as often as it comes by them."""
_DEEPEST = 2000
"""No value is deeper than Python can hold, and few documents are as deep as their value."""


class Item(NamedTuple):
    """A whole blob, and what it is taken for."""

    id: bytes
    kind: BlobKind
    size: int


class Shape(NamedTuple):
    """What a tree or a document is like when it is unfolded."""

    paths: int
    depth: int


class Bounded:
    """Reads what leads on, if it is not longer than that can be."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    def size(self, id: bytes) -> int:
        return self._reader.size(id)

    def get(self, id: bytes, kind: BlobKind | None = None) -> bytes:
        limit = _LIMITS.get(kind or BlobKind.DATA, 0)
        if (size := self._reader.size(id)) > limit:
            raise Integrity(f"blob {id.hex()[:12]} has {size} bytes, more than anything that it could be")
        return self._reader.get(id, kind)


class Wanted:
    """Walks snapshots and remembers what it has seen. Equal bytes are one blob, so one may be a file here and a
    directory there: it is given out once and looked at as each."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._reads = Bounded(reader)
        self._sizes: dict[bytes, int] = {}
        self._shapes: dict[tuple[bytes, bool], Shape] = {}
        """Of trees, and whether they were looked at as a workspace's, which holds less than others may."""
        self._values: dict[bytes, Shape] = {}
        self._links: set[bytes] = set()
        self._documents: set[tuple[bytes | None, ...]] = set()

    def of(self, row: SnapshotRow) -> Iterator[Item]:
        """The blobs that a snapshot needs and that were not given out before."""
        yield from self._structure(row.manifest, BlobKind.MANIFEST)
        try:
            snapshot = load_snapshot(self._reads, row)
        except RecursionError as error:
            raise Integrity(f"the manifest of snapshot {short(row.id)} cannot be read") from error
        _check_snapshot(snapshot, row)
        for part in snapshot.parts.values():
            _check_part(part, row)
            self._check_documents(part)
            for key, blob in part.refs.items():
                if key == "content" and part.kind in DOCUMENTS:
                    yield from self._value(blob)
                elif key == "content":
                    yield from self._tree(blob, 0, part.kind == "workspace")
                else:
                    yield from self._structure(blob, BlobKind.DOCUMENT)

    def _tree(self, tree: bytes, depth: int, workspace: bool) -> Iterator[Item]:
        shape = self._shapes.get((tree, workspace))
        if shape is None:
            yield from self._structure(tree, BlobKind.TREE)
            entries = trees.load_checked(self._reads, tree, depth)
            checking.check_directory(entries)
            if workspace:
                checking.check_captured(entries)
            paths, below = len(entries), 0
            for entry in entries.values():
                if entry.kind == DIRECTORY:
                    yield from self._tree(entry.id, depth + 1, workspace)
                    inner = self._shapes[entry.id, workspace]
                    paths, below = paths + inner.paths, max(below, inner.depth + 1)
                else:
                    yield from self._file(entry)
            shape = self._shapes[tree, workspace] = Shape(paths, below)
        if shape.paths > _MOST_PATHS or depth + shape.depth > trees.MAX_DEPTH:
            raise Integrity(f"the tree {tree.hex()[:12]} unfolds to more, or deeper, than any that is written")

    def _file(self, entry: Entry) -> Iterator[Item]:
        known = self._sizes.setdefault(entry.id, -1)
        if known < 0:
            self._sizes[entry.id] = entry.size
            yield Item(entry.id, BlobKind.DATA, entry.size)
        elif known != entry.size:
            raise Integrity(f"two trees disagree about the size of blob {entry.id.hex()[:12]}")
        if entry.kind == LINK and entry.id not in self._links:
            if self._reads.size(entry.id) != entry.size:
                raise Integrity(f"a link's target {entry.id.hex()[:12]} is not as long as its tree says")
            checking.check_link(self._reader.get(entry.id))
            self._links.add(entry.id)

    def _value(self, root: bytes) -> Iterator[Item]:
        from takeback.documents.walking import load, walk

        for blob, found in walk(lambda blob: load(self._reads, blob), root, self._values):
            inner = [self._values[each] for each in found.documents]
            pieces = 1 + len(found.contents) + sum(each.paths for each in inner)
            shape = self._values[blob] = Shape(pieces, max((each.depth + 1 for each in inner), default=0))
            if shape.paths > _MOST_PIECES or shape.depth > _DEEPEST:
                raise Integrity(f"the document {blob.hex()[:12]} unfolds to more, or deeper, than any that is written")
            yield from self._structure(blob, BlobKind.DOCUMENT)
            for content in found.contents:
                yield from self._structure(content, BlobKind.DATA)

    def _structure(self, blob: bytes, kind: BlobKind) -> Iterator[Item]:
        if blob not in self._sizes:
            self._sizes[blob] = self._reads.size(blob)
            yield Item(blob, kind, self._sizes[blob])

    def _check_documents(self, part: Part) -> None:
        if part.kind != "workspace":
            return
        checking.check_detail(part)
        named = tuple(part.refs.get(key) for key in ("rules", "trusted", "ignored", "uncaptured"))
        if named not in self._documents:
            checking.check_documents(self._reads, part)
            self._documents.add(named)


def _check_snapshot(snapshot: Snapshot, row: SnapshotRow) -> None:
    """What a manifest says is JSON, and may be of any type."""
    sound = (
        (snapshot.time_ns, snapshot.trigger) == (row.time_ns, row.trigger)
        and _are(dict, snapshot.context)
        and _are(str, snapshot.root, snapshot.timeline)
    )
    if not sound:
        raise Integrity(f"the manifest of snapshot {short(row.id)} does not agree with what is said about it")


def _check_part(part: Part, row: SnapshotRow) -> None:
    if not (_are(str, part.kind) and _are(dict, part.detail)):
        raise Integrity(f"a part of snapshot {short(row.id)} is not one")
    if any(len(blob) != 32 for blob in part.refs.values()):
        raise Integrity(f"a part of snapshot {short(row.id)} refers to what no blob is called")
    if part.kind not in TREES | DOCUMENTS:
        raise Unavailable(
            f"what the part {part.name!r} of snapshot {short(row.id)} needs is not known here: it is of the kind "
            f"{part.kind!r}. Nothing was copied.",
            hints=["upgrade takeback: pip install --upgrade takeback"],
        )


def _are(kind: type, *values: object) -> bool:
    return all(isinstance(value, kind) for value in values)
