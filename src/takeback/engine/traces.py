"""Where a secret is: the snapshots of some roots that hold a path, and everything in the store with the same bytes.

Dropped snapshots are looked at too, for as long as they could come back. Each tree is looked at once, however many
snapshots share it, and what was looked at before is not looked at again when more snapshots come.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NamedTuple

from takeback.engine.manifest import load_snapshot
from takeback.engine.quotes import Quotes
from takeback.errors import Integrity
from takeback.model.ids import short
from takeback.model.kinds import DOCUMENTS, FOLLOWING, TREES
from takeback.model.progress import Watch
from takeback.model.snapshot import Part
from takeback.model.tree import DIRECTORY, FILE, Entry
from takeback.sources import trees
from takeback.store.catalogue.snapshots import SnapshotRow
from takeback.store.packs.chunking import LARGE
from takeback.store.reader import Reader

PartPath = tuple[str, str]
"""A part's name, and a path in it."""

RECORDED = ""
"""Stands for what a snapshot says about prompts and tool calls, where parts are named."""

SETTINGS = "settings"
"""What a container is made from: its part is worth nothing without."""

Key = tuple[str, bytes, bool]
"""A snapshot by its id and manifest, and whether it was dropped."""


class Candidate(NamedTuple):
    """A snapshot to be looked at."""

    row: SnapshotRow
    root: str
    dropped: bool

    @property
    def key(self) -> Key:
        return self.row.id, self.row.manifest, self.dropped


@dataclass(frozen=True, slots=True)
class Found:
    """What a snapshot holds of the secret."""

    row: SnapshotRow
    root: str
    dropped: bool
    at_path: Mapping[PartPath, Entry]
    """What stands at the path itself; nothing where another root's snapshot is only searched for copies."""
    copies: Mapping[PartPath, Entry]
    """Files elsewhere that have the same bytes."""
    pieces: frozenset[PartPath]
    """Other files of which a part has the same bytes."""
    workspaces: frozenset[str]
    """Which of the parts are such."""
    quoted: frozenset[str] = frozenset()
    """Where else it is quoted: parts that are conversations or values, and `RECORDED`."""


@dataclass
class Traces:
    """A search for one path of the roots that ``own`` names; it grows with every `look`."""

    path: str
    own: Callable[[str], bool]
    part: str | None = None
    """The part whose path is meant; None for every workspace."""
    found: dict[Key, Found] = field(default_factory=dict)
    lost: set[str] = field(default_factory=set)
    """Dropped snapshots of which not enough is left to tell."""
    contents: dict[bytes, Entry] = field(default_factory=dict)
    """Every file that stood at or below the path, by its content; empty ones aside."""
    chunks: set[bytes] = field(default_factory=set)
    directory: bool = False
    """Whether the path ever was one."""
    quotes: Quotes | None = None
    """Finds what quotes them."""
    _seen: dict[Key, tuple[Candidate, Mapping[str, Part]]] = field(default_factory=dict)
    """What was looked at, with its parts that are trees of files."""
    _walked: set[bytes] = field(default_factory=set)

    def covers(self, candidates: Iterable[Candidate]) -> bool:
        """Whether these, and no others, were looked at."""
        return {each.key for each in candidates} == self._seen.keys()

    def look(self, reader: Reader, candidates: Iterable[Candidate], watch: Watch) -> None:
        """Look at what is new among all snapshots that there are; forget those that are no more."""
        present = {each.key: each for each in candidates}
        for key in self._seen.keys() - present.keys():
            del self._seen[key]
            self.found.pop(key, None)
        new = [each for key, each in present.items() if key not in self._seen]
        known = len(self.contents)
        for done, each in enumerate(new):
            watch.tick("search", done, 2 * len(new))
            with self._following(each):
                self._load(reader, each)
        again = len(self.contents) != known  # then those of before may hold copies that nobody looked for
        copies = _Copies(reader, self.contents, self.chunks)
        quotes = self.quotes = Quotes(reader, self.contents)
        for done, each in enumerate([seen for seen, _ in self._seen.values()] if again else new):
            watch.tick("search", len(new) + done, 2 * len(new))
            with self._following(each):
                self._search(reader, each, copies, quotes)

    @contextmanager
    def _following(self, each: Candidate) -> Iterator[None]:
        """What a harmed snapshot does to the search; a dropped one that cannot be followed cannot come back, either."""
        try:
            yield
        except Integrity as error:
            if not each.dropped:
                raise Integrity(
                    f"nothing was purged, because snapshot {short(each.row.id)} cannot be followed: {error.message}",
                    hints=["`takeback verify` names every snapshot that is harmed", "drop those, then try again"],
                ) from error
            self.lost.add(each.row.id)
            self._seen[each.key] = (each, {})

    def _load(self, reader: Reader, each: Candidate) -> None:
        parts = load_snapshot(reader, each.row).parts
        files = {name: part for name, part in parts.items() if part.kind in TREES - FOLLOWING}
        self._seen[each.key] = (each, files)
        for entry in self._at_path(reader, each).values():
            self._note(reader, entry, 0)

    def _search(self, reader: Reader, each: Candidate, copies: _Copies, quotes: Quotes) -> None:
        at_path = self._at_path(reader, each)
        parts = self._seen[each.key][1]
        elsewhere = {
            (name, path): entry
            for name, part in parts.items()
            for path, entry in copies.below(part.content)
            if not (self._is_meant(each, part) and trees.within([self.path], path))
        }
        quoted = _quoted(reader, each, quotes)
        settings = {(name, SETTINGS) for name, part in parts.items() if _settings_quote(reader, part, quotes)}
        if at_path or elsewhere or quoted or settings:
            same = {place: entry for place, entry in elsewhere.items() if entry.id in self.contents}
            workspaces = frozenset(name for name, part in parts.items() if part.kind == "workspace")
            self.found[each.key] = Found(
                *each, at_path, same, frozenset(elsewhere.keys() - same.keys() | settings), workspaces, quoted
            )

    def _at_path(self, reader: Reader, each: Candidate) -> dict[PartPath, Entry]:
        directory, _, name = self.path.rpartition("/")
        meant = {key: part for key, part in self._seen[each.key][1].items() if self._is_meant(each, part)}
        found = {
            key: trees.TreeView(reader, part.content).directory(directory).get(name) for key, part in meant.items()
        }
        return {(key, self.path): entry for key, entry in found.items() if entry is not None}

    def _is_meant(self, each: Candidate, part: Part) -> bool:
        """Whether the path is one of this part."""
        return self.own(each.root) and (part.kind == "workspace" if self.part is None else part.name == self.part)

    def _note(self, reader: Reader, entry: Entry, depth: int) -> None:
        """Remember every content at or below an entry."""
        if entry.kind == DIRECTORY:
            self.directory = True
            if entry.id in self._walked:
                return
            self._walked.add(entry.id)
            for inner in trees.load_checked(reader, entry.id, depth).values():
                self._note(reader, inner, depth + 1)
        elif entry.kind == FILE and entry.size and entry.id not in self.contents:
            self.contents[entry.id] = entry
            if entry.size > LARGE:
                self.chunks.update(chunk.id for chunk in reader.recipe(entry.id).chunks)


