"""What a restore must not touch: paths that a snapshot lacks only because it could not, or was told not to, hold them.

Absence from a snapshot is absence from the world only if the path would have been captured, had it been there.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from takeback.errors import Integrity
from takeback.model.ids import BlobKind
from takeback.model.jsontext import parse_json
from takeback.model.snapshot import Part
from takeback.sources import trees
from takeback.sources.workspace.ignore.record import Pair
from takeback.store.reader import Reader


class Guard:
    """What one part says about paths that it does not hold."""

    def __init__(self, reader: Reader, part: Part) -> None:
        self._reader = reader
        self._part = part
        self._left_out = {item.path: item.reason for item in part.not_captured if item.whole}
        self._ignored: dict[str, int] | None = None
        self._rules: Pair | None = None

    def absent_by_choice(self, path: str, is_directory: bool) -> str:
        """Why the part's lack of a path proves nothing; empty if the path really was not there."""
        reason = self.stands_uncaptured(path)
        if not reason and self._record().ignored(path, is_directory):
            reason = "ignored"
        return f"it was not captured then ({reason})" if reason else ""

    def stands_uncaptured(self, path: str) -> str:
        """Why something that exists at, or above, a path is not in the part; empty if nothing of the kind was seen."""
        for each in (path, *trees.parents(path)):
            if each in self._left_out:
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

    def gone_from(self, later: Guard) -> frozenset[int]:
        """Inodes of ignored paths that a later part does not list any more: removed, or moved to another name."""
        still = later._listed()
        return frozenset(inode for path, inode in self._listed().items() if path not in still)

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
