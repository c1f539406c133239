"""What of a snapshot cannot be restored, by path: for verify, which names it, and for repair, which says what is left."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from takeback.engine.reach import Reach
from takeback.errors import Integrity, Unavailable
from takeback.model.kinds import DOCUMENTS, FOLLOWING, TREES
from takeback.model.snapshot import Snapshot
from takeback.model.tree import DIRECTORY, Entry
from takeback.sources import trees
from takeback.store.packs.chunking import LARGE, LARGE_TREE
from takeback.store.packs.recipe import Recipe
from takeback.store.reader import Reader

if TYPE_CHECKING:
    from takeback.documents.blobs import Links

_LOST = (Integrity, Unavailable)  # the bytes are wrong, or the disk does not give them

MOST_PATHS = 1000
"""So many paths of one snapshot are named; the others are counted."""


@dataclass(frozen=True, slots=True)
class Loss:
    """One snapshot that cannot be restored whole."""

    snapshot: str
    paths: tuple[str, ...] = ()
    """What is lost of it: files and links, and directories, with a slash at the end, of which nothing is known any more.
    The root alone is ``/``. What is not the workspace's has its part in front."""
    more: int = 0
    """How many more there are than are named."""
    about: tuple[str, ...] = ()
    """What else it lacks: a value, the list of what it did not capture, or the ignore rules it was made with."""
    broken: str = ""
    """Why it cannot be read at all, if so."""


class Findable(Reach):
    """A walk that goes on where something cannot be read, and remembers what that was."""

    def __init__(self, reader: Reader) -> None:
        super().__init__(reader)
        self.unreadable: dict[bytes, str] = {}
        """Trees, documents and recipes, and why."""
        self.lengths: dict[bytes, int] = {}
        """How long blobs are, as those that lead to them say."""

    def file(self, entry: Entry) -> Iterator[bytes]:
        if entry.size <= LARGE:
            self.lengths[entry.id] = entry.size
        return super().file(entry)

    def _load(self, tree: bytes, depth: int) -> Mapping[str, Entry]:
        try:
            return super()._load(tree, depth)
        except _LOST as error:
            self.unreadable[tree] = error.message
            return {}

    def _links(self, blob: bytes) -> Links:
        try:
            return super()._links(blob)
        except _LOST as error:
            from takeback.documents.blobs import Links

            self.unreadable[blob] = error.message
            return Links()

    def _recipe(self, blob: bytes) -> Recipe:
        try:
            recipe = super()._recipe(blob)
            self.lengths.update(recipe.chunks)
            return recipe
        except _LOST as error:
            self.unreadable[blob] = error.message
            return Recipe(0, [])


class Losses:
    """Which paths lead to blobs that are lost; each tree and each document is looked at once."""

    def __init__(self, reader: Reader, lost: Iterable[bytes]) -> None:
        self._reader = reader
        self._lost = set(lost)
        self._known: dict[bytes, tuple[list[str], int]] = {}
        self._documents: dict[bytes, bool] = {}

    def of(self, snapshot: Snapshot) -> Loss | None:
        """What of a snapshot is lost; None if nothing is."""
        paths: list[str] = []
        about: list[str] = []
        more = 0
        for name, part in snapshot.parts.items():
            for key, blob in part.refs.items():
                if key == "content" and part.kind in TREES:
                    some, others = self._tree(blob, 0)
                    if part.kind in FOLLOWING:  # its paths are pieces, which say nothing to anybody
                        about += [f"{name}: {key}"] if some or others else []
                        continue
                    inside = "" if part.kind == "workspace" else f"{name}: "
                    paths += (inside + (path or "/") for path in some)
                    more += others
                elif blob in self._lost or (key == "content" and part.kind in DOCUMENTS and self._document(blob)):
                    about.append(f"{name}: {key.replace('_', ' ')}")
        if not (paths or about or more):
            return None
        return Loss(snapshot.id, tuple(paths[:MOST_PATHS]), more + max(0, len(paths) - MOST_PATHS), tuple(about))

    def _tree(self, tree: bytes, depth: int) -> tuple[list[str], int]:
        """Paths below a directory, and how many more there are; the directory itself, as "", if it is lost."""
        if tree in self._lost:
            return [""], 0
        if tree not in self._known:
            self._known[tree] = self._below(tree, depth)
        return self._known[tree]

    def _below(self, tree: bytes, depth: int) -> tuple[list[str], int]:
        try:
            entries = trees.load_checked(self._reader, tree, depth)
        except _LOST:
            return [""], 0
        paths: list[str] = []
        more = 0
        for name, entry in entries.items():
            if entry.kind != DIRECTORY:
                paths += [name] if self._file(entry) else []
                continue
            inner, others = self._tree(entry.id, depth + 1)
            paths += (f"{name}/{path}" for path in inner)
            more += others
        return paths[:MOST_PATHS], more + max(0, len(paths) - MOST_PATHS)

    def _document(self, root: bytes) -> bool:
        """Whether anything of a value is lost: it can only be put back whole."""
        from takeback.documents.walking import walk

        for blob, found in walk(self._links, root, self._documents):
            inner = any(self._documents[each] for each in found.documents)
            self._documents[blob] = inner or self._cut(blob) or any(map(self._cut, found.contents))
        return self._documents[root]

    def _links(self, blob: bytes) -> Links:
        from takeback.documents import walking
        from takeback.documents.blobs import Links

        try:
            return Links() if blob in self._lost else walking.load(self._reader, blob)
        except _LOST:
            self._lost.add(blob)
            return Links()

    def _cut(self, blob: bytes) -> bool:
        """Whether a blob, or a piece of it, is lost, of which nothing says how long it is."""
        return blob in self._lost or (self._reader.in_chunks(blob) and self._in_pieces(blob))

    def _file(self, entry: Entry) -> bool:
        return entry.id in self._lost or (entry.size > LARGE and self._in_pieces(entry.id)) or self._is_cut(entry)

    def _is_cut(self, entry: Entry) -> bool:
        """Whether a piece is lost of a file that is in pieces because it has the bytes of a tree."""
        return LARGE_TREE < entry.size <= LARGE and self._cut(entry.id)

    def _in_pieces(self, blob: bytes) -> bool:
        try:
            return any(chunk.id in self._lost for chunk in self._reader.recipe(blob).chunks)
        except _LOST:
            return True
