"""A new account of what was found, in memory: a catalogue over the packs as they are, which can be read and completed
like any store, and thrown away."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence

from takeback.errors import Integrity
from takeback.store.backends.local import LocalBackend
from takeback.store.blobstore import BlobStore
from takeback.store.catalogue.blobs import HOT_PACK
from takeback.store.catalogue.database import Row
from takeback.store.catalogue.sqlite import SqliteDatabase
from takeback.store.collection.packer import checked
from takeback.store.derived import DerivedMemory
from takeback.store.header import Header
from takeback.store.leases import MemoryLeases
from takeback.store.packs.pack import PackEntry
from takeback.store.packs.sealing import HOT, Sealer
from takeback.store.repair.rows import Tables, add_rows, write_tables
from takeback.store.repair.survey import FoundPack

HISTORY = ("timelines", "snapshots", "labels", "pins", "moves", "takes", "operations", "journals")
"""Tables that say what was saved, rather than where it lies."""


def candidate(directory: str, header: Header, old: Tables, packs: Sequence[FoundPack]) -> BlobStore:
    """A store over the intact blobs of packs and hot rows, with the old catalogue's history."""
    database = SqliteDatabase(None)
    database.create()
    with database.write() as tx:
        write_tables(tx, {name: old.get(name, []) for name in HISTORY})
        add_rows(tx, "counters", old.get("counters", []))
        known = {str(row[1]): row for row in old.get("packs", [])}
        last = max((int(row[0]) for row in known.values()), default=0)
        for pack in sorted(packs, key=lambda each: bool(each.damage)):  # where a blob lies twice, the sound pack counts
            if pack.name in known:
                number, created = int(known[pack.name][0]), known[pack.name][6]
            else:
                number, created = (last := last + 1), time.time_ns()
            row = (number, pack.name, "live", 0, pack.size, pack.raw_size, created)
            add_rows(tx, "packs", [row])
            add_rows(tx, "frames", ((number, index, *span) for index, span in enumerate(pack.contents.frames)))
            add_rows(tx, "blobs", (blob_row(number, entry) for entry in pack.contents.entries))
        for hot, entries in hot_frames(old):
            add_rows(tx, "hot", [hot])
            add_rows(tx, "blobs", (blob_row(HOT_PACK, entry) for entry in entries))
        tx.execute("DELETE FROM hot WHERE frame NOT IN (SELECT frame FROM blobs WHERE pack = 0)")
    return BlobStore(header, directory, database, LocalBackend(directory), MemoryLeases(database), DerivedMemory())


def hot_frames(old: Tables) -> Iterable[tuple[Row, list[PackEntry]]]:
    """Hot rows, and the blobs in them that are intact."""
    sealer = Sealer()
    listed = hot_entries(old)
    for row in old.get("hot", []):
        frame, sealed, raw_length = row
        try:
            raw = sealer.open(sealed, raw_length, HOT)
        except Integrity:
            continue
        yield row, [entry for entry in listed.get(frame, []) if _intact(raw, entry)]


def hot_entries(old: Tables) -> Mapping[int, list[PackEntry]]:
    """What the catalogue says that its hot frames hold."""
    frames: dict[int, list[PackEntry]] = {}
    for id, kind, pack, frame, start, length in old.get("blobs", []):
        if pack == HOT_PACK:
            frames.setdefault(frame, []).append(PackEntry(id, kind, frame, start, length))
    return frames


def _intact(raw: bytes, entry: PackEntry) -> bool:
    try:
        checked(raw, entry)
    except Integrity:
        return False
    return True


def blob_row(pack: int, entry: PackEntry) -> Row:
    return (entry.id, entry.kind, pack, entry.frame, entry.start, entry.length)
