"""Elements of live lists that became leaves when they were captured, and have not changed since.

Where the same leaf is read again, they stand for it: what did not change between two snapshots is then neither decoded nor
compared when one of them is restored.
"""

from __future__ import annotations

from typing import Any

from blake3 import blake3

from takeback.documents.blobs import join
from takeback.documents.plain import pack

Leaves = dict[bytes, list[tuple[list[Any], int, int]]]
"""Which elements of which plain lists became which leaf; none that leads to other blobs."""


class Standing:
    """Gives each of them out once."""

    def __init__(self, leaves: Leaves | None = None) -> None:
        self._free = {leaf: list(places) for leaf, places in (leaves or {}).items()}
        self._used: list[tuple[bytes, list[Any]]] = []
        self.ids: set[int] = set()
        """Identities of all elements that were given out."""

    def take(self, leaf: bytes) -> list[Any] | None:
        places = self._free.get(leaf)
        if not places:
            return None
        origin, begin, end = places.pop()
        found = origin[begin:end]
        self._used.append((leaf, found))
        self.ids.update(map(id, found))
        return found

    def unchanged(self) -> bool:
        """Whether all that were given out still are what their leaves say."""
        return all(blake3(join((), (), pack(found))).digest() == leaf for leaf, found in self._used)
