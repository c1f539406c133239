"""From an archive to what was found in an area, its contents on their way into the store."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from takeback.model.ids import BlobKind
from takeback.model.progress import Watch
from takeback.model.snapshot import NotCaptured
from takeback.model.tree import DIRECTORY, FILE, LINK, name_bytes, name_text
from takeback.sources.container.found import Found
from takeback.sources.container.streaming.archive import HARD, Archive, Entry
from takeback.sources.trees import MAX_DEPTH, NO_ID, join
from takeback.sources.workspace.reading import SMALL, Puts

_DEEPEST = MAX_DEPTH - 4
"""Below the area, and below attributes."""
_LINK_MODE = 0o777

Wanted = Callable[[str], bool]


class Collected:
    """What was found so far, by path. Whoever adds several archives to it says where each belongs."""

    def __init__(self, area: str, writer: Puts, watch: Watch) -> None:
        self.area = area
        self.found: dict[str, Found] = {}
        self.not_captured: list[NotCaptured] = []
        self._names: dict[str, list[str]] = {}  # of the files that have more than one
        self._writer = writer
        self._watch = watch
        self._size = 0

    def add(self, archive: Archive, place: str = "", wanted: Wanted = lambda path: True) -> None:
        """Everything in an archive of ``place`` that is ``wanted``; other content is passed over."""
        here: dict[str, Found] = {}
        for entry in archive:
            self._watch.tick("scan", len(self.found), size=self._size)
            path = _below(place, entry.path)
            if self._is_too_deep(path, entry.kind):
                continue
            if entry.kind == HARD:
                self._add_name(path, here.get(_below(place, name_text(entry.target))), wanted)
            else:
                here[path] = made = self._made(path, entry, archive, wanted(path))
                if wanted(path):
                    self.found[path] = made

    def linked(self) -> Iterable[Found]:
        """All that was found, in the order of paths; names of one file say which of them comes first."""
        for names in self._names.values():
            first = min(names, key=name_bytes)
            for name in names:
                self.found[name] = self.found[name]._replace(link=first)
        return [self.found[path] for path in sorted(self.found, key=lambda path: path.split("/"))]

    def leave_out(self, path: str, reason: str, detail: str = "") -> None:
        self.not_captured.append(NotCaptured(join(self.area, path) if path else self.area, reason, detail))

    def _made(self, path: str, entry: Entry, archive: Archive, stored: bool) -> Found:
        id, size = NO_ID, entry.size
        if entry.kind == FILE and stored:
            self._size += size
            if size <= SMALL:
                id = self._writer.put(archive.read(size), BlobKind.DATA)
            else:
                id, size = self._writer.put_stream(archive.read)
        elif entry.kind == LINK:
            size = len(entry.target)
            id = self._writer.put(entry.target, BlobKind.DATA)
        return Found(
            path,
            entry.kind,
            _LINK_MODE if entry.kind == LINK else entry.mode,
            entry.uid,
            entry.gid,
            entry.mtime,
            size,
            id,
            entry.device,
            entry.xattrs,
        )

    def _add_name(self, path: str, same: Found | None, wanted: Wanted) -> None:
        """Another name: of a file, or of what has no content of its own (whiteouts share an inode, too)."""
        if same is None:
            self.leave_out(path, "too deep", "its other name lies too many directories down")
        elif wanted(path) and (same.kind != FILE or wanted(same.path)):  # else nothing has put its content
            self.found[path] = same._replace(path=path)
            if same.kind == FILE:
                self._names.setdefault(same.path, [same.path]).append(path)

    def _is_too_deep(self, path: str, kind: str) -> bool:
        """Whether it is a directory that lies too deep, which is said, or lies below one."""
        depth = path.count("/")
        if kind == DIRECTORY and depth == _DEEPEST:
            self.leave_out(path, "too deep", f"more than {MAX_DEPTH} directories down")
        return depth > _DEEPEST or (kind == DIRECTORY and depth == _DEEPEST)


def _below(place: str, path: str) -> str:
    return f"{place}/{path}" if place and path else place or path
