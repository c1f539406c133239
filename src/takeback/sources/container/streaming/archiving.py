"""Writing a tar archive for the Engine to unpack, piece by piece: what is to stand in an area, with its content.

PAX, because names, times, owners and extended attributes may be anything; only what does not fit into a plain header
is written there.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator

from takeback.errors import Integrity
from takeback.model.tree import DIRECTORY, FILE, LINK, name_bytes
from takeback.sources.container.found import BLOCK, CHARACTER, FIFO, WHITEOUT, Content, Found

_BLOCK = 512
_HEADER = struct.Struct("100s8s8s8s12s12s8sc100s8s64s8s8s167x")
_USTAR = b"ustar\x0000"
_TYPES = {FILE: b"0", LINK: b"2", CHARACTER: b"3", WHITEOUT: b"3", BLOCK: b"4", DIRECTORY: b"5", FIFO: b"6"}
_HARD = b"1"
_PIECE = 1 << 18
_OPAQUE = b"SCHILY.xattr.trusted.overlay.opaque"
_LONGEST = 100
_OWNER = 0o7777777
_SIZE = 0o77777777777


def archive_of(found: Iterable[Found], content: Content, root: str, present: Iterable[str] = ()) -> Iterator[bytes]:
    """The archive, with every path below ``root``; parents are to come before children.

    Of a file with several names the first to come is written, the others are links to it. ``present`` are names of such
    files that are in place already.
    """
    gathered: list[bytes] = []
    size = 0
    for piece in _pieces(found, content, root, {name: name for name in present}):
        gathered.append(piece)
        size += len(piece)
        if size >= _PIECE:
            yield b"".join(gathered)
            gathered, size = [], 0
    yield b"".join([*gathered, bytes(2 * _BLOCK)])


def _pieces(found: Iterable[Found], content: Content, root: str, first: dict[str, str]) -> Iterator[bytes]:
    for each in found:
        if each.kind == FILE and each.link:
            same = first.setdefault(each.link, each.path)
            if same != each.path:
                yield _entry(each, _HARD, _path(root, each.path), _path(root, same), 0)
                continue
        target = b"".join(content(each.id)) if each.kind == LINK else b""
        size = each.size if each.kind == FILE else 0
        yield _entry(each, _TYPES[each.kind], _path(root, each.path), target, size)
        if each.kind == FILE:
            yield from _content(each, content)


def _content(each: Found, content: Content) -> Iterator[bytes]:
    left = each.size
    for piece in content(each.id) if each.size else ():
        left -= len(piece)
        if left < 0:
            break
        yield piece
    if left:
        raise Integrity(f"the stored content of /{each.path} is not the {each.size} bytes that it should be")
    yield bytes(-each.size % _BLOCK)


def _path(root: str, path: str) -> bytes:
    return name_bytes(f"{root}/{path}" if root and path else root or path)


def _entry(each: Found, type: bytes, path: bytes, target: bytes, size: int) -> bytes:
    more: list[tuple[bytes, bytes]] = []
    for key, text in ((b"path", path), (b"linkpath", target)):
        if len(text) > _LONGEST or not text.isascii():
            more.append((key, text))
    numbers = (
        (b"size", size, _SIZE),
        (b"uid", each.uid, _OWNER),
        (b"gid", each.gid, _OWNER),
        (b"mtime", each.mtime, _SIZE),
    )
    more += [(key, b"%d" % number) for key, number, most in numbers if not 0 <= number <= most]
    more += [(b"SCHILY.xattr." + name.encode(), value) for name, value in each.xattrs.items()]
    if each.opaque:
        more.append((_OPAQUE, b"y"))
    header = _header(each, type, path, target, size)
    if not more:
        return header
    records = b"".join([_record(key, value) for key, value in more])
    extended = _header(Found("", FILE), b"x", b"PaxHeaders/0", b"", len(records))
    return b"".join([extended, records, bytes(-len(records) % _BLOCK), header])


def _record(key: bytes, value: bytes) -> bytes:
    """The length counts its own digits."""
    rest = len(key) + len(value) + 3
    length = rest + len(str(rest))
    if len(str(length)) + rest != length:
        length = rest + len(str(length))
    return b"%d %s=%s\n" % (length, key, value)


def _header(each: Found, type: bytes, path: bytes, target: bytes, size: int) -> bytes:
    fields = [
        path[:_LONGEST] if path.isascii() else b"x",
        _octal(each.mode, 8),
        _octal(each.uid, 8),
        _octal(each.gid, 8),
        _octal(size, 12),
        _octal(each.mtime, 12),
        b" " * 8,
        type,
        target[:_LONGEST] if target.isascii() else b"x",
        _USTAR,
        b"",
        _octal(each.device[0], 8),
        _octal(each.device[1], 8),
    ]
    checksum = b"%06o\0 " % sum(_HEADER.pack(*fields))
    return _HEADER.pack(*fields[:6], checksum, *fields[7:])


def _octal(number: int, width: int) -> bytes:
    """A number with a NUL behind it; what does not fit stands in an extended header, or, of devices, as GNU writes it."""
    if 0 <= number < 8 ** (width - 1):
        return b"%0*o\0" % (width - 1, number)
    return (0x80 << 8 * (width - 1) | number).to_bytes(width, "big") if width == 8 and number >= 0 else bytes(width)