def _quoted(reader: Reader, each: Candidate, quotes: Quotes) -> frozenset[str]:
    snapshot = load_snapshot(reader, each.row)
    said = {name for name, part in snapshot.parts.items() if _quotes(part, quotes)}
    return frozenset(said | ({RECORDED} if quotes.in_value(dict(snapshot.context)) else set()))


def _quotes(part: Part, quotes: Quotes) -> bool:
    if part.kind in DOCUMENTS:
        return not part.purged and (quotes.in_document(part.content) or quotes.in_value(list(part.not_captured)))
    return part.kind == "transcript" and quotes.in_conversation(part.content)


def _settings_quote(reader: Reader, part: Part, quotes: Quotes) -> bool:
    """Whether what a container is made from, such as its environment, quotes it: that can only be named."""
    found = trees.TreeView(reader, part.content).get(SETTINGS) if part.kind == "container" else None
    return found is not None and found.kind == FILE and quotes.in_blob(found.id)


class _Copies:
    """Files with some contents, or with chunks of them, below trees; each tree is looked at once."""

    def __init__(self, reader: Reader, contents: Mapping[bytes, Entry], chunks: set[bytes]) -> None:
        self._reader, self._contents, self._chunks = reader, contents, chunks
        self._known: dict[bytes, tuple[tuple[str, Entry], ...]] = {}
        self._shares: dict[bytes, bool] = {}

    def below(self, tree: bytes, depth: int = 0) -> tuple[tuple[str, Entry], ...]:
        if not self._contents:
            return ()
        if tree not in self._known:
            self._known[tree] = tuple(self._look(tree, depth))
        return self._known[tree]

    def _look(self, tree: bytes, depth: int) -> Iterator[tuple[str, Entry]]:
        for name, entry in trees.load_checked(self._reader, tree, depth).items():
            if entry.kind == DIRECTORY:
                yield from ((trees.join(name, path), each) for path, each in self.below(entry.id, depth + 1))
            elif entry.kind == FILE and (entry.id in self._contents or self._has_chunks(entry)):
                yield name, entry

    def _has_chunks(self, entry: Entry) -> bool:
        if not self._chunks:
            return False
        if entry.id not in self._shares:
            large = entry.size > LARGE
            pieces = {chunk.id for chunk in self._reader.recipe(entry.id).chunks} if large else {entry.id}
            self._shares[entry.id] = not self._chunks.isdisjoint(pieces)
        return self._shares[entry.id]
