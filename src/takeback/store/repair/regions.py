"""The frames in which blobs lie that nobody lists any more: hot ones whose rows are lost, and those of packs without a
readable trailer."""

from __future__ import annotations

from collections.abc import Iterator

from takeback.errors import TakebackError
from takeback.store.catalogue.blobs import HOT_PACK
from takeback.store.packs.frames import read_frame
from takeback.store.packs.pack import PackEntry
from takeback.store.packs.sealing import HOT
from takeback.store.repair.candidate import blob_row
from takeback.store.repair.carving import Region, Wanted, carve
from takeback.store.repair.found import Found
from takeback.store.repair.rows import add_rows


class Regions:
    """What is not accounted for in a store that was looked at."""

    def __init__(self, found: Found) -> None:
        self._store = found.store
        self._hot = {int(row[0]): row for row in found.old.tables.get("hot", [])}
        with found.store.database.read() as tx:
            numbers = {str(name): int(number) for number, name in tx.execute("SELECT id, name FROM packs")}
            taken: dict[tuple[int, int], list[tuple[int, int]]] = {}
            for pack, frame, start, length in tx.execute("SELECT pack, frame, start, length FROM blobs"):
                taken.setdefault((pack, frame), []).append((start, start + length))
        regions = [*self._hot_regions(), *self._pack_regions(found, numbers)]
        for region in regions:
            region.taken = taken.get((region.pack, region.frame), [])
        self._regions = [region for region in regions if any(region.gaps())]

    def __bool__(self) -> bool:
        return bool(self._regions)

    def carve(self, wanted: Wanted) -> set[bytes]:
        """Find blobs in what is left, and list them in the candidate; returns those that it did not have."""
        found: set[bytes] = set()
        for region in self._regions:
            entries = carve(region, wanted)
            if entries:
                found |= self._list(region, entries)
        self._regions = [region for region in self._regions if any(region.gaps())]
        return found

    def _list(self, region: Region, entries: list[PackEntry]) -> set[bytes]:
        with self._store.database.write() as tx:
            new = {entry.id for entry in entries if not tx.execute("SELECT 1 FROM blobs WHERE id = ?", (entry.id,))}
            if region.pack == HOT_PACK:
                add_rows(tx, "hot", [self._hot[region.frame]])
            add_rows(tx, "blobs", (blob_row(region.pack, entry) for entry in entries))
        return new

    def _hot_regions(self) -> Iterator[Region]:
        for frame, sealed, raw_length in self._hot.values():
            try:
                yield Region(HOT_PACK, frame, self._store.sealer.open(sealed, raw_length, HOT))
            except TakebackError:
                continue

    def _pack_regions(self, found: Found, numbers: dict[str, int]) -> Iterator[Region]:
        for pack in found.packs:
            for frame, span in enumerate(pack.contents.frames if pack.unlisted else ()):
                try:
                    raw = read_frame(self._store.backend, self._store.sealer, pack.name, frame, span)
                except TakebackError:
                    continue
                yield Region(numbers[pack.name], frame, raw)
