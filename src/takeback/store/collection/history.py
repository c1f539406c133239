"""The catalogue's own rows as a blob: what packs alone could not tell, so that a lost catalogue can be rebuilt from
them up to the last fold.

The encoding is that of `takeback.store.catalogue.tables`. The newest one is needed, as a snapshot's manifest is; older
ones are not.
"""

from __future__ import annotations

import time

from takeback.model.ids import BlobKind
from takeback.store.blobstore import BlobStore
from takeback.store.catalogue import blobs, collecting, tables
from takeback.store.catalogue.database import Transaction


def encode_history(tx: Transaction) -> bytes:
    return tables.encode({table: list(tables.every(tx, table)) for table in tables.TABLES})


def write_history(store: BlobStore) -> bool:
    """Whether there was anything new to note."""
    with store.writer() as writer:
        with store.database.read() as tx:
            data = encode_history(tx)
            before = collecting.newest_history(tx)
        blob = writer.put(data, BlobKind.HISTORY)
        if blob == before:
            return False
        writer.commit(lambda tx: collecting.note_history(tx, blob, time.time_ns()))
        return True


def history_blobs(store: BlobStore) -> set[bytes]:
    """The blobs of the newest history."""
    with store.database.read() as tx:
        newest = collecting.newest_history(tx)
        at = blobs.locate(tx, newest) if newest is not None else None
    if at is None:
        return set()
    if at.kind != BlobKind.RECIPE:
        return {at.id}
    with store.reader() as reader:
        return {at.id, *(chunk.id for chunk in reader.recipe(at.id).chunks)}
