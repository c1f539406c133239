"""Rows out of the pages of a SQLite file, decoded by hand, for when SQLite itself refuses the file.

This is SQLite's published file format: a page is a b-tree's leaf or inner node, a cell holds a record, a record that is
too long goes on in a chain of overflow pages. Everything is bounded and checked, because any byte may be wrong; what
cannot be decoded is left out.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from typing import NamedTuple

from takeback.store.catalogue.database import Row

TABLE_LEAF, TABLE_INNER, INDEX_LEAF, INDEX_INNER = 0x0D, 0x05, 0x0A, 0x02
_INTEGERS = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}
_LONGEST = 64 << 20


class Undecodable(Exception):
    """These bytes are no cell or no record."""


class Page(NamedTuple):
    """One b-tree page, taken apart."""

    kind: int
    children: tuple[int, ...]
    rows: tuple[Row, ...]
    damaged: int
    """Cells that could not be decoded."""


def decode_page(data: bytes, start: int, reserved: int, overflow: Callable[[int], bytes | None]) -> Page | None:
    """A page's records and children; None if it is no b-tree page. ``start`` is 100 for the first page of a file."""
    kind = data[start]
    if kind not in (TABLE_LEAF, TABLE_INNER, INDEX_LEAF, INDEX_INNER):
        return None
    inner = kind in (TABLE_INNER, INDEX_INNER)
    head = start + (12 if inner else 8)
    (count,) = struct.unpack_from(">H", data, start + 3)
    if head + 2 * count > len(data):
        return None
    children = [struct.unpack_from(">I", data, start + 8)[0]] if inner else []
    rows: list[Row] = []
    damaged = 0
    for (at,) in struct.iter_unpack(">H", data[head : head + 2 * count]):
        try:
            if inner:
                children.append(struct.unpack_from(">I", data, at)[0])
            if kind != TABLE_INNER:
                rows.append(decode_record(_payload(data, at + (4 if inner else 0), kind, reserved, overflow)))
        except (Undecodable, struct.error, IndexError):
            damaged += 1
    return Page(kind, tuple(children), tuple(rows), damaged)


def _payload(data: bytes, at: int, kind: int, reserved: int, overflow: Callable[[int], bytes | None]) -> bytes:
    size, at = _varint(data, at)
    if kind == TABLE_LEAF:
        _, at = _varint(data, at)
    usable = len(data) - reserved
    most = usable - 35 if kind == TABLE_LEAF else (usable - 12) * 64 // 255 - 23
    if not 0 < size <= _LONGEST:
        raise Undecodable
    if size <= most:
        return _exactly(data[at : at + size], size)
    least = (usable - 12) * 32 // 255 - 23
    local = least + (size - least) % (usable - 4)
    if local > most:
        local = least
    found = bytearray(_exactly(data[at : at + local], local))
    (following,) = struct.unpack_from(">I", data, at + local)
    while len(found) < size:
        page = overflow(following)
        if page is None:
            raise Undecodable
        (following,) = struct.unpack_from(">I", page)
        found += page[4 : min(usable, 4 + size - len(found))]
    return bytes(found)


def decode_record(data: bytes) -> Row:
    """A record's values: None, integers, text and bytes; Undecodable for anything else."""
    head, at = _varint(data, 0)
    values: list[int | str | bytes | None] = []
    place = head
    while at < head:
        kind, at = _varint(data, at)
        value: int | str | bytes | None
        if kind == 0:
            length, value = 0, None
        elif kind in _INTEGERS:
            length = _INTEGERS[kind]
            value = int.from_bytes(_exactly(data[place : place + length], length), "big", signed=True)
        elif kind in (8, 9):
            length, value = 0, kind - 8
        elif kind >= 12:
            length = (kind - 12) // 2
            piece = _exactly(data[place : place + length], length)
            value = piece if kind % 2 == 0 else _text(piece)
        else:
            raise Undecodable  # a real number, which no table here has
        values.append(value)
        place += length
    if at != head or place != len(data):
        raise Undecodable
    return tuple(values)


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = 0
    for number in range(9):
        byte = data[at + number]
        if number == 8:
            return (value << 8) | byte, at + 9
        value = (value << 7) | (byte & 0x7F)
        if byte < 0x80:
            return value, at + number + 1
    raise Undecodable


def _exactly(data: bytes, length: int) -> bytes:
    if len(data) != length:
        raise Undecodable
    return data


def _text(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise Undecodable from error


def pages_of(data: bytes, size: int) -> Iterator[bytes]:
    return (data[start : start + size] for start in range(0, len(data) - size + 1, size))
