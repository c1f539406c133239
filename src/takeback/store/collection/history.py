"""The catalogue's own rows as a blob: what packs alone could not tell, so that a lost catalogue can be rebuilt from
them up to the last fold.

Canonical JSON (sorted keys, no spaces, ASCII) of ``format`` and, by table, of its columns and rows in the order of
their numbers; bytes are hexadecimal. The newest one is needed, as a snapshot's manifest is; older ones are not.
"""

from __future__ import annotations

import json
import time

from takeback.model.ids import BlobKind
from takeback.store.blobstore import BlobStore
from takeback.store.catalogue import blobs, collecting
from takeback.store.catalogue.database import Transaction

FORMAT = 1
_TABLES = {
    "timelines": ("id, root, name, created_ns, head, fork_of", "id"),
    "snapshots": ('seq, id, timeline, parent, time_ns, "trigger", session, manifest, changed, mixed', "seq"),
    "labels": ("snapshot, name, added_ns", "snapshot, name"),
    "pins": ("snapshot", "snapshot"),
    "moves": (
        "seq, id, timeline, session, level, verb, title, key, reported, opening, opening_seq, closing, closing_seq, "
        "opened_ns, closed_ns, undone_by, context",
        "seq",
    ),
    "takes": ("move, target", "move, target"),
}


def encode_history(tx: Transaction) -> bytes:
    tables = {
        name: {
            "columns": columns.replace('"', "").split(", "),
            "rows": [
                [value.hex() if isinstance(value, bytes) else value for value in row]
                for row in tx.execute(f"SELECT {columns} FROM {name} ORDER BY {order}")
            ],
        }
        for name, (columns, order) in _TABLES.items()
    }
    return json.dumps({"format": FORMAT, **tables}, sort_keys=True, separators=(",", ":")).encode("ascii")


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
