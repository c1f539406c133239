"""What a store holds, in numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from takeback.errors import Integrity
from takeback.model.ids import BlobKind
from takeback.store.blobstore import BlobStore
from takeback.store.catalogue.figures import figures


@dataclass(frozen=True, slots=True)
class StoreStats:
    """Bytes are raw (as put, each blob once) or sealed (as they lie in packs and hot rows)."""

    blobs: Mapping[str, int]
    """How many of each kind."""
    raw_bytes: int
    packed_bytes: int
    hot_bytes: int
    packs: int
    condemned_packs: int
    frames: int
    hot_frames: int
    catalogue_bytes: int
    """The catalogue's files, hot rows included."""
    maintained_ns: int = 0
    """When the last maintenance ended; 0 before the first."""

    @property
    def sealed_bytes(self) -> int:
        return self.packed_bytes + self.hot_bytes

    @property
    def saved_by_compression(self) -> int:
        return self.raw_bytes - self.sealed_bytes

    @property
    def bytes_on_disk(self) -> int:
        return self.packed_bytes + self.catalogue_bytes


def stats(store: BlobStore) -> StoreStats:
    with store.database.read() as tx:
        kinds = tx.execute("SELECT kind, COUNT(*) FROM blobs GROUP BY kind ORDER BY kind")
        packs = tx.execute(
            "SELECT COUNT(*), COALESCE(SUM(size), 0), COALESCE(SUM(raw_size), 0), "
            "COALESCE(SUM(CASE WHEN state = 'condemned' THEN 1 ELSE 0 END), 0) FROM packs WHERE state <> 'pending'"
        )[0]
        hot = tx.execute("SELECT COUNT(*), COALESCE(SUM(LENGTH(data)), 0), COALESCE(SUM(raw_length), 0) FROM hot")[0]
        frames = tx.execute("SELECT COUNT(*) FROM frames")[0][0]
        maintained_ns = figures(tx).maintained_ns
    return StoreStats(
        blobs={_name(kind): int(count) for kind, count in kinds},
        raw_bytes=int(packs[2]) + int(hot[2]),
        packed_bytes=int(packs[1]),
        hot_bytes=int(hot[1]),
        packs=int(packs[0]),
        condemned_packs=int(packs[3]),
        frames=int(frames),
        hot_frames=int(hot[0]),
        catalogue_bytes=store.database.size(),
        maintained_ns=maintained_ns,
    )


def _name(kind: object) -> str:
    try:
        return BlobKind(kind).name.lower()  # type: ignore[arg-type]
    except ValueError:
        raise Integrity(f"the catalogue lists blobs of the kind {kind!r}, which nothing has") from None
