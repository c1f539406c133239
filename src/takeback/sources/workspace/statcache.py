"""What the files looked like to `stat` when they were last captured, so that unchanged ones are not read again.

A derived file: it may vanish at any time, and counts only for the tree that it was written for. One section for each
directory, so that a directory in which nothing changed is neither decoded into objects nor encoded again.

Section: tree id (32), rules fingerprint (32), count (u32), length of names (u32), names joined by NUL, kinds (one byte
an entry), stats (mode u32, size, mtime, ctime, inode), ids (32 each). Kinds are those of `takeback.model.tree`, and
``i`` and ``I`` for an ignored file and directory. A file that may change without its stat changing (it was written in
the very tick in which it was read) has the earliest mtime that fits, which no file has: git's racy rule. So has one
whose own times do not fit.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from itertools import compress

from takeback.model.tree import name_bytes, name_text

Stat = tuple[int, int, int, int, int]
"""mode, size, mtime_ns, ctime_ns, inode."""

IGNORED_FILE, IGNORED_DIRECTORY = "i", "I"
RACY = -(1 << 63)

_MAGIC = b"takeback stat cache 1\n"
_COUNTS = struct.Struct("<II")
_HEAD = struct.Struct("<32s32sII")
_STAT = struct.Struct("<IQqqQ")


class Section:
    """One directory's remembered entries, decoded in columns."""

    __slots__ = ("_ids", "_names", "_places", "data", "fingerprint", "kinds", "stats", "tree")

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.tree: bytes
        self.fingerprint: bytes
        self.tree, self.fingerprint, count, length = _HEAD.unpack_from(data)
        names_end = _HEAD.size + length
        stats_start = names_end + count
        ids_start = stats_start + count * _STAT.size
        if len(data) != ids_start + count * 32:
            raise ValueError("a section's length is wrong")
        text = data[_HEAD.size : names_end].decode("utf-8", "surrogateescape")
        self._names = text.split("\0") if count else []
        self.kinds = data[names_end:stats_start].decode("ascii")
        self.stats: dict[str, Stat] = dict(
            zip(self._names, _STAT.iter_unpack(data[stats_start:ids_start]), strict=True)
        )
        self._ids = data[ids_start:]
        self._places: dict[str, int] | None = None

    def __len__(self) -> int:
        return len(self._names)

    def kind(self, name: str) -> str | None:
        place = self._place(name)
        return None if place is None else self.kinds[place]

    def id(self, name: str) -> bytes:
        place = self._place(name)
        assert place is not None
        return self._ids[place * 32 : place * 32 + 32]

    def holds(self, name: str, kind: str, seen: Stat, id: bytes) -> bool:
        """Whether an entry is remembered exactly so."""
        return self.stats.get(name) == seen and self.kind(name) == kind and self.id(name) == id

    def ignored(self) -> Iterator[tuple[str, bool]]:
        """Names that were ignored, and whether each is a directory."""
        if "i" in self.kinds or "I" in self.kinds:
            for name in compress(self._names, (kind in "iI" for kind in self.kinds)):
                yield name, self.kind(name) == IGNORED_DIRECTORY

    def _place(self, name: str) -> int | None:
        if self._places is None:
            self._places = {each: number for number, each in enumerate(self._names)}
        return self._places.get(name)


def encode_section(tree: bytes, fingerprint: bytes, entries: Iterable[tuple[str, str, Stat, bytes]]) -> bytes:
    """A section of (name, kind, stat, id) rows."""
    rows = list(entries)
    names = b"\0".join([name_bytes(row[0]) for row in rows])
    kinds = "".join([row[1] for row in rows]).encode("ascii")
    stats = b"".join([_pack(row[2]) for row in rows])
    return (
        _HEAD.pack(tree, fingerprint, len(rows), len(names))
        + names
        + kinds
        + stats
        + b"".join([row[3] for row in rows])
    )


def _pack(seen: Stat) -> bytes:
    try:
        return _STAT.pack(*seen)
    except struct.error:  # a time before 1677 or after 2262
        return _STAT.pack(seen[0], seen[1], RACY, 0, seen[4])


class StatCache:
    """All sections of one workspace, for one tree."""

    def __init__(self, sections: dict[bytes, bytes] | None = None, note: bytes = b"") -> None:
        self._sections = sections or {}
        self.note = note
        """What the ignore rules want to remember beside it."""

    def section(self, path: str) -> Section | None:
        data = self._sections.get(name_bytes(path))
        try:
            return None if data is None else Section(data)
        except (struct.error, ValueError):
            return None

    def items(self) -> Iterator[tuple[str, bytes]]:
        return ((name_text(path), data) for path, data in self._sections.items())

    def __len__(self) -> int:
        return len(self._sections)


def encode_cache(tree: bytes, note: bytes, sections: dict[str, bytes]) -> bytes:
    pieces = [_MAGIC, tree, _COUNTS.pack(len(sections), len(note)), note]
    for path, section in sections.items():
        raw = name_bytes(path)
        pieces += (_COUNTS.pack(len(raw), len(section)), raw, section)
    return b"".join(pieces)


def decode_cache(data: bytes | None, tree: bytes | None) -> StatCache:
    """The cache, if it is one and belongs to this tree; otherwise an empty one."""
    start = len(_MAGIC) + 32
    if data is None or tree is None or data[: len(_MAGIC)] != _MAGIC or data[len(_MAGIC) : start] != tree:
        return StatCache()
    sections = {}
    try:
        count, note_length = _COUNTS.unpack_from(data, start)
        place = start + _COUNTS.size + note_length
        note = data[start + _COUNTS.size : place]
        for _ in range(count):
            path_length, length = _COUNTS.unpack_from(data, place)
            place += _COUNTS.size
            sections[data[place : place + path_length]] = data[place + path_length : place + path_length + length]
            place += path_length + length
    except struct.error:
        return StatCache()
    return StatCache(sections, note) if place == len(data) else StatCache()
