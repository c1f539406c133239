"""Elements of live lists that became leaves when they were captured, and have not changed since.

Where the same leaf is read again, they stand for it: what did not change between two snapshots is then neither decoded nor
compared when one of them is restored.
"""

from __future__ import annotations

from typing import Any

from blake3 import blake3

from takeback.documents.blobs import join
from takeback.documents.plain import pack
from takeback.documents.recalling import Cut, Recall


class Standing:
    """Gives each of them out once."""

    def __init__(self, recall: Recall | None = None) -> None:
        self._free: dict[bytes, list[tuple[Cut, int, int]]] = {}
        for cut in recall.cuts.values() if recall is not None else ():
            for begin, (end, leaf, _) in cut.leaves.items():
                self._free.setdefault(leaf, []).append((cut, begin, end))
        self._plain: list[tuple[bytes, list[Any]]] = []
        self.ids: set[int] = set()
        """Identities of all elements that were given out."""

    def take(self, leaf: bytes) -> list[Any] | None:
        places = self._free.get(leaf)
        if not places:
            return None
        cut, begin, end = places.pop()
        found = (cut.origin if cut.elements is None else cut.elements)[begin:end]
        if cut.plain:
            self._plain.append((leaf, found))
        self.ids.update(map(id, found))
        return found

    def unchanged(self) -> bool:
        """Whether all plain data that was given out still is what its leaves say."""
        return all(blake3(join((), (), pack(found))).digest() == leaf for leaf, found in self._plain)
