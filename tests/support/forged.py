"""Export files that takeback never writes: packs and histories put together by hand, with any lie in them."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import zstandard
from blake3 import blake3

from takeback.engine.manifest import canonical
from takeback.model.ids import BlobKind
from takeback.model.tree import Entry, encode_tree
from takeback.sources.workspace.ignore import RulesRecord
from takeback.sources.workspace.ignore.texts import Patterns
from takeback.store.catalogue import tables
from takeback.store.exports import container
from takeback.store.exports.container import Index, PackSpan
from takeback.store.packs import pack
from takeback.store.packs.pack import Contents, FrameSpan, PackEntry
from takeback.store.packs.sealing import Sealer

SNAPSHOT, MOVE, PACK, STORE = "5" * 32, "6" * 32, "7" * 32, "8" * 32
ROOT = "/forged"
RULES = RulesRecord("", Patterns((), ()), False, ()).encode()

Blob = tuple[bytes, int, bytes]
"""Claimed id, kind, data."""


def digest(data: bytes) -> bytes:
    return blake3(data).digest()


def raw_tree(entries: Sequence[tuple[bytes, bytes, int, int, bytes]]) -> bytes:
    """A tree of (name, kind, mode, size, id), whatever the names are."""
    names = b"\0".join(name for name, *_ in entries)
    records = b"".join(struct.pack("<cHQ32s", *rest) for _, *rest in entries)
    return struct.pack("<2sII", b"T1", len(entries), len(names)) + names + records


@dataclass
class Forgery:
    """One snapshot of one file on one timeline, sound unless it is changed before it is written."""

    tree: bytes | None = None
    """The root's tree; that of the file ``a.txt`` if None."""
    blobs: Sequence[Blob] = field(default_factory=list)
    """More blobs, beside those of the snapshot."""
    refs: dict[str, bytes] = field(default_factory=dict)
    """More documents that the part refers to, or others."""
    manifest: Callable[[dict[str, Any]], Any] | None = None
    """Changes the manifest, or returns another value or other bytes."""
    rows: Mapping[str, Sequence[tuple[int, str, Any]]] = field(default_factory=dict)
    """By table: row, column, another value."""
    more: Mapping[str, list[list[Any]]] = field(default_factory=dict)
    """By table: more rows."""
    history: bytes | None = None
    pages: Callable[[list[bytes]], list[bytes]] | None = None
    without: set[bytes] = field(default_factory=set)
    """Blobs that are left out, although something refers to them."""

    def write(self, path: Path) -> None:
        packed = self._blobs()
        history = self.history if self.history is not None else self._history(packed[-1][0])
        packed.append((digest(history), BlobKind.HISTORY, history))
        pages = [digest(history)]
        write(path, [make_pack(packed)], self.pages(pages) if self.pages else pages)

    def _blobs(self) -> list[Blob]:
        content = b"content\n"
        tree = self.tree
        if tree is None:
            tree = encode_tree({"a.txt": Entry("f", 0o644, len(content), digest(content))})
        documents = {"rules": RULES, **self.refs}
        listed = {key: digest(data).hex() for key, data in {"content": tree, **documents}.items()}
        value: Any = {
            "format": 1, "id": SNAPSHOT, "root": ROOT, "timeline": "main", "parent": None, "time_ns": 1, "context": {},
            "trigger": "manual", "parts": {"workspace": {"kind": "workspace", "refs": listed, "detail": {}}},
        }  # fmt: skip
        if self.manifest is not None:
            changed = self.manifest(value)
            value = changed if changed is not None else value
        manifest = value if isinstance(value, bytes) else canonical(value)
        found: list[Blob] = [
            (digest(content), BlobKind.DATA, content),
            (digest(tree), BlobKind.TREE, tree),
            *((digest(data), BlobKind.DOCUMENT, data) for data in documents.values()),
            *self.blobs,
            (digest(manifest), BlobKind.MANIFEST, manifest),
        ]
        unique = {id: (id, kind, data) for id, kind, data in reversed(found) if id not in self.without}
        return list(unique.values())[::-1]

    def _history(self, manifest: bytes) -> bytes:
        rows: dict[str, list[list[Any]]] = {
            "timelines": [[1, ROOT.encode().hex(), "main", 1, SNAPSHOT, None]],
            "snapshots": [[1, SNAPSHOT, 1, None, 1, "manual", "", manifest.hex(), 1, 0]],
            "labels": [[SNAPSHOT, "good", 1]],
            "pins": [[SNAPSHOT]],
            "moves": [
                [1, MOVE, 1, "", "turn", "", "a turn", "", "[]", SNAPSHOT, 1, SNAPSHOT, 1, 1, 1, None, "{}"],
            ],
        }
        for table, changes in self.rows.items():
            for number, column, value in changes:
                rows[table][number][tables.columns(table).index(column)] = value
        for table, added in self.more.items():
            rows.setdefault(table, []).extend(added)
        listed = {table: {"columns": tables.columns(table), "rows": found} for table, found in rows.items()}
        return json.dumps({"format": 1, **listed}).encode()


def make_pack(
    blobs: Sequence[Blob],
    *,
    name: str = PACK,
    frames: Callable[[list[FrameSpan]], list[FrameSpan]] | None = None,
    entries: Callable[[list[PackEntry]], list[PackEntry]] | None = None,
    sealed: bytes | None = None,
    raw_length: int | None = None,
) -> tuple[str, bytes]:
    """A pack with one frame; ``frames`` and ``entries`` change what its trailer says, ``sealed`` what is in it."""
    raw = b"".join(data for _, _, data in blobs)
    listed, start = [], 0
    for id, kind, data in blobs:
        listed.append(PackEntry(id, kind, 0, start, len(data)))
        start += len(data)
    inside = sealed if sealed is not None else zstandard.ZstdCompressor(level=3).compress(raw)
    spans = [FrameSpan(pack.HEADER_SIZE, len(inside), len(raw) if raw_length is None else raw_length)]
    contents = Contents(frames(spans) if frames else spans, entries(listed) if entries else listed)
    return name, pack.encode_header(name) + inside + pack.encode_end(name, contents, Sealer())


def write(path: Path, packs: Sequence[tuple[str, bytes]], pages: list[bytes]) -> None:
    position, spans = container.HEADER_SIZE, []
    for name, data in packs:
        spans.append(PackSpan(name, position, len(data)))
        position += len(data)
    end = container.encode_end(Index(STORE, pages, spans))
    path.write_bytes(container.encode_header(STORE) + b"".join(data for _, data in packs) + end)
