"""Images that snapshots of containers have made, by ``docker commit``: they go when no snapshot names them any more.

Only tags that a snapshot has named are ever removed: one that is just being made belongs to a snapshot that is not recorded
yet. What cannot be removed now, because Docker is down or a container was made from it, is noted and tried next time.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from takeback.engine.maintenance import snapshot_blobs
from takeback.engine.manifest import load_snapshot
from takeback.engine.reach import Reach
from takeback.engine.undrop import dropped_rows
from takeback.errors import Integrity, TakebackError
from takeback.model.snapshot import Part
from takeback.store.blobstore import BlobStore
from takeback.store.catalogue import blobs as blob_rows
from takeback.store.catalogue import snapshots
from takeback.store.catalogue.snapshots import SnapshotRow

_KEY = "images to be removed"


def tag_of(part: Part) -> str:
    """The tag of a part's image; empty if it has none."""
    image = part.detail.get("image") if part.kind == "container" else None
    tag = image.get("tag") if isinstance(image, dict) else None
    return tag if isinstance(tag, str) else ""


def of_dropped(blobs: BlobStore) -> set[str]:
    """The tags that dropped snapshots name, as far as they can be read, and those that are to go already."""
    return {*(tag for _, tag in _dropped(blobs)), *_noted(blobs)}


def release(blobs: BlobStore, known: Iterable[str]) -> list[str]:
    """Remove those of some ``known`` images that nothing names any more, now that a maintenance has swept."""
    candidates = {tag for tag in known if tag}
    if not candidates:
        return []
    with blobs.database.read() as tx:
        rows = snapshots.everywhere(tx)
    needed = {tag for _, tag in _tagged(blobs, rows)} | {
        tag for row, tag in _dropped(blobs) if _can_come_back(blobs, row)
    }
    gone = sorted(candidates - needed)
    removed = _remove(gone)
    left = [tag for tag in gone if tag not in removed]
    if left or _noted(blobs):
        blobs.derived.put(_KEY, json.dumps(left).encode())
    return removed


def _remove(tags: list[str]) -> list[str]:
    if not tags:
        return []
    from takeback.sources.container.daemon import Daemon  # only who has such images needs it
    from takeback.sources.container.images import remove

    daemon = Daemon()
    try:
        return remove(daemon, tags)
    except TakebackError:
        return []  # Docker is down, or not installed here
    finally:
        daemon.close()


def _dropped(blobs: BlobStore) -> list[tuple[SnapshotRow, str]]:
    with blobs.database.read() as tx:
        rows = dropped_rows(tx, {row.id for row in snapshots.everywhere(tx)})
        there = blob_rows.known(tx, {row.manifest for row in rows}, frozenset())
    return list(_tagged(blobs, [row for row in rows if row.manifest in there]))


def _can_come_back(blobs: BlobStore, row: SnapshotRow) -> bool:
    with blobs.reader() as reader:
        try:
            needed = set(snapshot_blobs(reader, Reach(reader), row))
        except Integrity:
            return False
    with blobs.database.read() as tx:
        return blob_rows.known(tx, needed, frozenset()) == needed


def _tagged(blobs: BlobStore, rows: Iterable[SnapshotRow]) -> Iterator[tuple[SnapshotRow, str]]:
    """Snapshots, and the tags of images that they name."""
    with blobs.reader() as reader:
        for row in rows:
            try:
                parts = load_snapshot(reader, row).parts.values()
            except Integrity:
                continue  # verify tells of it; what it names is not known
            yield from ((row, tag) for tag in map(tag_of, parts) if tag)


def _noted(blobs: BlobStore) -> list[str]:
    try:
        found = json.loads(blobs.derived.get(_KEY) or b"[]")
    except ValueError:
        return []
    return [tag for tag in found if isinstance(tag, str)] if isinstance(found, list) else []
