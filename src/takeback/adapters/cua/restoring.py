"""A snapshot becomes a container again: a new one beside the one that there is, or in its place."""

from __future__ import annotations

import logging
import time

from takeback.adapters.cua.describing import RESTORED, container_part
from takeback.adapters.cua.errors import SnapshotError
from takeback.adapters.cua.provider import DockerSnapshotProvider
from takeback.adapters.cua.storage import FileSystemSnapshotStorage, Listed
from takeback.adapters.cua.values import RestoreOptions
from takeback.engine.timeline import Timeline
from takeback.errors import InvalidInput
from takeback.model.ids import short
from takeback.model.plan import Report
from takeback.model.snapshot import Snapshot
from takeback.sources.protocol import Source

logger = logging.getLogger(__name__)


def restore(
    provider: DockerSnapshotProvider,
    storage: FileSystemSnapshotStorage,
    source: Source,
    found: Listed,
    options: RestoreOptions,
) -> str:
    """Do it, and note with the snapshot that it was done; the container's id."""
    own = found.timeline.name
    target = _target(own, options)
    line = storage.line(own, [source])
    snapshot = line.show(found.row.id)
    part = container_part(snapshot)
    if part is None:
        raise SnapshotError(f"the snapshot {short(snapshot.id)} holds no container")
    if target != own:
        report = line.restore(snapshot, to={part.name: provider.place(target, options, "new")})
    elif provider.exists(own):
        report = _replaced(line, snapshot, part.name, options)
    else:
        report = line.restore(snapshot, to={part.name: provider.place(target, options, "same")})
        if options.preserve_volumes:  # those that outlived their container are as they are now
            line.restore(snapshot, only=[part.name])
    for note in report.notes:
        logger.info("%s", note)
    stamp = time.strftime("%Y-%m-%d %H:%M:%S") + f".{time.time_ns() // 1000 % 10**6:06}"
    line.label(snapshot.id, f"{RESTORED}{target} {stamp}")
    return provider.inspected(target).id


def _replaced(line: Timeline, snapshot: Snapshot, part: str, options: RestoreOptions) -> Report:
    if options.environment_overrides or options.port_mappings or not options.preserve_networks:
        raise InvalidInput(
            f"a container that takes the place of {line.name!r} has its environment, its ports and its networks",
            hints=["give another new_container_name to change them"],
        )
    return line.restore(snapshot, only=[part], paths=None if options.preserve_volumes else ("filesystem", "settings"))


def _target(own: str, options: RestoreOptions) -> str:
    if options.replace and options.new_container_name not in (None, own):
        raise InvalidInput(f"{options.new_container_name!r} cannot be both new and in the place of {own!r}")
    if options.new_container_name:
        return options.new_container_name
    return own if options.replace else f"{own}_restored_{int(time.time())}"
