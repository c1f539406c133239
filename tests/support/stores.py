"""What tests of a store do again and again."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from blake3 import blake3

from takeback.model.ids import BlobKind
from takeback.model.progress import Watch
from takeback.store.blobstore import BlobStore
from takeback.store.catalogue.database import Transaction
from takeback.store.verify import Problem, verify


def nothing(tx: Transaction) -> None:
    """A record that writes nothing."""


def noise(length: int, seed: object = 0) -> bytes:
    """Bytes that no compressor makes smaller, the same every time."""
    return blake3(repr(seed).encode()).digest(length=length)


def reading(data: bytes, most: int = 1 << 20) -> Callable[[int], bytes]:
    """A ``read(n)`` over the data, which never gives more than ``most`` at once."""
    position = 0

    def read(count: int) -> bytes:
        nonlocal position
        piece = data[position : position + min(count, most)]
        position += len(piece)
        return piece

    return read


def save(store: BlobStore, blobs: Iterable[bytes], kind: BlobKind = BlobKind.DATA) -> list[bytes]:
    """Put and commit these; returns their ids."""
    with store.writer() as writer:
        ids = [writer.put(data, kind) for data in blobs]
        writer.commit(nothing)
    return ids


def problems(store: BlobStore, *, read_data: bool = True) -> list[Problem]:
    return list(verify(store, read_data, Watch()))


def pack_files(path: Path) -> list[Path]:
    return sorted(file for file in (path / "packs").rglob("*") if file.is_file())


def only_pack(store: BlobStore) -> Path:
    assert store.path is not None
    (file,) = pack_files(store.path)
    return file
