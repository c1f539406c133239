"""What a container's directories looked like when they were last captured, so that unchanged files are not read again.

Kept in memory for the next capture of this process, and as a derived file of the store for the next process. The file holds
only how paths looked; what they were is what the last snapshot has there, but for directories, of which that tells less. It counts for that snapshot, and for the very
directories that it was made of: another container's look the same by chance only.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from takeback.errors import Integrity, NotFound
from takeback.model.tree import DIRECTORY, name_bytes
from takeback.sources.container import content
from takeback.sources.container.overlay.reading import Seen
from takeback.sources.workspace.statcache import decode_cache, encode_cache, encode_section

if TYPE_CHECKING:
    from takeback.store.reader import Reader

Identity = tuple[int, int]
"""Device and inode of a directory."""

_NO_RULES = bytes(32)


class Recall:
    """By area: the directory it was, and what was seen in it."""

    def __init__(self, areas: Mapping[str, tuple[Identity, Seen]] = MappingProxyType({})) -> None:
        self._areas = dict(areas)

    def copied(self) -> Recall:
        """Another one with the same in it: what a capture sees counts only if all of it was put where it belongs."""
        return Recall(self._areas)

    def seen(self, area: str, top: str) -> Seen:
        """What was seen in a directory; nothing if that was another one."""
        identity, seen = self._areas.get(area, ((0, 0), {}))
        return seen if identity == _identity(top) else {}

    def note(self, area: str, top: str, seen: Seen) -> None:
        self._areas[area] = (_identity(top), seen)

    def encode(self, tree: bytes) -> bytes:
        """All of it, for the snapshot whose content is this."""
        note = json.dumps({area: identity for area, (identity, _) in self._areas.items()}).encode("ascii")
        sections = {
            area: encode_section(
                tree, _NO_RULES, [(path, found.kind, look, found.id) for path, (look, found) in seen.items()]
            )
            for area, (_, seen) in self._areas.items()
        }
        return encode_cache(tree, note, sections)


def recall(data: bytes | None, tree: bytes | None, reader: Reader) -> Recall:
    """What `Recall.encode` wrote for a snapshot's content; nothing if it is of another."""
    remembered = Recall()
    cache = decode_cache(data, tree)
    if tree is None or not len(cache):
        return remembered
    try:
        identities = json.loads(cache.note)
        for area, (device, inode) in identities.items():
            section = cache.section(area)
            was = {each.path: each for each in content.found_in(reader, tree, area)}
            if section is not None:
                seen = {
                    path: (look, was[path])
                    for path, kind, look, id in section.rows()
                    if kind != DIRECTORY and path in was and was[path].kind == kind and was[path].id == id
                }
                remembered._areas[area] = ((device, inode), seen)
    except (ValueError, TypeError, AttributeError, Integrity, NotFound):
        return Recall()
    return remembered


def _identity(top: str) -> Identity:
    status = os.stat(name_bytes(top))
    return status.st_dev, status.st_ino
