"""A part of files whose source is not at hand: what a snapshot holds of it can be looked into and compared, nothing more."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from takeback.errors import InvalidInput, NotFound
from takeback.model.snapshot import Part
from takeback.model.tree import DIRECTORY
from takeback.sources import trees
from takeback.sources.rooted import exactly

if TYPE_CHECKING:
    from takeback.model.diff import Change
    from takeback.store.reader import Reader


class Stored:
    """Answers for a part as its source would."""

    def __init__(self, name: str, kind: str) -> None:
        self.name, self.kind = name, kind

    def diff(
        self, reader: Reader, a: Part | None, b: Part | None, paths: Sequence[str] | None = None
    ) -> Iterator[Change]:
        if self.kind == "container":
            from takeback.sources.container.planning import differences

            yield from differences(reader, self.name, a, b, paths)
            return
        from takeback.model.diff import Change

        old, new = (part.content if part is not None else None for part in (a, b))
        for path, before, after in trees.compare(reader, old, new, paths):
            yield Change(self.name, path, before, after)

    def state_at(self, reader: Reader, part: Part, path: str) -> object | None:
        if not path:
            return part.content
        directory, _, name = path.rpartition("/")
        return trees.TreeView(reader, part.content).directory(directory).get(name)

    def read(self, reader: Reader, part: Part, path: str) -> Iterator[bytes]:
        entry = trees.TreeView(reader, part.content).get(path)
        if entry is None:
            raise NotFound(f"there is no {path!r} in that snapshot")
        if entry.kind == DIRECTORY:
            raise InvalidInput(f"{path!r} is a directory in that snapshot, so it has no bytes to show")
        return exactly(entry.size, reader.stream(entry.id), path)
