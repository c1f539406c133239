"""What tests of a store do again and again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

from blake3 import blake3

from takeback.model.ids import BlobKind
from takeback.model.progress import Watch
from takeback.store.blobstore import BlobStore, open_local
from takeback.store.catalogue.database import Transaction
from takeback.store.packs.pack import frame_place, read_contents
from takeback.store.packs.sealing import HOT, Sealer
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


def make_pack_directories(path: Path) -> None:
    """Make every directory that a pack may go into: ids of packs are random, so the steps of a run would vary by those that make one."""
    for number in range(256):
        (path / "packs" / f"{number:02x}").mkdir(parents=True, exist_ok=True)


def only_pack(store: BlobStore) -> Path:
    assert store.path is not None
    (file,) = pack_files(store.path)
    return file


def residue(path: Path) -> Iterator[tuple[str, bytes]]:
    """All that a store's directory holds, by name: every file as it is, and every frame of packs and hot rows opened."""
    sealer = Sealer()
    for file in sorted(each for each in path.rglob("*") if each.is_file()):
        raw = file.read_bytes()
        yield str(file.relative_to(path)), raw
        if file.parent.parent.name == "packs":
            contents = read_contents(file.name, len(raw), partial(_slice, raw), sealer)
            for number, span in enumerate(contents.frames):
                sealed = raw[span.position : span.position + span.length]
                yield (
                    f"{file.name} frame {number}",
                    sealer.open(sealed, span.raw_length, frame_place(file.name, number)),
                )
            yield f"{file.name} entries", b"".join(entry.id for entry in contents.entries)
    with open_local(path) as store, store.database.read() as tx:
        for frame, data, length in tx.execute("SELECT frame, data, raw_length FROM hot"):
            yield f"hot frame {frame}", sealer.open(data, length, HOT)


def _slice(data: bytes, at: int, length: int) -> bytes:
    return data[at : at + length]
