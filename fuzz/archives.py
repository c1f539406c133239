"""Archives of a Docker engine."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from blake3 import blake3

from takeback.errors import Integrity
from takeback.model.ids import BlobKind
from takeback.model.progress import Watch
from takeback.model.tree import FILE, LINK, Entry, decode_tree, encode_tree
from takeback.sources.container.found import Found
from takeback.sources.container.streaming.archive import Archive
from takeback.sources.container.streaming.archiving import archive_of
from takeback.sources.container.streaming.collecting import Collected

_ROOT = "top"
_BLOCK = 512


class _Blobs:
    """Keeps what is put."""

    def __init__(self) -> None:
        self.kept: dict[bytes, bytes] = {}

    def put(self, data: bytes, kind: BlobKind) -> bytes:
        id = blake3(data).digest()
        self.kept[id] = data
        return id

    def put_stream(self, read: Callable[[int], bytes]) -> tuple[bytes, int]:
        data = b"".join(iter(lambda: read(1 << 20), b""))
        return self.put(data, BlobKind.DATA), len(data)

    def content(self, id: bytes) -> Iterator[bytes]:
        yield self.kept[id]


def archive(data: bytes) -> None:
    """In several pieces, and with the checksum of every block put right; what is read has names that trees take, and is
    read again from the archive that is made of it."""
    for raw in (data, _summed(data)):
        blobs = _Blobs()
        try:
            found = _read((raw[at : at + 700] for at in range(0, len(raw), 700)), blobs)
        except Integrity:
            continue
        for each in found:
            for name in each.path.split("/") if each.path else ():
                decode_tree(encode_tree({name: Entry(FILE, each.mode, each.size, each.id)}))
        again = _Blobs()
        assert _read(archive_of(found, blobs.content, _ROOT), again) == found
        assert again.kept == blobs.kept


def _read(pieces: Iterator[bytes], blobs: _Blobs) -> list[Found]:
    collected = Collected("filesystem", blobs, Watch())
    collected.add(Archive(pieces, _ROOT))
    return list(collected.linked())


def _summed(data: bytes) -> bytes:
    blocks = [bytearray(data[at : at + _BLOCK].ljust(_BLOCK, b"\0")) for at in range(0, len(data), _BLOCK)]
    for block in blocks:
        if block[257:262] == b"ustar":
            block[148:156] = b" " * 8
            block[148:156] = b"%06o\0 " % sum(block)
    return b"".join(map(bytes, blocks)) + bytes(2 * _BLOCK)


def _seeds() -> list[bytes]:
    blobs = _Blobs()
    some, target = blobs.put(b"some\n", BlobKind.DATA), blobs.put(b"../x", BlobKind.DATA)
    top = Found("", "d", 0o755, 1, 2, 3)
    small = [top, Found("f", FILE, 0o644, size=5, id=some)]
    many = [
        *small,
        Found("d", "d", 0o1777, 3_000_000, 4, -5, xattrs={"user.a": b"\xff"}),
        Found("d/" + "n" * 120, FILE, 0o4755, size=5, id=some, link="d/z"),
        Found("d/z", FILE, 0o4755, size=5, id=some, link="d/z"),
        Found("l", LINK, 0o777, size=4, id=target),
        Found("c", "c", 0o600, device=(1, 3)),
        Found("p", "p", 0o600),
    ]
    return [b"".join(archive_of(found, blobs.content, _ROOT)) for found in (small, many, [top])]


TARGETS = {"archive": (archive, _seeds())}
