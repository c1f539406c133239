"""What snapshots need and a damaged store does not list: by name, and by length where that is known."""

from __future__ import annotations

import json

from takeback.engine.losses import Findable
from takeback.errors import TakebackError
from takeback.model.ids import BlobKind
from takeback.model.snapshot import Part
from takeback.store.blobstore import BlobStore
from takeback.store.catalogue import blobs as blob_rows
from takeback.store.catalogue import snapshots


def wanted(store: BlobStore) -> dict[bytes, int | None]:
    """Blobs that rows, manifests and trees name and that are not there. Found ones may name more."""
    with store.reader() as reader, store.database.read() as tx:
        reach = Findable(reader)
        needed = {row.manifest for row in snapshots.everywhere(tx)}
        for blob in blob_rows.of_kind(tx, BlobKind.MANIFEST):
            try:
                for name, part in json.loads(reader.get(blob)).get("parts", {}).items():
                    refs = {key: bytes.fromhex(each) for key, each in part["refs"].items()}
                    needed.update(reach.of(Part(name, part["kind"], refs)))
            except (TakebackError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
                continue
        missing = needed - blob_rows.known(tx, needed, frozenset())
    return {blob: reach.lengths.get(blob) for blob in missing}
