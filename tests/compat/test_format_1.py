"""A store that was written in format 1 is read for ever: by takeback, and by whoever follows docs/format.md alone."""

from __future__ import annotations

import json
import os
import struct
import tarfile
from pathlib import Path
from typing import Any

import apsw
import pytest
import zstandard
from blake3 import blake3

import takeback as tb
from compat.write_store import LARGE, ROOT
from support.trees import read_tree

FIXTURE = Path(__file__).with_name("format-1.tar.xz")


@pytest.fixture
def store(tmp_path: Path) -> Path:
    with tarfile.open(FIXTURE) as archive:
        archive.extractall(tmp_path, filter="tar")
    return tmp_path / "store"


def test_takeback_reads_it(store: Path, tmp_path: Path) -> None:
    with tb.open(store, create=False) as opened:
        assert opened.verify(read_data=True).ok
        (row,) = opened.timelines()
        assert (row.root, row.name) == (ROOT, "main")
        line = opened.timeline("main", sources=[tb.Workspace(tmp_path)], root=ROOT)
        log = line.log()
        assert [snapshot.trigger for snapshot in log.snapshots] == ["manual", "undo", "turn_end", "manual"]
        assert [snapshot.labels for snapshot in log.snapshots] == [("last",), (), (), ("first",)]
        assert [snapshot.pinned for snapshot in log.snapshots] == [False, False, False, True]
        turn = next(move for move in log.moves if move.level == "turn")
        assert (turn.title, turn.session) == ("a turn", "s1")
        assert next(move.id for move in log.moves if move.verb == "undo") == turn.undone_by
        assert line.read(turn.closing or "", "run.sh") == b"#!/bin/sh\necho turned\n"
        assert [(item.path, item.reason) for item in line.show("last").not_captured] == [("pipe", "fifo")]
        line.restore("last", to=tmp_path / "restored")
    found = {path: (node.mode, node.data) for path, node in read_tree(tmp_path / "restored").items()}
    assert found.keys() == {
        b".gitignore", b"large.txt", b"later.txt", b"link", b"run.sh", b"sub", b"sub/empty", b"sub/caf\xe9.txt",
    }  # fmt: skip
    assert found[b"large.txt"] == (0o644, LARGE)
    assert found[b"run.sh"] == (0o755, b"#!/bin/sh\n")
    assert os.readlink(tmp_path / "restored" / "link") == "run.sh"


def test_takeback_goes_on_writing_it(store: Path, tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "new.txt").write_text("new\n")
    with tb.open(store, create=False) as opened:
        line = opened.timeline("main", sources=[tb.Workspace(root)], root=ROOT)
        line.save("new")
        assert line.read("new", "new.txt") == b"new\n"
        assert line.read("last", "later.txt") == b"later\n"
        assert opened.verify(read_data=True).ok


def test_whoever_follows_the_document_reads_the_same(store: Path) -> None:
    read = _Document(store)
    assert read.header["format"] == 1
    found = json.loads(read.blob(read.manifest("last")))
    refs = {name: bytes.fromhex(blob) for name, blob in found["parts"]["workspace"]["refs"].items()}
    assert (found["format"], found["root"], found["timeline"]) == (1, ROOT, "main")
    assert json.loads(read.blob(refs["not_captured"])) == [["pipe", "fifo", ""]]
    ((ignored, inode),) = json.loads(read.blob(refs["ignored"]))
    assert (ignored, type(inode)) == ("noise.log", int)
    assert read.rules(refs["rules"]) == [(b"", b"3", b"*.log\n")]
    root = read.tree(refs["content"])
    assert list(root) == sorted(root)
    assert {name: (kind, mode) for name, (kind, mode, _, _) in root.items()} == {
        b".gitignore": (b"f", 0o644),
        b"large.txt": (b"f", 0o644),
        b"later.txt": (b"f", 0o644),
        b"link": (b"l", 0o777),
        b"run.sh": (b"f", 0o755),
        b"sub": (b"d", 0o755),
    }
    assert read.file(root[b"large.txt"]) == LARGE
    assert read.kinds[root[b"large.txt"][3]] == 5
    assert read.file(root[b"link"]) == b"run.sh"
    sub = read.tree(root[b"sub"][3])
    assert read.tree(sub[b"empty"][3]) == {}
    assert read.file(sub[b"caf\xe9.txt"]) == b"a name of any bytes\n"
    assert set(read.kinds.values()) == {1, 2, 3, 4, 5}


Entry = tuple[bytes, int, int, bytes]
"""kind, mode, size, id."""


