"""Which snapshots of containers are too many, too old or too large, and letting them go.

What always stays: pinned ones, the latest of each container, and those at which a move began that has not ended. All else
goes oldest first, and a run goes as a whole: within the limits of number, the ends of the newest one stay longer than what lies
between them, because it takes no more to take the run back.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from takeback.adapters.cua.config import SnapshotConfig
from takeback.adapters.cua.storage import FileSystemSnapshotStorage, Listed, taken_by
from takeback.engine.candidates import newest_of_agents
from takeback.engine.retention import History
from takeback.errors import InvalidInput
from takeback.model.policy import Policy
from takeback.store.catalogue import journals, moves

_DAY_NS = 86_400 * 10**9


def too_old(storage: FileSystemSnapshotStorage, days: float) -> list[Listed]:
    """Those that are older than so many days, oldest first."""
    if days < 0:
        raise InvalidInput(f"no snapshot is older than {days} days", hints=["0 or more"])
    listed = storage.listed()
    return _may_go(storage, listed, _old(storage, listed, days))


def beyond_limits(storage: FileSystemSnapshotStorage, config: SnapshotConfig) -> list[Listed]:
    """All that a configuration lets go, by age, number and size, oldest first."""
    listed = storage.listed()
    going = {each.row.id: each for each in _may_go(storage, listed, _old(storage, listed, config.auto_cleanup_days))}
    for name in {each.timeline.name for each in listed}:
        own = [each for each in listed if each.timeline.name == name]
        going |= _excess(storage, listed, own, going, config.max_snapshots_per_container)
    going |= _excess(storage, listed, listed, going, config.max_total_snapshots)
    if is_too_large(storage, config):
        beyond = set(storage.open().prune(Policy(max_bytes=config.max_storage_bytes), dry_run=True).snapshots)
        heavy = [each for each in listed if each.row.id in beyond]
        going |= {each.row.id: each for each in _may_go(storage, listed, heavy)}
    return sorted(going.values(), key=lambda each: each.row.seq)


def is_too_large(storage: FileSystemSnapshotStorage, config: SnapshotConfig) -> bool:
    return storage.exists and taken_by(storage.base_path)[0] > config.max_storage_bytes


def _old(storage: FileSystemSnapshotStorage, listed: Sequence[Listed], days: float) -> list[Listed]:
    """Those that are older than so many days, unless a run of which the end is younger needs them."""
    oldest = time.time_ns() - days * _DAY_NS
    old = {each.row.id for each in listed if each.row.time_ns < oldest}
    if old:
        with storage.open().blobs.database.read() as tx:
            lines = {each.timeline.number: each.timeline for each in listed}
            may_go = {id for line in lines.values() for id in History(tx, line).whole(old)}
        old &= may_go
    return [each for each in listed if each.row.id in old]


def _excess(
    storage: FileSystemSnapshotStorage,
    listed: Sequence[Listed],
    some: Sequence[Listed],
    going: Mapping[str, Listed],
    most: int,
) -> dict[str, Listed]:
    """The oldest of some, if with what is going anyway there would still be too many; the ends of the newest runs last."""
    left = [each for each in some if each.row.id not in going]
    excess = len(left) - most
    if excess <= 0:
        return {}
    ends = _ends_of_newest_runs(storage, left)
    first = sorted(_may_go(storage, listed, left), key=lambda each: (each.row.id in ends, each.row.seq))
    return {each.row.id: each for each in first[:excess]}


def _ends_of_newest_runs(storage: FileSystemSnapshotStorage, some: Sequence[Listed]) -> set[str | None]:
    """The snapshots at which the newest run of each container began and ended."""
    with storage.open().blobs.database.read() as tx:
        runs = [newest_of_agents(tx, number) for number in {each.timeline.number for each in some}]
    return {id for run in runs if run is not None for id in (run.opening, run.closing)}


def _may_go(storage: FileSystemSnapshotStorage, listed: Sequence[Listed], some: Sequence[Listed]) -> list[Listed]:
    """Those of some that nothing protects, oldest first."""
    latest: dict[int, str] = {}
    for each in listed:  # newest first
        latest.setdefault(each.timeline.number, each.row.id)
    kept = {*latest.values()}
    if some:
        with storage.open().blobs.database.read() as tx:
            kept |= {
                move.opening for number in latest for move in moves.open_moves(tx, number) if move.level != "manual"
            }
            kept |= {journal.safety for journal in journals.every(tx)}
    going = [each for each in some if not each.row.pinned and each.row.id not in kept]
    return sorted(going, key=lambda each: each.row.seq)
