"""A SQLite write-ahead log, read by hand. SQLite stops at the first frame whose checksum is wrong and forgets all that
was committed after it, without a word; here the frames behind are found, too.

A frame's checksum goes on from the one before it, which stands in that frame's header: so each can be judged for itself,
and one flipped byte costs one page.
"""

from __future__ import annotations

import struct
from typing import NamedTuple

_HEAD = struct.Struct(">IIIIIIII")
_FRAME = struct.Struct(">IIIIII")
_MAGIC = 0x377F0682
_WORD = 0xFFFFFFFF


class WalFrame(NamedTuple):
    number: int
    page: int
    commits: bool
    intact: bool
    data: bytes


def frames(wal: bytes, page_size: int) -> list[WalFrame]:
    """Every frame of the log's present round, up to its last commit."""
    step = _FRAME.size + page_size
    heads = [_FRAME.unpack_from(wal, at) for at in range(_HEAD.size, len(wal) - step + 1, step)]
    if not heads:
        return []
    magic, *_, sum1, sum2 = _HEAD.unpack_from(wal)
    order = ">" if magic & 1 else "<"
    salts = _salts(wal[: _HEAD.size]) or heads[0][2:4]
    found: list[WalFrame] = []
    for number, (page, size, *frame_salts, end1, end2) in enumerate(heads):
        at = _HEAD.size + number * step
        if tuple(frame_salts) == salts:
            data = wal[at + _FRAME.size : at + step]
            sums = _checksum(wal[at : at + 8], order, (sum1, sum2))
            intact = _checksum(data, order, sums) == (end1, end2)
            found.append(WalFrame(number, page, size > 0, intact, data))
        sum1, sum2 = end1, end2
    while found and not found[-1].commits:
        found.pop()
    return found


def unread_commits(path: str, read: int, page_size: int) -> int:
    """How many commits lie in a log behind the frames that SQLite reads."""
    try:
        with open(path, "rb", buffering=0) as file:
            salts = _salts(file.read(_HEAD.size))
            count = 0
            file.seek(_HEAD.size + read * (_FRAME.size + page_size))
            while len(frame := file.read(_FRAME.size)) == _FRAME.size:
                _, size, one, two, _, _ = _FRAME.unpack(frame)
                salts = salts or (one, two)
                count += size > 0 and (one, two) == salts
                file.seek(page_size, 1)
            return count
    except OSError:
        return 0


def _salts(head: bytes) -> tuple[int, int] | None:
    """What marks the frames of a log's present round; None if its header is damaged, so that the first frame tells."""
    if len(head) < _HEAD.size:
        return None
    magic, _, _, _, salt1, salt2, sum1, sum2 = _HEAD.unpack(head)
    if magic & ~1 != _MAGIC or _checksum(head[:24], ">" if magic & 1 else "<", (0, 0)) != (sum1, sum2):
        return None
    return salt1, salt2


def _checksum(data: bytes, order: str, sums: tuple[int, int]) -> tuple[int, int]:
    first, second = sums
    words = struct.unpack(f"{order}{len(data) // 4}I", data)
    for index in range(0, len(words), 2):
        first = (first + words[index] + second) & _WORD
        second = (second + words[index + 1] + first) & _WORD
    return first, second
