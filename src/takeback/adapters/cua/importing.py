"""Bringing in what the CUA snapshot manager has left: images and volumes become container parts of snapshots here.

A snapshot of its was an image; the part that comes of it says that the container is made from that image and differs from it
in nothing, and holds what the volumes held. So the image has to be in the engine still, and to stay there, unless it is brought
in ``flat``: then all its files are. What cannot be brought in is told, with the reason; nothing of the old directory is changed.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from takeback.adapters.cua import describing, seed
from takeback.adapters.cua.errors import SnapshotError, SnapshotNotFoundError, told_as
from takeback.adapters.remembering import finished
from takeback.errors import Integrity, InvalidInput, NotFound, TakebackError
from takeback.model.snapshot import Part
from takeback.sources.container import content
from takeback.sources.container.daemon import Inspected
from takeback.sources.container.describing import settings_of
from takeback.sources.container.settings import RUNNING, Volume
from takeback.sources.container.source import Container
from takeback.sources.container.streaming.archive import Archive
from takeback.sources.container.streaming.collecting import Collected

if TYPE_CHECKING:
    from takeback.adapters.cua.manager import SnapshotManager
    from takeback.model.progress import Watch
    from takeback.store.writer import Writer

_PIECE = 1 << 20


@dataclass(frozen=True)
class Imported:
    """What was brought in, and what was not."""

    snapshots: dict[str, str]
    """From the ids that they had to those that they have; the old ones are labels, and find them, too."""
    there: tuple[str, ...] = ()
    """Old ids of those that were brought in before."""
    left: dict[str, str] | None = None
    """What is not brought in, and why: by old id, or by the name of a file."""


async def import_snapshots(manager: SnapshotManager, directory: str | Path, *, flatten: bool = False) -> Imported:
    """Bring all snapshots of another manager's directory into a manager's store. Those that are there stay as they are."""
    with told_as(SnapshotError):
        return await finished(_import, manager, Path(directory), flatten)


def _import(manager: SnapshotManager, directory: Path, flatten: bool) -> Imported:
    made: dict[str, str] = {}
    there: list[str] = []
    left: dict[str, str] = {}
    known: set[Path] = set()
    for each in seed.every(directory):
        if isinstance(each, InvalidInput):
            left[each.message.partition(" tells")[0]] = each.message
            continue
        known |= set(each.archives.values())
        try:
            manager.storage.find(each.id)
            there.append(each.id)
            continue
        except SnapshotNotFoundError:
            pass
        try:
            made[each.id] = _bring(manager, each, flatten)
            left |= {f"{each.id}: {what}": why for what, why in _missing(each)}
        except TakebackError as error:
            left[each.id] = error.message
    left |= dict.fromkeys(seed.strays(directory, known), "no snapshot tells of it")
    return Imported(made, tuple(there), left)


def _bring(manager: SnapshotManager, each: seed.Found, flatten: bool) -> str:
    """One snapshot; its id here."""
    with _stand_in(manager, each) as box:
        source = _Left(
            each, box, secrets=manager.config.keep_secrets, flatten=flatten, client=manager.provider.daemon.given
        )
        line = manager.storage.line(each.container, [source])
        context = describing.context(
            container_id=each.container_id,
            trigger=each.trigger.value,
            timestamp=each.timestamp.isoformat(),
            agent_metadata={"imported": each.id},
            **each.said,
        )
        return line.save(each.id, trigger="interval", title=f"imported {each.id}", context=context, always=True).id


def _missing(each: seed.Found) -> Iterator[tuple[str, str]]:
    """What a snapshot that was brought in lacks, as it did before."""
    for bind in each.binds:
        yield f"the bind mount {bind}", "it is a directory of the host, and was never saved"
    for name in each.volumes.values():
        if name not in each.archives:
            yield f"the volume {name}", "its content was not saved"


@contextmanager
def _stand_in(manager: SnapshotManager, each: seed.Found) -> Iterator[Inspected]:
    """A container from a snapshot's image, with its configuration, that never runs; it is gone afterwards."""
    daemon = manager.provider.daemon
    image = _image(manager, each)
    name = f"takeback-import-{secrets.token_hex(4)}"
    body = {**each.config, "Image": image, "HostConfig": {}}
    made = daemon.call(f"look into the image {image}", daemon.api.create_container_from_config, body, name)["Id"]
    try:
        yield daemon.inspect(made)
    finally:
        daemon.call(f"remove the container {name}", daemon.api.remove_container, made, v=True, force=True)


def _image(manager: SnapshotManager, each: seed.Found) -> str:
    daemon = manager.provider.daemon
    for name in (each.image_id, each.image_tag):
        try:
            if name and daemon.call(f"look at the image {name}", daemon.api.inspect_image, name):
                return name
        except (NotFound, InvalidInput):
            continue
    raise NotFound(f"its image {each.image_tag or each.image_id or '(none)'} is not in the engine any more")


class _Left(Container):
    """A container as another manager saved it."""

    def __init__(self, found: seed.Found, box: Inspected, **options: Any) -> None:
        super().__init__(box.id, volumes=False, **options)
        self._found, self._box = found, box

    def capture(self, writer: Writer, previous: Part | None, watch: Watch) -> Part:
        _, areas = self.survey(self._box, writer, watch)
        listed: dict[str, Any] = {area: areas.listed(area) for area in areas}
        left_out = []
        for name, path in self._found.archives.items():
            area = f"volumes/{name}"
            collected = Collected(area, writer, watch)
            with path.open("rb") as file:
                try:
                    collected.add(Archive(iter(lambda: file.read(_PIECE), b""), seed.VOLUME_ROOT))
                except Integrity as error:
                    raise Integrity(f"the archive {path.name} cannot be taken over: {error.message}") from error
            listed[area] = collected.linked()
            left_out += collected.not_captured
        settings = settings_of(self.daemon, self._box, secrets=self.secrets, flat=self.flatten)
        mounts = {where: f"{name}:{where}" for where, name in self._found.volumes.items()}
        settings = replace(
            settings,
            state=RUNNING,
            volumes={where: Volume(name=name) for where, name in self._found.volumes.items()},
            host={**settings.host, "Binds": list(mounts.values()) or settings.host.get("Binds")},
        )
        tree = content.build(writer, settings.encode(), listed)
        detail = {"container": self._found.container, "id": self._found.container_id, "strategy": "import"}
        return Part(self.name, self.kind, {"content": tree}, detail, tuple(sorted(left_out)))
