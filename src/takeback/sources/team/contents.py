"""A team as a snapshot has it, read without the world. What it says is other people's: a damaged file is said to be
unreadable, and nothing in one is trusted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

from takeback.errors import Integrity
from takeback.model.ids import BlobKind
from takeback.model.jsontext import parse_object
from takeback.model.snapshot import Part
from takeback.model.tree import DIRECTORY, FILE, Entry
from takeback.sources import trees
from takeback.sources.team.counting import members
from takeback.sources.team.layouts import CLAWTEAM, LAYOUTS, Layout
from takeback.sources.trees import TreeView
from takeback.store.reader import Reader

_LARGEST = 16 << 20
"""A file larger than this is nothing that a framework has written."""


class Item(NamedTuple):
    """One thing of a team: a task, a message, a cost."""

    path: str
    name: str
    data: Mapping[str, Any] | None
    """What it says; None if it cannot be read as that, which is so of every plan: those are texts."""
    id: bytes
    """The blob with its bytes."""

    @property
    def box(self) -> str:
        """Whose directory it is in."""
        return self.path.split("/")[-2]


class Contents:
    """What a part holds of a team; no part, no team."""

    def __init__(self, reader: Reader, part: Part | None) -> None:
        self._reader = reader
        self._view = TreeView(reader, part.content if part is not None else None)
        said = part.detail if part is not None else {}
        self.layout: Layout = LAYOUTS.get(str(said.get("layout")), CLAWTEAM)
        self.team = str(said.get("team", ""))

    @property
    def config(self) -> Mapping[str, Any] | None:
        path = self.layout.config.format(team=self.team)
        entry = self._view.get(path)
        return self._parsed(entry) if entry is not None else None

    @property
    def members(self) -> list[str]:
        return members(self.config)

    def count(self, what: str) -> int:
        return sum(1 for _ in self.entries(what))

    def items(self, what: str) -> Iterator[Item]:
        """All things of a kind, in the order of their paths."""
        for path, entry in self.entries(what):
            yield Item(path, path.rpartition("/")[2], self._parsed(entry), entry.id)

    def item(self, path: str) -> Item | None:
        """What stands at a path."""
        entry = self._view.get(path)
        if entry is None or entry.kind != FILE:
            return None
        return Item(path, path.rpartition("/")[2], self._parsed(entry), entry.id)

    def entries(self, what: str) -> Iterator[tuple[str, Entry]]:
        """The same without what they say."""
        area = self.layout.area(what)
        place = area.place.format(team=self.team)
        places = [place]
        if area.boxes:
            boxes = self._view.directory(place)
            places = [trees.join(place, box) for box in sorted(boxes) if boxes[box].kind == DIRECTORY]
        for directory in places:
            entries = self._view.directory(directory)
            for name in sorted(entries):
                if entries[name].kind == FILE and fnmatchcase(name, area.pattern):
                    yield trees.join(directory, name), entries[name]

    def _parsed(self, entry: Entry) -> Mapping[str, Any] | None:
        return parsed(self._reader, entry)


def parsed(reader: Reader, entry: Entry) -> Mapping[str, Any] | None:
    """What a file says; None if that cannot be read."""
    if entry.kind != FILE or entry.size > _LARGEST:
        return None
    try:
        return parse_object(reader.get(entry.id, BlobKind.DATA), "a team's file")
    except Integrity:
        return None
