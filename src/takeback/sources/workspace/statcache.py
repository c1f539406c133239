"""What the files looked like to `stat` when they were last captured, so that unchanged ones are not read again.

A derived file: it may vanish at any time, and counts only for the tree that it was written for. One section for each
directory, so that a directory in which nothing changed is neither decoded into objects nor encoded again.

Section: tree id (32), rules fingerprint (32), whether it is plain (u8), count (u32), length of names (u32), names joined
by NUL, kinds (one byte an entry), stats (mode u32, size, mtime, ctime, inode), ids (32 each); entries are in the order
in which the system listed them. A plain directory holds nothing but files and links of which nothing has to be said
again, and ignored files, so that one comparison tells whether it is as it was. Kinds are those of `takeback.model.tree`, and
``i`` and ``I`` for an ignored file and directory; a directory's stat is not remembered. A file that may change without its
stat changing (it was written in the very tick in which it was read) has the earliest mtime that fits, which no file has:
git's racy rule. So has one whose own times do not fit.

Beside the sections: a note of what git tracks, and the files that were written shortly before they were read, whose bytes
are compared the next time although their stat is the same.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Sequence
from itertools import compress

from takeback.model.tree import name_bytes, name_text

Stat = tuple[int, int, int, int, int]
"""mode, size, mtime_ns, ctime_ns, inode."""

Row = tuple[str, str, Stat, bytes]
"""name, kind, stat, id."""

IGNORED_FILE, IGNORED_DIRECTORY = "i", "I"
_IGNORED = ord(IGNORED_FILE)
RACY = -(1 << 63)
NOTED = 0o6000
"""Bits of a mode that are listed as not captured, each time."""

_MAGIC = b"takeback stat cache 3\n"
_COUNTS = struct.Struct("<II")
_HEADS = struct.Struct("<III")
_HEAD = struct.Struct("<32s32sBII")
_STAT = struct.Struct("<IQqqQ")


class Section:
    """One directory's remembered entries, decoded in columns when they are asked for."""

    __slots__ = ("_count", "_ids_start", "_names_end", "_places", "_stats", "data", "fingerprint", "plain", "tree")

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.tree: bytes
        self.fingerprint: bytes
        self.plain: bool
        self._count: int
        self.tree, self.fingerprint, self.plain, self._count, length = _HEAD.unpack_from(data)
        self._names_end = _HEAD.size + length
        self._ids_start = self._names_end + self._count * (1 + _STAT.size)
        if len(data) != self._ids_start + self._count * 32:
            raise ValueError("a section's length is wrong")
        if data.count(b"\0", _HEAD.size, self._names_end) != max(self._count - 1, 0):
            raise ValueError("a section's names do not match its count")
        self._stats: dict[str, Stat] | None = None
        self._places: dict[str, int] | None = None

    def __len__(self) -> int:
        return self._count

    @property
    def stats(self) -> dict[str, Stat]:
        if self._stats is None:
            self._stats = dict(zip(self.names(), self._looks(), strict=True))
        return self._stats

    def matches(self, names: Sequence[str], looks: Iterable[Stat]) -> bool:
        """Whether exactly these entries are remembered, in this order; ``looks`` is asked only if the names are."""
        if "\0".join(names) != self._text():
            return False
        return list(looks) == list(self._looks())

    def kind(self, name: str) -> str | None:
        place = self._place(name)
        return None if place is None else chr(self.data[self._names_end + place])

    def id(self, name: str) -> bytes:
        place = self._place(name)
        assert place is not None
        start = self._ids_start + place * 32
        return self.data[start : start + 32]

    def rows(self) -> list[Row]:
        """All remembered entries."""
        kinds = self.data[self._names_end : self._names_end + self._count].decode("latin-1")
        ids = [self.data[start : start + 32] for start in range(self._ids_start, len(self.data), 32)]
        return list(zip(self.names(), kinds, self._looks(), ids, strict=True))

    def all_ignored(self) -> bool:
        return not self.data[self._names_end : self._names_end + self._count].strip(b"iI")

    def holds(self, name: str, kind: str, seen: Stat, id: bytes) -> bool:
        """Whether an entry is remembered exactly so."""
        return self.stats.get(name) == seen and self.kind(name) == kind and self.id(name) == id

    def ignored(self) -> Iterator[tuple[str, bool]]:
        """Names that were ignored, and whether each is a directory."""
        kinds = self.data[self._names_end : self._names_end + self._count]
        if b"i" in kinds or b"I" in kinds:
            for name in compress(self.names(), (kind in b"iI" for kind in kinds)):
                yield name, self.kind(name) == IGNORED_DIRECTORY

    def ignored_files(self) -> Iterator[tuple[str, Stat]]:
        """Ignored files, and what each looked like."""
        kinds = self.data[self._names_end : self._names_end + self._count]
        if b"i" in kinds:
            yield from compress(zip(self.names(), self._looks(), strict=True), (kind == _IGNORED for kind in kinds))

    def _place(self, name: str) -> int | None:
        if self._places is None:
            self._places = {each: number for number, each in enumerate(self.names())}
        return self._places.get(name)

    def _text(self) -> str:
        return self.data[_HEAD.size : self._names_end].decode("utf-8", "surrogateescape")

    def names(self) -> list[str]:
        return self._text().split("\0") if self._count else []

    def _looks(self) -> Iterator[Stat]:
        return _STAT.iter_unpack(self.data[self._names_end + self._count : self._ids_start])


def encode_section(tree: bytes, fingerprint: bytes, rows: Sequence[Row]) -> bytes:
    names = b"\0".join([name_bytes(row[0]) for row in rows])
    kinds = "".join([row[1] for row in rows]).encode("ascii")
    plain = not kinds.strip(b"fli") and not any(row[2][0] & NOTED for row in rows)
    stats = b"".join([_pack(row[2]) for row in rows])
    return (
        _HEAD.pack(tree, fingerprint, plain, len(rows), len(names))
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

    def __init__(
        self, sections: dict[bytes, bytes] | None = None, note: bytes = b"", lately: Sequence[str] = ()
    ) -> None:
        self._sections = sections or {}
        self.note = note
        """What the ignore rules want to remember beside it."""
        self.lately = tuple(lately)
        """The paths of files whose bytes are compared although their stat is the same."""

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


def encode_cache(tree: bytes, note: bytes, sections: dict[str, bytes], lately: Sequence[str] = ()) -> bytes:
    paths = b"\0".join(map(name_bytes, lately))
    pieces = [_MAGIC, tree, _HEADS.pack(len(sections), len(note), len(paths)), note, paths]
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
        count, note_length, paths_length = _HEADS.unpack_from(data, start)
        place = start + _HEADS.size
        note = data[place : place + note_length]
        place += note_length + paths_length
        paths = data[place - paths_length : place]
        for _ in range(count):
            path_length, length = _COUNTS.unpack_from(data, place)
            place += _COUNTS.size
            sections[data[place : place + path_length]] = data[place + path_length : place + path_length + length]
            place += path_length + length
    except struct.error:
        return StatCache()
    if place != len(data):
        return StatCache()
    return StatCache(sections, note, name_text(paths).split("\0") if paths else ())
