"""What snapshots need: every blob that a part leads to, found once however many snapshots share it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from takeback.model.kinds import DOCUMENTS, TREES
from takeback.model.snapshot import Part
from takeback.model.tree import DIRECTORY, Entry
from takeback.sources import trees
from takeback.store.packs.chunking import LARGE, LARGE_TREE
from takeback.store.packs.recipe import Recipe
from takeback.store.reader import Reader

if TYPE_CHECKING:
    from takeback.documents.blobs import Links

_MANY = 800
"""A tree with fewer entries is too short to be cut, whatever else has its bytes."""


class Reach:
    """Walks parts and remembers what it has seen."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self.seen: set[bytes] = set()
        # Equal bytes are one blob, so one may be a file here and a directory there: each way is followed once.
        self._walked: set[bytes] = set()
        self._cut: set[bytes] = set()
        self._opened: set[bytes] = set()
        self._whole: set[bytes] = set()

    def of(self, part: Part) -> Iterator[bytes]:
        """Blobs that a part needs and that were not given out before. Integrity if one that leads on is not there."""
        for key, blob in part.refs.items():
            if key == "content" and part.kind in TREES:
                yield from self._tree(blob, 0)
            elif key == "content" and part.kind in DOCUMENTS:
                yield from self.document(blob)
            else:
                yield from self.blob(blob)

    def document(self, root: bytes) -> Iterator[bytes]:
        """The blobs of a document, and the contents that they lead to."""
        from takeback.documents.walking import walk  # here as below: only who has such parts needs it

        for blob, found in walk(self._links, root, self._opened):
            self._opened.add(blob)
            yield from self.blob(blob)
            for content in found.contents:
                yield from self.blob(content)

    def blob(self, blob: bytes) -> Iterator[bytes]:
        """A blob that leads to no others but its chunks, if it was not given out before."""
        if blob not in self._cut:
            if self._first(blob):
                yield blob
            if self._reader.in_chunks(blob):
                yield from self._chunks(blob)
            self._cut.add(blob)

    def file(self, entry: Entry) -> Iterator[bytes]:
        """The content of a file or a link."""
        if self._first(entry.id):
            yield entry.id
        if entry.size > LARGE or (entry.size > LARGE_TREE and self._has_bytes_of_a_tree(entry.id)):
            yield from self._chunks(entry.id)

    def _tree(self, tree: bytes, depth: int) -> Iterator[bytes]:
        if tree in self._walked:
            return
        self._walked.add(tree)
        if self._first(tree):
            yield tree
        entries = self._load(tree, depth).values()
        if len(entries) >= _MANY and self._reader.in_chunks(tree):
            yield from self._chunks(tree)
        for entry in entries:
            if entry.kind == DIRECTORY:
                yield from self._tree(entry.id, depth + 1)
            else:
                yield from self.file(entry)

    def _has_bytes_of_a_tree(self, blob: bytes) -> bool:
        """Whether a file that is not large is in chunks all the same."""
        if blob not in self._whole and not self._reader.in_chunks(blob):
            self._whole.add(blob)
        return blob not in self._whole

    def _chunks(self, blob: bytes) -> Iterator[bytes]:
        if blob not in self._cut:
            self._cut.add(blob)
            yield from (chunk.id for chunk in self._recipe(blob).chunks if self._first(chunk.id))

    def _load(self, tree: bytes, depth: int) -> Mapping[str, Entry]:
        return trees.load_checked(self._reader, tree, depth)

    def _links(self, blob: bytes) -> Links:
        from takeback.documents.walking import load

        return load(self._reader, blob)

    def _recipe(self, blob: bytes) -> Recipe:
        return self._reader.recipe(blob)

    def _first(self, blob: bytes) -> bool:
        if blob in self.seen:
            return False
        self.seen.add(blob)
        return True


class Sizes:
    """How large trees are as plain files, and documents with all that they repeat; each is looked at once."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._known: dict[bytes, int] = {}
        self._documents: dict[bytes, int] = {}

    def of(self, part: Part) -> int:
        if part.kind in DOCUMENTS:
            return self._document(part.content)
        return self._tree(part.content, 0) if part.kind in TREES else self._reader.size(part.content)

    def _document(self, root: bytes) -> int:
        from takeback.documents.walking import load, walk

        for blob, found in walk(lambda blob: load(self._reader, blob), root, self._documents):
            inner = sum(self._documents[each] for each in found.documents)
            self._documents[blob] = inner + sum(map(self._reader.size, (blob, *found.contents)))
        return self._documents[root]

    def _tree(self, tree: bytes, depth: int) -> int:
        if tree not in self._known:
            entries = trees.load_checked(self._reader, tree, depth).values()
            self._known[tree] = sum(
                self._tree(entry.id, depth + 1) if entry.kind == DIRECTORY else entry.size for entry in entries
            )
        return self._known[tree]
