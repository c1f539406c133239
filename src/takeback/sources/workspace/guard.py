"""What a restore must not touch: paths that a snapshot lacks only because it could not, or was told not to, hold them.

Absence from a snapshot is absence from the world only if the path would have been captured, had it been there.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from takeback.errors import Integrity
from takeback.model.ids import BlobKind
from takeback.model.jsontext import parse_json
from takeback.model.snapshot import Part
from takeback.model.tree import Entry
from takeback.sources import trees
from takeback.sources.workspace import uncaptured
from takeback.sources.workspace.ignore.record import Pair
from takeback.sources.workspace.names import STAGE_PREFIX
from takeback.sources.workspace.uncaptured import Identity
from takeback.store.reader import Reader

UNREADABLE = "unreadable"


class Guard:
    """What one part says about paths that it does not hold."""

    def __init__(self, reader: Reader, part: Part) -> None:
        self._reader = reader
        self._part = part
        self._left_out = {item.path: item.reason for item in part.not_captured if item.whole}
        self._ignored: dict[str, int] | None = None
        self._seen: dict[str, Identity] | None = None
        self._rules: Pair | None = None
        self._tree = trees.TreeView(reader, part.content)

    def absent_by_choice(self, path: str, is_directory: bool) -> str:
        """Why the part's lack of a path proves nothing; empty if the path really was not there."""
        reason = self.stands_uncaptured(path)
        if not reason and self._record().ignored(path, is_directory):
            reason = "ignored"
        return f"it was not captured then ({reason})" if reason else ""

    def stands_uncaptured(self, path: str) -> str:
        """Why something that exists at, or above, a path is not in the part; empty if nothing of the kind was seen. What
        could not be read any more is in it as it was read last."""
        for each in (path, *trees.parents(path)):
            if each in self._left_out and not (self._left_out[each] == UNREADABLE and self.holds(path)):
                return self._left_out[each]
            if each in self._listed() or each + "/" in self._listed():
                return "ignored"
        return ""

    def holders(self) -> set[str]:
        """Directories that hold something uncaptured, and so can be neither deleted nor replaced."""
        held: set[str] = set()
        for path in (*self._left_out, *self._listed()):
            for parent in trees.parents(path.rstrip("/")):
                if parent in held:
                    break
                held.add(parent)
        return held

    def left_out_at(self, path: str) -> str:
        """The path, or the directory above it, that could not be captured; itself if there is none."""
        return next((each for each in (path, *trees.parents(path)) if each in self._left_out), path)

    def entry(self, path: str) -> Entry | None:
        """What the part's tree has at a path."""
        return self._tree.get(path)

    def holds(self, path: str) -> bool:
        """Whether the part's tree has a path."""
        return self._tree.get(path) is not None

    def closed(self, path: str) -> bool:
        """Whether a path lies in what nobody could look into, so that its absence from the list says nothing."""
        return any(above in self._left_out for above in trees.parents(path))

    def seen(self) -> Mapping[str, Identity]:
        """All that was seen and that no snapshot holds, by path."""
        if self._seen is None:
            blob = self._part.refs.get("uncaptured")
            listed = uncaptured.decode(self._reader.get(blob, BlobKind.DOCUMENT)) if blob is not None else {}
            self._seen = {self._place(path): seen for path, seen in listed.items()}
            for path, inode in self._listed().items():  # all that older snapshots know
                if not path.rstrip("/").rpartition("/")[2].startswith(STAGE_PREFIX):
                    self._seen.setdefault(path.rstrip("/"), Identity(inode, path.endswith("/")))
        return self._seen

    def _place(self, path: str) -> str:
        """A path of the list as the part's tree has it."""
        return path

    def _listed(self) -> dict[str, int]:
        if self._ignored is None:
            blob = self._part.refs.get("ignored")
            self._ignored = {} if blob is None else decode_ignored(self._reader.get(blob, BlobKind.DOCUMENT))
        return self._ignored

    def _record(self) -> Pair:
        if self._rules is None:
            self._rules = Pair.decode(lambda blob: self._reader.get(blob, BlobKind.DOCUMENT), self._part.refs)
        return self._rules


def encode_ignored(listed: Iterable[tuple[str, int]]) -> bytes:
    """Ignored paths, a directory's with a slash at its end, and their inodes, as a document."""
    return json.dumps(sorted(listed), separators=(",", ":")).encode("ascii")


def decode_ignored(data: bytes) -> dict[str, int]:
    try:
        listed = dict(parse_json(data, "a list of ignored paths"))
    except (ValueError, TypeError) as error:
        raise Integrity("a list of ignored paths in the store is not one") from error
    if not all(isinstance(path, str) and type(inode) is int for path, inode in listed.items()):
        raise Integrity("a list of ignored paths in the store is not one")
    return listed
