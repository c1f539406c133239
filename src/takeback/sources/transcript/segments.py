"""How a conversation is stored: a tree of segments, each some whole lines, in the order of their names.

An agent adds lines at the end. A segment is closed by the first line that makes it long enough, so a grown conversation
shares all segments but the last with what it was, whoever cuts it and whenever.
"""

from __future__ import annotations

from collections.abc import Iterator

from takeback.errors import Integrity
from takeback.model.ids import BlobKind
from takeback.model.tree import FILE, Entry, encode_tree
from takeback.sources import trees
from takeback.store.reader import Reader
from takeback.store.writer import Writer

SEGMENT = 32 << 10
LONGEST = 256 << 20
"""No conversation is longer than this; what claims to be is not read."""


def put(writer: Writer, data: bytes) -> bytes:
    """Store a conversation; the id of its tree."""
    entries = {}
    for number, segment in enumerate(_cut(data)):
        entries[f"{number:08d}"] = Entry(FILE, 0o600, len(segment), writer.put(segment, BlobKind.DATA))
    return writer.put(encode_tree(entries), BlobKind.TREE)


def size(reader: Reader, tree: bytes) -> int:
    return sum(entry.size for entry in _load(reader, tree))


def get(reader: Reader, tree: bytes, length: int | None = None) -> bytes:
    """The first bytes of a conversation, or all of it."""
    pieces: list[bytes] = []
    left = LONGEST if length is None else length
    for entry in _load(reader, tree):
        if left <= 0:
            break
        pieces.append(b"".join(reader.stream(entry.id))[:left])
        left -= len(pieces[-1])
    return b"".join(pieces)


def _load(reader: Reader, tree: bytes) -> list[Entry]:
    entries = list(trees.load_checked(reader, tree, 0).values())
    if any(entry.kind != FILE for entry in entries) or sum(entry.size for entry in entries) > LONGEST:
        raise Integrity("a stored conversation is not one", hints=["`takeback verify` finds out what is damaged"])
    return entries


def _cut(data: bytes) -> Iterator[bytes]:
    start = 0
    while start < len(data):
        end = data.find(b"\n", start + SEGMENT - 1) + 1 or len(data)
        yield data[start:end]
        start = end
