"""Documents of agents' states: any blobs under one root, read, written again, compared and put back in place."""

from __future__ import annotations

import struct

from takeback import documents
from takeback.documents.memory import Blobs
from takeback.model.ids import BlobKind

_LENGTH = struct.Struct("<I")


class Thing:
    """The class that may come back."""

    def __init__(self) -> None:
        self.items: list[object] = []


class Words(list[object]):
    """Another one, with a content of its own."""


_TYPES = (Thing, Words)


def document(data: bytes) -> None:
    """The input is a list of blobs, each after its length; the last one is the root, and ids are numbers of blobs before."""
    blobs, id = _unpacked(data)
    value = documents.get(blobs, id, types=_TYPES)
    again = documents.put(blobs, value, holes=True)
    twice = documents.put(blobs, documents.get(blobs, again.id, types=_TYPES), holes=True)
    assert twice.id == again.id, "what was read is written the same way each time"
    assert not list(documents.compare(blobs, again.id, blobs, twice.id))
    other = documents.put(blobs, [1, {"a": [b"b", None]}])
    assert again.id == other.id or list(documents.compare(blobs, again.id, blobs, other.id))
    documents.holes_in(documents.get(blobs, id, unknown="record"), "state")


def _unpacked(data: bytes) -> tuple[Blobs, bytes]:
    """Blobs whose first 32 bytes of links each begin with the number of another one."""
    blobs = Blobs()
    ids = [bytes(32)]
    while len(data) >= _LENGTH.size:
        (size,) = _LENGTH.unpack_from(data)
        blob, data = data[_LENGTH.size : _LENGTH.size + size], data[_LENGTH.size + size :]
        ids.append(blobs.put(_linked(blob, ids), BlobKind.DOCUMENT))
    return blobs, ids[-1]


def _linked(blob: bytes, ids: list[bytes]) -> bytes:
    """A blob in which numbers stand for the ids of earlier blobs: one byte each, right behind the head."""
    head = struct.Struct("<2sII")
    if len(blob) < head.size:
        return blob
    _, documents_, contents = head.unpack_from(blob)
    count = documents_ + contents
    if count > 256 or len(blob) < head.size + count:
        return blob
    numbers = blob[head.size : head.size + count]
    return blob[: head.size] + b"".join(ids[number % len(ids)] for number in numbers) + blob[head.size + count :]


def packed(value: object) -> bytes:
    """A seed of a value."""
    blobs = _Ordered()
    documents.put(blobs, value, holes=True)
    out = b""
    for blob in blobs.order:
        head = struct.Struct("<2sII")
        if blob[:2] == b"D1" and len(blob) >= head.size:
            _, some, more = head.unpack_from(blob)
            count = some + more
            links = [blob[head.size + 32 * at : head.size + 32 * at + 32] for at in range(count)]
            numbers = bytes(blobs.numbers[link] % 256 for link in links)
            blob = blob[: head.size] + numbers + blob[head.size + 32 * count :]
        out += _LENGTH.pack(len(blob)) + blob
    return out


class _Ordered(Blobs):
    """Remembers in which order blobs came."""

    def __init__(self) -> None:
        super().__init__()
        self.order: list[bytes] = []
        self.numbers: dict[bytes, int] = {}

    def put(self, data: bytes, kind: BlobKind) -> bytes:
        id = super().put(data, kind)
        if id not in self.numbers:
            self.order.append(data)
            self.numbers[id] = len(self.order)
        return id


def _seeds() -> list[bytes]:
    import datetime as dt
    import pathlib
    import re
    import uuid
    from collections import OrderedDict, defaultdict, deque
    from decimal import Decimal
    from fractions import Fraction
    from types import SimpleNamespace
    from zoneinfo import ZoneInfo

    thing = Thing()
    thing.items = [thing, Words([1, thing]), (1, {2}, frozenset({3}))]
    small = {
        "plain": [None, True, -1, 1 << 70, 2.5, "text", "\ud800", b"bytes"],
        "values": [
            dt.datetime(2020, 1, 2, 3, 4, 5, 6, ZoneInfo("UTC"), fold=1), dt.date(1, 2, 3), dt.timedelta(1), Decimal("1.50"),
            Fraction(1, 3), uuid.UUID(int=5), pathlib.PurePosixPath("a/b"), re.compile("a+"), 1j, range(3), slice(1), ...,
            dt.timezone(dt.timedelta(hours=1), "x"),
        ],
        5: [deque([1], 5), OrderedDict(a=1), defaultdict(list, a=[1]), SimpleNamespace(a=1), bytearray(b"x")],
        "live": len,
    }  # fmt: skip
    return [
        packed(small),
        packed(thing),
        packed({"long": ["x" * 5000, list(range(5000))], "set": set(range(4000))}),
        packed(5),
    ]


TARGETS = {"document": (document, _seeds())}