class _Document:
    """A reader that knows docs/format.md and nothing of takeback."""

    def __init__(self, store: Path) -> None:
        self.header = json.loads((store / "store.json").read_text())
        self.kinds: dict[bytes, int] = {}
        self._blobs: dict[bytes, bytes] = {}
        self._catalogue = apsw.Connection(str(store / "catalogue.db"))
        assert list(self._catalogue.execute("PRAGMA user_version")) == [(1,)]
        for name, state in self._catalogue.execute("SELECT name, state FROM packs"):
            assert state == "live"
            self._read_pack(store / "packs" / name[:2] / name)
        for frame, data, length in self._catalogue.execute("SELECT frame, data, raw_length FROM hot"):
            raw = _open(data, length)
            sql = "SELECT id, kind, start, length FROM blobs WHERE pack = 0 AND frame = ?"
            for id, kind, start, size in self._catalogue.execute(sql, (frame,)):
                self._add(id, kind, raw[start : start + size])
        known = dict(self._catalogue.execute("SELECT id, kind FROM blobs"))
        assert known == self.kinds

    def blob(self, id: bytes) -> bytes:
        """The bytes that an id names: those of a recipe's chunks, where it is one."""
        data = self._blobs[id]
        if self.kinds[id] != 5:
            return data
        magic, kind, zero, checksum = struct.unpack_from("<2sBB32s", data)
        chunks = list(struct.iter_unpack("<32sI", data[36:]))
        assert (magic, kind, zero) == (b"R1", 1, 0)
        assert checksum == blake3(id + bytes([kind]) + data[36:]).digest()
        assert [len(self._blobs[chunk]) for chunk, _ in chunks] == [length for _, length in chunks]
        whole = b"".join(self._blobs[chunk] for chunk, _ in chunks)
        assert blake3(whole).digest() == id
        return whole

    def manifest(self, label: str) -> bytes:
        sql = "SELECT manifest FROM snapshots JOIN labels ON snapshot = id WHERE name = ?"
        ((blob,),) = self._catalogue.execute(sql, (label,))
        assert self.kinds[blob] == 4
        assert isinstance(blob, bytes)
        return blob

    def tree(self, id: bytes) -> dict[bytes, Entry]:
        data = self.blob(id)
        magic, count, length = struct.unpack_from("<2sII", data)
        names = data[10 : 10 + length].split(b"\0") if count else []
        records = struct.iter_unpack("<cHQ32s", data[10 + length :])
        assert magic == b"T1"
        return dict(zip(names, records, strict=True))

    def file(self, entry: Entry) -> bytes:
        data = self.blob(entry[3])
        assert len(data) == entry[2]
        return data

    def rules(self, id: bytes) -> list[tuple[bytes, bytes, bytes]]:
        data = self.blob(id)
        assert data[:3] == b"R1\0"
        place = 3

        def number() -> int:
            nonlocal place
            place += 4
            return int(struct.unpack_from("<I", data, place - 4)[0])

        def string() -> bytes:
            nonlocal place
            length = number()
            place += length
            return data[place - length : place]

        assert string() == b""  # the prefix
        assert [[string() for _ in range(number())] for _ in ("include", "exclude")] == [[], []]
        texts = [(string(), string(), string()) for _ in range(number())]
        assert place == len(data)
        return [text for text in texts if text[1] == b"3"]

    def _read_pack(self, file: Path) -> None:
        data = file.read_bytes()
        assert data[:24] == b"TBPK" + struct.pack("<HH", 1, 0) + bytes.fromhex(file.name)
        checksum, sealed, raw, magic = struct.unpack("<32sII4s", data[-44:])
        trailer_start = len(data) - 44 - sealed
        trailer = data[trailer_start:-44]
        assert magic == b"TBPE"
        assert checksum == blake3(data[:24] + trailer + data[-12:-4]).digest()
        opened = _open(trailer, raw)
        frames, entries = struct.unpack_from("<II", opened)
        spans: list[Any] = list(struct.iter_unpack("<QII", opened[8 : 8 + 16 * frames]))
        position = 24
        raws = []
        for start, length, raw_length in spans:
            assert start == position
            raws.append(_open(data[start : start + length], raw_length))
            position += length
        assert position == trailer_start
        listed = list(struct.iter_unpack("<32sBIII", opened[8 + 16 * frames :]))
        assert len(listed) == entries
        for id, kind, frame, start, length in listed:
            self._add(id, kind, raws[frame][start : start + length])

    def _add(self, id: bytes, kind: int, data: bytes) -> None:
        assert kind == 5 or blake3(data).digest() == id
        self._blobs[id], self.kinds[id] = data, kind


def _open(sealed: bytes, raw_length: int) -> bytes:
    assert zstandard.frame_content_size(sealed) == raw_length
    return zstandard.ZstdDecompressor().decompress(sealed)
