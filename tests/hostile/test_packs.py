"""A pack that an enemy wrote, and a catalogue that believes it: bombs, frames that lie nowhere, recipes without an end."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from pathlib import Path

import pytest
import zstandard

from support.confined import Ended
from support.enemy import REFUSED, Enemy, blob_id, with_content
from support.forged import PACK, Blob, make_pack
from takeback.model.ids import BlobKind
from takeback.model.tree import FILE, Entry, encode_tree
from takeback.store.packs import pack
from takeback.store.packs.chunking import LARGEST
from takeback.store.packs.pack import FrameSpan, PackEntry, object_name
from takeback.store.packs.recipe import Chunk, encode_recipe
from takeback.store.packs.sealing import Sealer

DATA = b"evil\n" * 200
ID = blob_id(DATA)
SHOW, RESTORE, ELSEWHERE = (
    ("show", "evil:a.txt"),
    ("restore", "evil", "--yes"),
    ("restore", "evil", "--to", "../elsewhere"),
)
READING = [SHOW, RESTORE, ELSEWHERE, ("undo", "--yes")]
VERIFY, VERIFY_DATA, MAINTAIN = ("verify",), ("verify", "--read-data"), ("maintain",)


def prepare(tmp_path: Path, size: int, id: bytes) -> Enemy:
    """An enemy whose snapshot has a file of this size and content."""
    enemy = Enemy(tmp_path)
    tree = encode_tree({"a.txt": Entry(FILE, 0o644, size, id)})
    enemy.snapshot(lambda writer, part: with_content(part, writer.put(tree, BlobKind.TREE)))
    return enemy


def plant(enemy: Enemy, data: bytes, frames: Sequence[FrameSpan], entries: Sequence[PackEntry]) -> None:
    """A pack, and the rows that make a catalogue believe it."""
    path = enemy.place / object_name(PACK)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    enemy.sql(
        ("INSERT INTO packs VALUES (99, ?, 'live', 0, ?, ?, 1)", (PACK, len(data), sum(span[2] for span in frames))),
        *(("INSERT INTO frames VALUES (99, ?, ?, ?, ?)", (at, *span)) for at, span in enumerate(frames)),
        *(
            ("INSERT INTO blobs VALUES (?, ?, 99, ?, ?, ?)", (each.id, each.kind, each.frame, each.start, each.length))
            for each in entries
        ),
    )


def refused(found: dict[tuple[str, ...], Ended], *commands: tuple[str, ...]) -> None:
    assert {command: found[command].code for command in commands} == dict.fromkeys(commands, REFUSED)


# frames


def crafted(says: int, blocks: int, window: int = 0x50) -> bytes:
    """A zstd frame that says how many bytes it holds (256 to 65791), and holds so many times 128 KiB."""
    block = (1 << 17 << 3 | 1 << 1).to_bytes(3, "little") + b"x"
    last = (1 << 1 | 1).to_bytes(3, "little") + b"x"
    return b"\x28\xb5\x2f\xfd\x40" + bytes([window]) + struct.pack("<H", says - 256) + block * blocks + last


SEALED = zstandard.ZstdCompressor().compress(DATA)
FRAMES = {
    "more than listed, and says so": zstandard.ZstdCompressor().compress(bytes(60 << 20)),
    "a gigabyte, and does not say so": crafted(len(DATA), 1 << 13),
    "a giant window": crafted(len(DATA), 1 << 13, 0xFF),
    "no length": zstandard.ZstdCompressor(write_content_size=False).compress(DATA),
    "one more behind it": SEALED + zstandard.ZstdCompressor().compress(bytes(60 << 20)),
    "half of it": SEALED[:-4],
    "nothing": b"",
}


@pytest.mark.parametrize("sealed", FRAMES.values(), ids=FRAMES)
def test_a_frame_that_does_not_inflate_to_what_is_listed_is_refused(tmp_path: Path, sealed: bytes) -> None:
    enemy = prepare(tmp_path, len(DATA), ID)
    _, data = make_pack([(ID, BlobKind.DATA, DATA)], sealed=sealed)
    plant(enemy, data, [FrameSpan(pack.HEADER_SIZE, len(sealed), len(DATA))], [PackEntry(ID, 1, 0, 0, len(DATA))])
    refused(enemy.trial(*READING, VERIFY_DATA, MAINTAIN, memory=512 << 20), *READING, VERIFY_DATA)


AT, LENGTH = pack.HEADER_SIZE, len(SEALED)
SPANS = {
    "behind the end": FrameSpan(1 << 40, LENGTH, len(DATA)),
    "over the end": FrameSpan(AT, 1 << 26, len(DATA)),
    "longer than any": FrameSpan(AT, (1 << 32) - 1, len(DATA)),
    "longer than any when it is open": FrameSpan(AT, LENGTH, (1 << 32) - 1),
    "at the last place there is": FrameSpan((1 << 63) - 1, LENGTH, len(DATA)),
    "in the header": FrameSpan(0, LENGTH, len(DATA)),
}
CATALOGUE_SPANS = SPANS | {
    "before the start": FrameSpan(-1, LENGTH, len(DATA)),
    "of negative length": FrameSpan(AT, -1, len(DATA)),
    "of negative length when it is open": FrameSpan(AT, LENGTH, -1),
    "of endless length": FrameSpan(AT, (1 << 63) - 1, (1 << 63) - 1),
}


@pytest.mark.parametrize("span", CATALOGUE_SPANS.values(), ids=CATALOGUE_SPANS)
def test_a_frame_that_lies_nowhere_is_refused(tmp_path: Path, span: FrameSpan) -> None:
    """The catalogue says so, and where it can, the pack does, too."""
    enemy = prepare(tmp_path, len(DATA), ID)
    lying = span in SPANS.values()
    _, data = make_pack([(ID, BlobKind.DATA, DATA)], sealed=SEALED, frames=(lambda _: [span]) if lying else None)
    plant(enemy, data, [span], [PackEntry(ID, 1, 0, 0, len(DATA))])
    refused(enemy.trial(*READING, VERIFY, VERIFY_DATA, MAINTAIN), *READING, VERIFY, VERIFY_DATA)


def test_frames_that_overlap_are_found_and_do_no_harm(tmp_path: Path) -> None:
    enemy = prepare(tmp_path, len(DATA), ID)
    spans, entry = [FrameSpan(AT, LENGTH, len(DATA))] * 1000, PackEntry(ID, 1, 999, 0, len(DATA))
    _, data = make_pack([], sealed=SEALED, frames=lambda _: spans, entries=lambda _: [entry])
    plant(enemy, data, spans, [entry])
    found = enemy.trial(SHOW, VERIFY, VERIFY_DATA, MAINTAIN)
    assert found[SHOW].out == DATA.decode()
    refused(found, VERIFY, VERIFY_DATA)


@pytest.mark.parametrize(("start", "length"), [(0, 1 << 31), (len(DATA), 10), (-5, 5), (1 << 62, len(DATA)), (0, -1)])
def test_a_blob_outside_of_its_frame_is_refused(tmp_path: Path, start: int, length: int) -> None:
    enemy = prepare(tmp_path, len(DATA), ID)
    _, data = make_pack([(ID, BlobKind.DATA, DATA)], sealed=SEALED)
    plant(enemy, data, [FrameSpan(AT, LENGTH, len(DATA))], [PackEntry(ID, 1, 0, start, length)])
    refused(enemy.trial(*READING, VERIFY, VERIFY_DATA, MAINTAIN), *READING, VERIFY, VERIFY_DATA)


# trailers


def trailer(raw: bytes, *, sealed: bytes | None = None, says: int | None = None, long: int | None = None) -> bytes:
    """A pack of one frame with any trailer, whose checksum is right."""
    sealed = zstandard.ZstdCompressor().compress(raw) if sealed is None else sealed
    lengths = struct.pack("<II", len(sealed) if long is None else long, len(raw) if says is None else says)
    head = pack.encode_header(PACK)
    return head + SEALED + sealed + blob_id(head + sealed + lengths) + lengths + b"TBPE"


MANY, FRAME = 0xFFFFFFFF, struct.pack("<QII", AT, LENGTH, len(DATA))
TRAILERS = {
    "giant counts": trailer(struct.pack("<II", MANY, MANY)),
    "a giant count of frames": trailer(struct.pack("<II", MANY, 0) + FRAME),
    "a giant count of blobs": trailer(struct.pack("<II", 1, MANY) + FRAME + bytes(45)),
    "counts that overflow": trailer(struct.pack("<II", 1 << 28, 0) + FRAME),
    "a giant length": trailer(b"", says=MANY),
    "a giant sealed length": trailer(b"", long=MANY),
    "a bomb": trailer(b"", sealed=crafted(1000, 1 << 13), says=1000),
    "a bomb that says so": trailer(b"", sealed=zstandard.ZstdCompressor().compress(bytes(60 << 20)), says=8),
    "millions of blobs in no frame": trailer(struct.pack("<II", 0, 1 << 20) + bytes(45 << 20)),
    "a blob outside of its frame": trailer(
        struct.pack("<II", 1, 1) + FRAME + struct.pack("<32sBIII", ID, 1, 0, MANY, MANY)
    ),
    "nothing": trailer(b""),
}


@pytest.mark.parametrize("data", TRAILERS.values(), ids=TRAILERS)
def test_a_trailer_that_no_pack_has_is_refused(tmp_path: Path, data: bytes) -> None:
    enemy = prepare(tmp_path, len(DATA), ID)
    plant(enemy, data, [FrameSpan(AT, LENGTH, len(DATA))], [PackEntry(ID, 1, 0, 0, len(DATA))])
    found = enemy.trial(SHOW, VERIFY, VERIFY_DATA, MAINTAIN, memory=512 << 20)
    assert found[SHOW].out == DATA.decode(), "what the catalogue knows needs no trailer"
    refused(found, VERIFY, VERIFY_DATA)


# recipes

WHOLE, CHUNK = blob_id(b"a whole"), b"c" * LARGEST
INNER = blob_id(b"another whole")
PIECE = Chunk(blob_id(CHUNK), LARGEST)
STORED: Blob = (PIECE.id, BlobKind.DATA, CHUNK)


def recipe(whole: bytes, chunks: Sequence[Chunk]) -> Blob:
    return whole, BlobKind.RECIPE, encode_recipe(whole, BlobKind.DATA, chunks)


RECIPES = {
    "itself": (8 * LARGEST, Chunk(WHOLE, LARGEST), 8),
    "itself, as long as it is": (36 * 2, Chunk(WHOLE, 36 * 2), 1),
    "another recipe": (8 * LARGEST, Chunk(INNER, LARGEST), 8),
    "chunks of other lengths": (8 * 100, Chunk(PIECE.id, 100), 8),
    "chunks that are not there": (8 * LARGEST, Chunk(ID, LARGEST), 8),
}
UNSEEN = {
    "something else": (8 * LARGEST, PIECE, 8),
    "less than the file": (9 * LARGEST, PIECE, 8),
    "more than the file": (7 * LARGEST, PIECE, 8),
    "nothing": (LARGEST, PIECE, 0),
    "one chunk very many times": (8, PIECE, 1 << 18),
}
"""Every chunk is there and sound: only who puts them together sees that they do not make the file."""


@pytest.mark.parametrize("name", [*RECIPES, *UNSEEN])
def test_a_recipe_that_makes_no_file_is_refused(tmp_path: Path, name: str) -> None:
    size, chunk, times = (RECIPES | UNSEEN)[name]
    enemy = prepare(tmp_path, size, WHOLE)
    _, data = make_pack([recipe(WHOLE, [chunk] * times), recipe(INNER, [PIECE]), STORED])
    contents = pack.read_contents(PACK, len(data), lambda at, length: data[at : at + length], Sealer())
    plant(enemy, data, contents.frames, contents.entries)
    found = enemy.trial(*READING, VERIFY, VERIFY_DATA, MAINTAIN)
    refused(found, *READING, *([VERIFY_DATA] if name in RECIPES else []))
