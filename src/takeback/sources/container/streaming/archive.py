"""Reading a tar archive that may come from an enemy: bytes to entries, and nothing on the disk.

What comes out are paths that a tree can hold, relative to the directory that was archived: no ``..``, no absolute path, no
path twice, nothing below what is no directory, no hard link to what was not there before. Whatever else an archive claims
is Integrity. Memory is bounded by the number of entries, never by what a header says; content is read by `read`.

An archive may come from an Engine that writes PAX, as all do today, or older GNU long names. Python's own `tarfile` reads
as much as a header says into memory, lets an archive end anywhere, and takes five times as long for an entry.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from takeback.errors import Integrity
from takeback.model.tree import DIRECTORY, FILE, LINK, name_text
from takeback.sources.container.found import BLOCK, CHARACTER, FIFO, NO_XATTRS, is_bookkeeping

HARD = "h"
"""Another name of an earlier entry."""

_BLOCK = 512
_HEADER = struct.Struct("100s8s8s8s12s12s8sc100s6s2s32s32s8s8s155s12x")
_END = bytes(_BLOCK)
_KINDS = {
    b"0": FILE,
    b"\0": FILE,
    b"1": HARD,
    b"2": LINK,
    b"3": CHARACTER,
    b"4": BLOCK,
    b"5": DIRECTORY,
    b"6": FIFO,
}
_XATTR = b"SCHILY.xattr."
_EXTENDED = 1 << 20
"""More than so much is in no extended header: paths have 4 KiB, extended attributes 64 KiB each."""
_PATH = 4096
_NAME = 255
_AFTER = 1 << 20
_OWNERS = 1 << 32
_TIMES = 1 << 62
_DECIMAL = re.compile(rb"(-?)([0-9]{1,19})(?:\.([0-9]*))?")


class Truncated(Integrity):
    """The archive ended before its end: it was cut off, or a file shrank while it was read."""


class Entry(NamedTuple):
    """One entry; ``path`` is empty for the directory that was archived."""

    path: str
    kind: str
    mode: int
    uid: int
    gid: int
    mtime: int
    size: int
    target: bytes
    """What a link says; of a `HARD` one, the path that it is the same as."""
    device: tuple[int, int]
    xattrs: Mapping[str, bytes]


class Archive:
    """The entries of an archive, in order. The content of the last one is to be had by `read` until the next is asked for.

    ``root`` is the name that the archive gives to what was archived; if it has none, that itself is no entry.
    """

    def __init__(self, pieces: Iterable[bytes], root: str) -> None:
        self._stream = _Stream(pieces)
        self._root = root.encode("utf-8", "surrogateescape")
        self._left = 0
        self._padding = 0
        self._kinds: dict[str, str] = {} if root else {"": DIRECTORY}

    def read(self, count: int) -> bytes:
        """Up to ``count`` bytes of the last entry's content, all of them if there are as many; none at its end."""
        data = self._stream.exactly(min(count, self._left))
        self._left -= len(data)
        return data

    def __iter__(self) -> Iterator[Entry]:
        said: dict[bytes, bytes] = {}
        while True:
            self._stream.skip(self._left + self._padding)
            self._left = self._padding = 0
            header = self._stream.exactly(_BLOCK)
            if header == _END:
                self._finish()
                return
            fields = _unpacked(header)
            kind = fields[7]
            if kind in (b"x", b"L", b"K"):
                self._extended(kind, _number(fields[4], "size"), said)
            elif kind == b"g":
                self._meta(_number(fields[4], "size"))  # about the archive as a whole, of which nothing is needed
            else:
                entry = self._entry(fields, said)
                said = {}
                yield entry

    def _extended(self, kind: bytes, size: int, said: dict[bytes, bytes]) -> None:
        """What is too long for the header that follows."""
        data = self._meta(size)
        if kind == b"x":
            said.update(_records(data))
        else:
            said[b"path" if kind == b"L" else b"linkpath"] = data.rstrip(b"\0")

    def _meta(self, size: int) -> bytes:
        if size > _EXTENDED:
            raise _wrong(f"a header claims {size} bytes")
        data = self._stream.exactly(size)
        self._stream.skip(-size % _BLOCK)
        return data

    def _entry(self, fields: tuple[bytes, ...], said: Mapping[bytes, bytes]) -> Entry:
        kind = _KINDS.get(fields[7])
        raw = said.get(b"path") or _ustar_name(fields)
        if kind is None:
            raise _wrong(f"{_shown(raw)} is of a kind {fields[7]!r} that is not known")
        path = self._path(raw, kind)
        target = said.get(b"linkpath") or _text(fields[8])
        if kind == HARD:
            target = self._earlier(path, target)
        elif kind != LINK:
            target = b""
        elif not target or b"\0" in target or len(target) > _PATH:
            raise _wrong(f"the link {_shown(raw)} leads nowhere")
        size = _decimal(said[b"size"], "size") if b"size" in said else _number(fields[4], "size")
        if size < 0 or (size and kind != FILE):
            raise _wrong(f"{_shown(raw)} cannot have {size} bytes")
        self._left, self._padding = size, -size % _BLOCK
        return Entry(
            path,
            kind,
            _number(fields[1], "mode") & 0o7777,
            _owner(said.get(b"uid"), fields[2]),
            _owner(said.get(b"gid"), fields[3]),
            _decimal(said[b"mtime"], "time") if b"mtime" in said else _number(fields[5], "time"),
            size,
            target,
            (_number(fields[13], "device"), _number(fields[14], "device")) if kind in (CHARACTER, BLOCK) else (0, 0),
            _xattrs(said) if said else NO_XATTRS,
        )

    def _path(self, raw: bytes, kind: str) -> str:
        """A path that nothing has had yet, in a directory that was there before."""
        path = name_text(self._relative(raw, kind))
        if path in self._kinds:
            raise _wrong(f"{_shown(raw)} is there twice")
        above = path.rpartition("/")[0]
        if path and self._kinds.get(above) != DIRECTORY:
            raise _wrong(f"{_shown(raw)} lies below what is no directory")
        self._kinds[path] = kind
        return path

    def _relative(self, raw: bytes, kind: str) -> bytes:
        name = raw[:-1] if kind == DIRECTORY and raw.endswith(b"/") else raw
        if name == self._root:
            return b""
        start = self._root + b"/" if self._root else b""
        inner = name[len(start) :]
        if not name.startswith(start) or len(inner) > _PATH or b"\0" in inner:
            raise _wrong(f"{_shown(raw)} lies outside")
        for each in inner.split(b"/"):
            if each in (b"", b".", b"..") or len(each) > _NAME:
                raise _wrong(f"{_shown(raw)} is no path inside")
        return inner

    def _earlier(self, path: str, target: bytes) -> bytes:
        found = self._relative(target, FILE)
        kind = self._kinds.get(name_text(found))
        if kind is None or kind == DIRECTORY or name_text(found) == path:
            raise _wrong(f"{_shown(target)}, which {path[:80]!r} is linked to, is nothing that was there before")
        return found

    def _finish(self) -> None:
        """Nothing but zeros may follow; they are read, so that the connection can be used again."""
        if not self._kinds:
            raise _wrong("it is empty")
        rest = 0
        while piece := self._stream.some():
            rest += len(piece)
            if rest > _AFTER or piece.strip(b"\0"):
                raise _wrong("something follows its end")


