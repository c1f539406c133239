"""The pack format, version 1. All numbers are little-endian.

::

    header   magic "TBPK", version u16, reserved u16, pack id (16 bytes)
    frames   sealed one after the other (see `takeback.store.packs.sealing`)
    trailer  sealed: number of frames u32, number of entries u32,
             a frame: position u64, sealed length u32, raw length u32
             an entry: blob id (32 bytes), kind u8, frame u32, start in the raw frame u32, length u32
    footer   checksum (32 bytes), sealed length of the trailer u32, its raw length u32, magic "TBPE"

The checksum is the BLAKE3 of the header, the sealed trailer and the footer's two lengths. A pack therefore says by
itself what it holds, and a catalogue can be rebuilt from packs alone. Packs are never changed once they have a name.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Callable
from typing import NamedTuple

from blake3 import blake3

from takeback.errors import Integrity
from takeback.model.ids import BlobKind
from takeback.store.packs.sealing import RAW_LIMIT, Place, Sealer, Section

VERSION = 1

_HEADER = struct.Struct("<4sHH16s")
_FOOTER = struct.Struct("<32sII4s")
_LENGTHS = struct.Struct("<II")
_COUNTS = struct.Struct("<II")
_FRAME = struct.Struct("<QII")
_ENTRY = struct.Struct("<32sBIII")
_MAGIC, _END = b"TBPK", b"TBPE"
_HEX = frozenset("0123456789abcdef")
_KINDS = frozenset(int(kind) for kind in BlobKind)

HEADER_SIZE = _HEADER.size
ENTRY_SIZE = _ENTRY.size
SMALLEST = _HEADER.size + _FOOTER.size


class FrameSpan(NamedTuple):
    """Where a frame lies in its pack, and how long it is when opened."""

    position: int
    length: int
    raw_length: int


class PackEntry(NamedTuple):
    """Where a blob lies: ``length`` bytes from ``start`` of a raw frame."""

    id: bytes
    kind: int
    frame: int
    start: int
    length: int


class Contents(NamedTuple):
    """What a trailer says."""

    frames: list[FrameSpan]
    entries: list[PackEntry]


def new_pack_id() -> str:
    return os.urandom(16).hex()


def is_name(pack: str) -> bool:
    """Whether a pack can be called so."""
    return len(pack) == 32 and _HEX.issuperset(pack)


def object_name(pack: str) -> str:
    """The name of a pack's object in a backend; Integrity for what is no pack's id, lest it lead elsewhere."""
    if not is_name(pack):
        raise Integrity(
            f"the catalogue names a pack {pack[:40]!r}, which no pack can be called",
            hints=["`takeback store repair` shows what can be brought back, and does it"],
        )
    return f"packs/{pack[:2]}/{pack}"


def frame_place(pack: str, frame: int) -> Place:
    return Place(pack, frame, Section.FRAME)


def _trailer_place(pack: str) -> Place:
    return Place(pack, 0, Section.TRAILER)


def encode_header(pack: str) -> bytes:
    return _HEADER.pack(_MAGIC, VERSION, 0, bytes.fromhex(pack))


def encode_end(pack: str, contents: Contents, sealer: Sealer) -> bytes:
    """The trailer and the footer."""
    raw = b"".join(
        [
            _COUNTS.pack(len(contents.frames), len(contents.entries)),
            *(_FRAME.pack(*span) for span in contents.frames),
            *(_ENTRY.pack(*entry) for entry in contents.entries),
        ]
    )
    place = _trailer_place(pack)
    sealed = sealer.seal(raw, place)
    if sealer.open(sealed, len(raw), place) != raw:
        raise Integrity(f"{place} does not read back as it was written; memory or the compressor is at fault")
    lengths = _LENGTHS.pack(len(sealed), len(raw))
    checksum = blake3(encode_header(pack) + sealed + lengths).digest()
    return sealed + _FOOTER.pack(checksum, len(sealed), len(raw), _END)


def read_contents(pack: str, size: int, read: Callable[[int, int], bytes], sealer: Sealer) -> Contents:
    """Parse and check the trailer of a pack of ``size`` bytes; ``read(offset, length)`` gives its bytes.

    Integrity for anything but what `encode_header` and `encode_end` wrote around frames that fill the space between.
    """
    if size < SMALLEST:
        raise Integrity(f"pack {pack} is torn: {size} bytes are too few for a pack")
    header = read(0, _HEADER.size)
    footer = read(size - _FOOTER.size, _FOOTER.size)
    if len(header) != _HEADER.size or len(footer) != _FOOTER.size:
        raise Integrity(f"pack {pack} is shorter than the {size} bytes it should have")
    magic, version, _, _ = _HEADER.unpack(header)
    if magic != _MAGIC:
        raise Integrity(f"pack {pack} does not begin like a pack")
    if version != VERSION:
        raise Integrity(f"pack {pack} has the unknown version {version}")
    if header != encode_header(pack):
        raise Integrity(f"pack {pack} says that it is another pack")
    checksum, length, raw_length, end = _FOOTER.unpack(footer)
    start = size - _FOOTER.size - length
    if end != _END or start < _HEADER.size:
        raise Integrity(f"pack {pack} is torn: it does not end like a pack")
    if raw_length > RAW_LIMIT:
        raise Integrity(f"the trailer of pack {pack} claims {raw_length} bytes; none has more than {RAW_LIMIT}")
    sealed = read(start, length)
    if blake3(header + sealed + _LENGTHS.pack(length, raw_length)).digest() != checksum:
        raise Integrity(f"the trailer of pack {pack} does not match its checksum")
    return _decode_contents(pack, sealed, raw_length, start, sealer)


def _decode_contents(pack: str, sealed: bytes, raw_length: int, end: int, sealer: Sealer) -> Contents:
    raw = sealer.open(sealed, raw_length, _trailer_place(pack))
    if len(raw) < _COUNTS.size:
        raise Integrity(f"the trailer of pack {pack} is too short")
    frame_count, entry_count = _COUNTS.unpack_from(raw)
    entries_at = _COUNTS.size + frame_count * _FRAME.size
    if len(raw) != entries_at + entry_count * _ENTRY.size:
        raise Integrity(f"the trailer of pack {pack} does not match its counts")
    frames = [FrameSpan(*fields) for fields in _FRAME.iter_unpack(raw[_COUNTS.size : entries_at])]
    position = _HEADER.size
    for span in frames:
        if span.position != position or span.raw_length > RAW_LIMIT:
            raise Integrity(f"the trailer of pack {pack} lists a frame that cannot be there")
        position += span.length
    if position != end:
        raise Integrity(f"the frames of pack {pack} do not fill it")
    entries = [PackEntry(*fields) for fields in _ENTRY.iter_unpack(raw[entries_at:])]
    for entry in entries:
        if (
            entry.kind not in _KINDS
            or entry.frame >= frame_count
            or entry.start + entry.length > frames[entry.frame].raw_length
        ):
            raise Integrity(f"the trailer of pack {pack} lists blob {entry.id.hex()[:12]} where no blob can be")
    return Contents(frames, entries)
