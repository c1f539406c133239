"""All blobs of a document, for whoever copies, collects, weighs or searches them: no value is ever decoded here.

Blobs are named by their hashes, so no document leads to itself; but a few can lead to each other in more ways than can
be counted. A walk comes by each once, however many lead to it, and needs no more depth than it has memory for.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator

from takeback.documents.blobs import Links, Reads, links
from takeback.model.ids import BlobKind


def load(reader: Reads, blob: bytes) -> Links:
    """What a document blob leads to; Integrity if it is none, or is not there."""
    return links(reader.get(blob, BlobKind.DOCUMENT))


def walk(find: Callable[[bytes], Links], root: bytes, known: Container[bytes]) -> Iterator[tuple[bytes, Links]]:
    """Every document blob from ``root`` on that is not ``known``, with what it leads to; what leads to another comes
    after it. Whoever goes on adding what comes to ``known`` walks over many documents as over one."""
    given: set[bytes] = set()
    way: list[tuple[bytes, Links, Iterator[bytes]]] = []

    def enter(blob: bytes) -> bool:
        if blob in given or blob in known:
            return False
        given.add(blob)
        found = find(blob)
        way.append((blob, found, iter(found.documents)))
        return True

    enter(root)
    while way:
        blob, found, inner = way[-1]
        if not any(map(enter, inner)):
            way.pop()
            yield blob, found
