"""Moving blobs: what the target lacks is read from the origin in the order in which it lies there, put into the target
and found to have the same id, in batches that are committed.

All batches are put under one lease of the target, so a maintenance there may condemn what nothing refers to yet, but
not remove it before the copy has ended; and then it looks again. Whatever a killed copy has committed is known to the
next one, unless it was removed: then it is put again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from takeback.engine.copying.wanted import Bounded, Item
from takeback.engine.keeping import has_chunks
from takeback.errors import Integrity
from takeback.model.ids import BlobKind
from takeback.store.catalogue.database import Transaction
from takeback.store.packs.chunking import LARGE, LARGE_TREE
from takeback.store.reader import Reader
from takeback.store.writer import Writer

BATCH_BYTES = 64 << 20
BATCH_BLOBS = 50_000
_PAGE = 10_000


class Transfer:
    """Blobs on their way from one store to another. What was put last waits for the caller's commit."""

    def __init__(self, reader: Reader, writer: Writer) -> None:
        self.blobs = 0
        """How many were moved."""
        self.bytes = 0
        self._reader = reader
        self._reads = Bounded(reader)
        self._writer = writer
        self._waiting_blobs = self._waiting_bytes = 0

    def move(self, items: Iterable[Item], tick: Callable[[], None]) -> None:
        """Put those that the target lacks. ``tick`` is called for each, and may raise."""
        iterator = iter(items)
        while page := list(islice(iterator, _PAGE)):
            missing = {item.id: item for item in self._missing(page)}
            for id in self._reader.in_storage_order(missing):
                tick()
                self._put(missing[id])

    def _missing(self, page: list[Item]) -> Iterator[Item]:
        known = self._writer.known(item.id for item in page)
        self._writer.reader.in_storage_order(known)  # one query finds them all
        for item in page:
            if item.id not in known:
                yield item
            elif self._writer.reader.size(item.id) != item.size:
                raise _wrong(item)
            elif item.size > LARGE_TREE and not has_chunks(self._writer, item.id):
                yield item

    def _put(self, item: Item) -> None:
        if self._reader.size(item.id) != item.size:
            raise _wrong(item)
        if item.kind is BlobKind.DATA:
            id, size = self._put_data(item)
        else:
            data = self._reads.get(item.id, item.kind)
            id, size = self._writer.put(data, item.kind), len(data)
        if id != item.id or size != item.size:
            raise _wrong(item)
        self.blobs += 1
        self.bytes += size
        self._waiting_blobs += 1
        self._waiting_bytes += size
        if self._waiting_bytes >= BATCH_BYTES or self._waiting_blobs >= BATCH_BLOBS:
            self._writer.commit(_nothing)
            self._waiting_blobs = self._waiting_bytes = 0

    def _put_data(self, item: Item) -> tuple[bytes, int]:
        if item.size > LARGE:
            return self._writer.put_pieces(self._reader.stream(item.id))
        data = self._reader.get(item.id)
        return self._writer.put(data, BlobKind.DATA), len(data)


def _nothing(tx: Transaction) -> None:
    """Nothing refers to what a batch holds before the last one."""


def _wrong(item: Item) -> Integrity:
    return Integrity(
        f"blob {item.id.hex()[:12]} is not what the snapshots that were to be copied say. None of them was copied.",
        hints=["check where it came from with `takeback verify --read-data`"],
    )
