"""`FileSystemSnapshotStorage`: the takeback store that snapshots are kept in, seen as a list of snapshots of containers.

Each container has a timeline of its name, of no directory. Nothing is kept beside the store: what is listed is read from
the snapshots, so `takeback --store DIR log` shows the same ids.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from takeback.adapters.cua import volumes
from takeback.adapters.cua.describing import container_part, describe, describe_harmed, said_of
from takeback.adapters.cua.errors import SnapshotNotFoundError, StorageError, told_as
from takeback.adapters.cua.values import SnapshotMetadata
from takeback.adapters.remembering import finished
from takeback.engine.dropping import let_go, root_held
from takeback.engine.store import Store
from takeback.engine.timeline import Timeline
from takeback.errors import Integrity, InvalidInput, TakebackError
from takeback.model.snapshot import Snapshot
from takeback.sources.protocol import Source
from takeback.store.catalogue import snapshots
from takeback.store.catalogue.snapshots import SnapshotRow
from takeback.store.catalogue.timelines import TimelineRow

_GIB = 1 << 30
_CATALOGUE = "catalogue.db"


class Listed(NamedTuple):
    """A snapshot of a container, as the catalogue has it."""

    timeline: TimelineRow
    row: SnapshotRow


class FileSystemSnapshotStorage:
    """A store by its directory; it is made by the first snapshot. Close it, or the manager that uses it."""

    def __init__(self, base_path: str | os.PathLike[str] = ".snapshots") -> None:
        self.base_path = Path(base_path)
        self._opened: Store | None = None
        self._guard = threading.Lock()

    def __repr__(self) -> str:
        return f"<FileSystemSnapshotStorage {str(self.base_path)!r}>"

    @property
    def exists(self) -> bool:
        return self._opened is not None or (self.base_path / "store.json").exists()

    def open(self) -> Store:
        """The store, made if there is none."""
        from takeback.locate import open as open_store

        with self._guard, told_as(StorageError):
            if self._opened is None:
                if not self.exists and (self.base_path / "metadata").is_dir():
                    raise StorageError(
                        f"{self.base_path} holds snapshots of another manager, and cannot be a store as well",
                        hints=[f"`cua-snapshot --storage-path NEW import {self.base_path}` brings them into a new one"],
                    )
                self._opened = open_store(self.base_path)
            return self._opened

    def line(self, container: str, sources: Iterable[Source] = ()) -> Timeline:
        """The timeline of a container, by its name."""
        return self.open().timeline(container, sources=sources, root="")

    def listed(self, container: str | None = None) -> list[Listed]:
        """Snapshots of all containers, or of one by its name or the beginning of its id, newest first."""
        if not self.exists:
            return []
        found = [Listed(line, row) for line in self._lines() for row in self.line(line.name).log().snapshots]
        if container is not None:
            named = [each for each in found if each.timeline.name == container]
            found = named or [each for each in found if self._is_of(each, container)]
        return sorted(found, key=lambda each: -each.row.seq)

    def find(self, snapshot_id: str) -> Listed:
        """A snapshot by its id, a unique beginning of it, or its name; SnapshotNotFoundError if there is none."""
        text = snapshot_id.strip()
        lines = {line.number: line for line in self._lines()} if self.exists else {}
        if lines and text:
            with self.open().blobs.database.read() as tx:
                named = [snapshots.labelled(tx, number, text) for number in lines] if text.isprintable() else []
                rows = sorted((row for row in named if row is not None), key=lambda row: -row.seq)[:1]
                if not rows and all(each in "0123456789abcdef" for each in text.lower()):
                    rows = snapshots.with_prefix(tx, text.lower(), 20)
                rows = snapshots.with_marks(tx, [row for row in rows if row.timeline in lines])
            if len(rows) > 1:
                begun = ", ".join(row.id[:12] for row in rows[:4])
                raise InvalidInput(f"{snapshot_id!r} is ambiguous: it begins {begun}", hints=["give more characters"])
            if rows:
                return Listed(lines[rows[0].timeline], rows[0])
        raise SnapshotNotFoundError(
            f"there is no snapshot {snapshot_id!r} in {self.base_path}", hints=["`cua-snapshot list` shows all"]
        )

    def described(self, each: Listed) -> SnapshotMetadata:
        """What is known of a listed snapshot."""
        place = str(self.base_path)
        try:
            snapshot = self.loaded(each)
            part = container_part(snapshot)
            with self.open().blobs.reader() as reader:
                size = None if part is None else volumes.size(reader, part)
            return describe(snapshot, place, size)
        except Integrity:
            return describe_harmed(each.row, each.timeline.name, place)

    def loaded(self, each: Listed) -> Snapshot:
        return self.line(each.timeline.name).show(each.row.id)

    def close(self) -> None:
        with self._guard:
            if self._opened is not None:
                self._opened.close()
                self._opened = None

    async def load_metadata(self, snapshot_id: str) -> SnapshotMetadata | None:
        """What is known of a snapshot; None if there is none."""
        try:
            return await finished(lambda: self.described(self.find(snapshot_id)))
        except SnapshotNotFoundError:
            return None

    async def list_snapshots(self, container_id: str | None = None, limit: int | None = None) -> list[SnapshotMetadata]:
        """Newest first; of one container by its name or id."""
        if limit is not None and limit < 0:
            raise InvalidInput(f"a list cannot have {limit} snapshots")
        return await finished(lambda: [self.described(each) for each in self.listed(container_id)[:limit]])

    async def save_metadata(self, metadata: SnapshotMetadata) -> None:
        """A snapshot says itself what it is: what says otherwise is refused."""
        if await self.load_metadata(metadata.snapshot_id) != metadata:
            raise StorageError(
                f"the snapshot {metadata.snapshot_id[:12]} cannot be changed: what is known of it is part of it",
                hints=["`takeback label` and `takeback pin` mark snapshots"],
            )

    async def update_metadata(self, metadata: SnapshotMetadata) -> None:
        await self.save_metadata(metadata)

    async def delete_metadata(self, snapshot_id: str) -> None:
        """Remove a snapshot, and what only it needs."""
        with told_as(StorageError):
            await finished(self.delete, snapshot_id)

    async def list_volume_files(self, snapshot_id: str) -> list[str]:
        """The volumes that a snapshot holds."""

        def look() -> list[str]:
            part = container_part(self.loaded(self.find(snapshot_id)))
            with self.open().blobs.reader() as reader:
                return [] if part is None else volumes.names(reader, part)

        return await finished(look)

    async def load_volume_data(self, snapshot_id: str, volume_name: str) -> bytes:
        """A volume as a tar archive; StorageError if the snapshot does not hold it."""

        def look() -> bytes:
            part = container_part(self.loaded(self.find(snapshot_id)))
            with self.open().blobs.reader() as reader:
                if part is None or volume_name not in volumes.names(reader, part):
                    raise StorageError(f"Volume data not found: {volume_name} is not in snapshot {snapshot_id}")
                return volumes.archive(reader, part, volume_name)

        return await finished(look)

    async def get_storage_stats(self) -> dict[str, Any]:
        """How many snapshots there are, and what the store takes."""
        return await finished(self.stats)

    def stats(self) -> dict[str, Any]:
        found = self.listed()
        taken, catalogue = taken_by(self.base_path)
        newest = found[0] if found else None
        return {
            "total_snapshots": len(found),
            "total_containers": len({each.timeline.name for each in found}),
            "total_size_bytes": taken,
            "total_size_gb": taken / _GIB,
            "metadata_size_bytes": catalogue,
            "storage_path": str(self.base_path),
            "last_updated": None if newest is None else self.described(newest).timestamp.isoformat(),
        }

    def delete(self, snapshot_id: str) -> str:
        """Remove a snapshot and free what only it needs; its id."""
        found = self.find(snapshot_id)
        self.drop([found])
        self.open().maintain()
        return found.row.id

    def drop(self, some: Iterable[Listed]) -> list[str]:
        """Take snapshots out of their timelines; the bytes are freed by the next `Store.maintain`."""
        gone = []
        for each in some:
            gone.append(self.line(each.timeline.name).drop(each.row.id))
        return gone

    def let_go(self, some: Iterable[Listed]) -> list[str]:
        """The same for those that limits let go: moves that need one of them go as a whole."""
        gone: list[str] = []
        by_line: dict[int, list[Listed]] = {}
        for each in some:
            by_line.setdefault(each.timeline.number, []).append(each)
        for number, group in by_line.items():
            ids = [each.row.id for each in group]
            with root_held(group[0].timeline.root), self.open().blobs.database.write() as tx:
                let_go(tx, number, ids, "prune")
            gone += ids
        return gone

    def images(self) -> set[str]:
        """The tags of the images that snapshots were made with."""
        return {tag for each in self.listed() if (tag := self.described(each).image_tag)}

    def _lines(self) -> Iterator[TimelineRow]:
        """The timelines of containers: those of no directory whose latest snapshot has one."""
        store = self.open()
        for line in store.timelines():
            if line.root or line.head is None:
                continue
            try:
                head = store.timeline(line.name, root="").show(line.head)
            except TakebackError:
                yield line  # harmed; its rows can still be listed, and dropped
                continue
            if container_part(head) is not None or said_of(head.context):
                yield line

    def _is_of(self, each: Listed, container: str) -> bool:
        """Whether a snapshot is of a container that is given by its id, or by 12 or more characters of it."""
        if len(container) < 12:
            return False
        try:
            return str(said_of(self.loaded(each).context).get("container_id", "")).startswith(container)
        except TakebackError:
            return False


def taken_by(directory: Path) -> tuple[int, int]:
    """What a store's files take, all together and its catalogue alone."""
    total = catalogue = 0
    for where, _, names in os.walk(directory):
        for name in names:
            try:
                size = os.lstat(os.path.join(where, name)).st_size
            except OSError:
                continue  # it was removed meanwhile
            total += size
            catalogue += size if name.startswith(_CATALOGUE) else 0
    return total, catalogue