class _Stream:
    """Bytes that come in pieces, taken in other pieces."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._pieces = iter(pieces)
        self._piece = b""
        self._at = 0

    def exactly(self, count: int) -> bytes:
        end = self._at + count
        if end <= len(self._piece):
            data = self._piece[self._at : end]
            self._at = end
            return data
        taken = [self._piece[self._at :]]
        count -= len(taken[0])
        while count > 0:
            self._next()
            if len(self._piece) > count:
                taken.append(self._piece[:count])
                self._at = count
            else:
                taken.append(self._piece)
                self._at = len(self._piece)
            count -= len(taken[-1])
        return b"".join(taken)

    def skip(self, count: int) -> None:
        while count > len(self._piece) - self._at:
            count -= len(self._piece) - self._at
            self._next()
        self._at += count

    def some(self) -> bytes:
        """What is at hand, or else what comes next; nothing at the end."""
        data = self._piece[self._at :] if self._at else self._piece
        self._piece, self._at = b"", 0
        return data or next(self._pieces, b"")

    def _next(self) -> None:
        self._piece, self._at = next(self._pieces, b""), 0
        if not self._piece:
            raise Truncated(
                "an archive of the Docker engine ends before its end",
                hints=["run the same command again; if a file was being written meanwhile, stop what writes it"],
            )


def _unpacked(header: bytes) -> tuple[bytes, ...]:
    fields: tuple[bytes, ...] = _HEADER.unpack(header)
    if sum(header) - sum(fields[6]) + 8 * 32 != _number(fields[6], "checksum"):
        raise _wrong("a header does not match its checksum")
    return fields


def _ustar_name(fields: tuple[bytes, ...]) -> bytes:
    name = _text(fields[0])
    prefix = _text(fields[15]) if fields[9] == b"ustar\0" else b""
    return prefix + b"/" + name if prefix else name


def _text(field: bytes) -> bytes:
    return field.partition(b"\0")[0]


def _number(field: bytes, what: str) -> int:
    """Octal, or as GNU writes what is too large for that."""
    if field[0] & 0x80:
        number = int.from_bytes(field, "big") - (0x80 << 8 * (len(field) - 1))
        if field[0] == 0xFF:
            number -= 0x80 << 8 * (len(field) - 1)
        return _bounded(number, what)
    digits = field.strip(b" \0")
    if not digits:
        return 0
    if digits.strip(b"01234567"):
        raise _wrong(f"a {what} is {digits!r}")
    return int(digits, 8)


def _decimal(raw: bytes, what: str) -> int:
    """A number of an extended header, rounded down."""
    found = _DECIMAL.fullmatch(raw)
    if found is None:
        raise _wrong(f"a {what} is {raw[:40]!r}")
    sign, whole, part = found.groups()
    number = int(whole)
    if sign:
        number = -number - (1 if part and part.strip(b"0") else 0)
    return _bounded(number, what)


def _bounded(number: int, what: str) -> int:
    if not -_TIMES < number < _TIMES:
        raise _wrong(f"a {what} is {number}")
    return number


def _owner(said: bytes | None, field: bytes) -> int:
    number = _number(field, "owner") if said is None else _decimal(said, "owner")
    if not 0 <= number < _OWNERS:
        raise _wrong(f"an owner is {number}")
    return number


def _records(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """``length key=value`` and a new line, again and again; the length is that of the whole record."""
    at = 0
    while at < len(data):
        space = data.find(b" ", at, at + 20)
        digits = data[at:space]
        if space < 0 or not digits.isdigit():
            raise _wrong("an extended header has no length")
        end = at + int(digits)
        key, equals, value = data[space + 1 : end - 1].partition(b"=")
        if end > len(data) or not equals or not key or data[end - 1 : end] != b"\n":
            raise _wrong("an extended header is cut off")
        if key.startswith(b"GNU.sparse."):
            raise _wrong("a file is written as a sparse one, as no Engine does")
        yield key, value
        at = end


def _xattrs(said: Mapping[bytes, bytes]) -> Mapping[str, bytes]:
    found = {}
    for key, value in said.items():
        if key.startswith(_XATTR):
            try:
                name = key[len(_XATTR) :].decode("utf-8")
            except UnicodeDecodeError:
                raise _wrong(f"an extended attribute is called {key[:80]!r}") from None
            if not name or "\0" in name:
                raise _wrong("an extended attribute has no name")
            if not is_bookkeeping(name):
                found[name] = value
    return found or NO_XATTRS


def _shown(raw: bytes) -> str:
    return repr(name_text(raw[:80]))


def _wrong(why: str) -> Integrity:
    return Integrity(f"an archive of the Docker engine cannot be trusted: {why}")
