"""The beginnings of bodies, looked at without reading what follows: the head of a root, and what a shared object will be."""

from __future__ import annotations

from typing import Any

from takeback.documents import tags
from takeback.errors import Integrity


def head(body: bytes) -> tuple[int, int, int]:
    """How many shared objects a root has, the levels of their index, and where its value begins."""
    if body[:1] != tags.array(4):
        raise ValueError("a root is no array of four")
    numbers, at = [], 1
    for _ in range(3):
        number, at = _unsigned(body, at)
        numbers.append(number)
    if numbers[0] != tags.FORMAT:
        raise Integrity(
            f"a document has format {numbers[0]}, which only a newer version reads",
            hints=["upgrade takeback: pip install --upgrade takeback"],
        )
    return numbers[1], numbers[2], at


def _unsigned(body: bytes, at: int) -> tuple[int, int]:
    """An unsigned integer of msgpack, and where it ends."""
    first = body[at]
    if first < 0x80:
        return first, at + 1
    size = {0xCC: 1, 0xCD: 2, 0xCE: 4}[first]
    return int.from_bytes(body[at + 1 : at + 1 + size]), at + 1 + size


def peek(body: bytes) -> tuple[Any, bytes]:
    """What a body is: list, dict or the code of an extension; and the data of that."""
    first = body[0]
    if 0x90 <= first <= 0x9F or first in (0xDC, 0xDD):
        return list, b""
    if 0x80 <= first <= 0x8F or first in (0xDE, 0xDF):
        return dict, b""
    if 0xD4 <= first <= 0xD8:
        return body[1], body[2:]
    size = {0xC7: 1, 0xC8: 2, 0xC9: 4}[first]
    return body[1 + size], body[2 + size :]


def leading(data: bytes, count: int) -> list[Any]:
    """The first elements of an array, each None, a string or an unsigned integer."""
    if not data or not 0x90 + count <= data[0] <= 0x9F:
        raise ValueError("an extension holds no array")
    found: list[Any] = []
    at = 1
    for _ in range(count):
        kind = data[at]
        if kind == 0xC0:
            found.append(None)
            at += 1
        elif 0xA0 <= kind <= 0xBF or 0xD9 <= kind <= 0xDB:
            width = {0xD9: 1, 0xDA: 2, 0xDB: 4}.get(kind, 0)
            size = int.from_bytes(data[at + 1 : at + 1 + width]) if width else kind & 0x1F
            at += 1 + width + size
            found.append(data[at - size : at].decode())
        else:
            number, at = _unsigned(data, at)
            found.append(number)
    return found
