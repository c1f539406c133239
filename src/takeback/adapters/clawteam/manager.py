"""`SnapshotManager`: snapshots of a team, made, listed, put back and let go, under ClawTeam's names.

It is a face of the engine: a snapshot here is one on the team's timeline, and its id is a label there. Bundles that
ClawTeam made are found beside them, and restored by the same engine; what is exported, ClawTeam restores.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from takeback.adapters.clawteam import absent, bringing_in, bundles, restoring
from takeback.adapters.clawteam.bundling import bundle
from takeback.adapters.clawteam.checking import check
from takeback.adapters.clawteam.describing import CONTEXT, described, ids_of
from takeback.adapters.clawteam.errors import NoBundle, NotThere
from takeback.adapters.clawteam.finding import Places
from takeback.adapters.clawteam.ids import free_id, is_id, new_id, stamped
from takeback.adapters.clawteam.meta import SnapshotMeta
from takeback.engine.store import Store
from takeback.errors import TakebackError
from takeback.locate.teams import data_directory
from takeback.sources.protocol import Source
from takeback.sources.team.source import Team
from takeback.store.locks import named_lock

if TYPE_CHECKING:
    from takeback.engine.timeline import Timeline
    from takeback.model.plan import Plan
    from takeback.model.snapshot import Snapshot

StrPath = str | os.PathLike[str]


class SnapshotManager:
    """Snapshots of one team, in the store that is given, or in the one that the command line uses.

    ``force`` restores although members are running, ``merge`` keeps newer mail; ``sources`` are captured and restored
    beside the team, and ``with_workspaces`` the worktrees of its members. Their conversations are captured then, too.
    """

    def __init__(
        self,
        team_name: str,
        *,
        data_dir: StrPath | None = None,
        store: Store | StrPath | None = None,
        force: bool = False,
        merge: bool = False,
        sources: Sequence[Source] = (),
        with_workspaces: bool = False,
    ) -> None:
        self.team_name = team_name
        self._team = Team(team_name, data_directory(data_dir), force=force, merge=merge)
        given = store if store is None or isinstance(store, Store) else os.fspath(store)
        self._places = Places(self._team, tuple(sources), given, with_workspaces=with_workspaces)

    @property
    def left_out(self) -> tuple[str, ...]:
        """What belongs to members and could not be taken by what was done last, and why."""
        return self._places.left_out

    @property
    def timeline(self) -> Timeline:
        """The team's own timeline, for all the other verbs."""
        return self._places.line()

    def create(self, tag: str = "") -> SnapshotMeta:
        """A snapshot of the team as it is now, also if nothing changed; NotThere if there is no such team."""
        self.check_there()
        with self._one_at_a_time():
            id = new_id(tag, datetime.now(UTC), self._places.is_taken)
            said = {CONTEXT: {"id": id, "tag": tag}}
            snapshot = self._places.whole_line().save(id, title=tag or id, context=said, always=True)
        return described(snapshot, self.team_name, id, "takeback")

    def list_snapshots(self) -> list[SnapshotMeta]:
        """All of takeback's and of ClawTeam's own, newest first. What is there twice, as an export is, comes once."""
        return self._places.known()

    def check_there(self) -> None:
        """NotThere if there is no such team now, with what there is instead."""
        absent.check_there(self._places)

    def missing(self, snapshot_id: str) -> NotThere:
        """What is to be said of an id that means nothing here: which ones may be meant."""
        return absent.missing(self._places, snapshot_id)

    def unreadable(self) -> list[str]:
        """Files that lie where bundles do and are none, which nothing lists."""
        return self._places.shelf.metas()[1]

    def unlisted(self) -> int:
        """How many snapshots the team's timeline has that are not listed, because they have no id: what restores saved."""
        if self._places.existing() is None:
            return 0
        return sum(not row.labels for row in self._places.line().log().snapshots)

    def own(self, snapshot_id: str) -> Snapshot | None:
        """The snapshot of takeback's own that an id or a reference means; None if it is a bundle, or none at all."""
        if self._places.existing() is None:
            return None
        try:
            return self.timeline.show(snapshot_id)
        except TakebackError:
            return None

    def load_bundle(self, snapshot_id: str) -> dict[str, Any]:
        """A snapshot in the shape of ClawTeam's bundles."""
        if self._places.is_bundle_alone(snapshot_id):
            return dict(self._places.shelf.load(snapshot_id).raw)
        found = self._places.find(snapshot_id)
        with self._places.store().blobs.reader() as reader:
            return bundle(reader, found.part, found.meta)

    def plan(self, snapshot_id: str) -> Plan:
        """What `restore` would do; nothing of the team is touched."""
        return restoring.plan(self._places, self._places.find(snapshot_id))

    def restore(self, snapshot_id: str, dry_run: bool = False) -> dict[str, Any]:
        """Make the team as a snapshot has it; the present is saved first.

        The summary says how much is in the snapshot; what was there and is not any more (``lost``); who runs
        (``running``); what stays though the snapshot lacks it (``kept``); and, unless it is a ``dry_run``, which snapshot
        holds what was there before (``safety``). Locked if members are running, unless it is a ``dry_run`` or ``force``.
        """
        found = self._places.find(snapshot_id)
        said = {"snapshot_id": snapshot_id, "dry_run": dry_run, **restoring.summary(self._places, found)}
        done = restoring.preview if dry_run else restoring.restore
        return {**said, **done(self._places, found)}

    def delete(self, snapshot_id: str) -> bool:
        """Let a snapshot go; False if there is none. One of takeback's can be had again until the next maintenance
        (`Store.undrop`), a bundle's file cannot."""
        deleted = self._places.shelf.remove(snapshot_id)
        if self._places.existing() is None:
            return deleted
        for line, kind in self._places.lines():
            row = self._places.labelled(line, snapshot_id)
            if row is not None:
                if ids_of(line.show(row.id), kind) == [snapshot_id]:
                    line.drop(row.id)  # with its labels, so that all of it can come back
                else:
                    line.unlabel(row.id, snapshot_id)
                deleted = True
        return deleted or self._places.drop(snapshot_id)

    def export_bundle(self, snapshot_id: str, path: StrPath | None = None) -> Path:
        """Write a snapshot as a bundle that ClawTeam's own commands list and restore: beside its own ones, or to a path."""
        found = self._places.find(snapshot_id)
        meta = found.meta
        if not is_id(meta.id):  # a label of a person's own
            meta = replace(meta, id=stamped(found.snapshot.time, meta.id))
        with self._places.store().blobs.reader() as reader:
            raw = bundle(reader, found.part, meta)
        try:
            check(raw, self.team_name)  # what a member wrote into its files must not lead ClawTeam elsewhere either
        except NoBundle as error:
            hint = f"`takeback team restore {self.team_name} {snapshot_id}` restores it as it is"
            raise NoBundle(f"snapshot {snapshot_id} makes no bundle: {error.message}", hints=[hint]) from None
        target = self._places.shelf.path(meta.id) if path is None else os.fspath(path)
        bundles.write(target, raw)
        return Path(target)

    def import_bundle(self, path: StrPath) -> SnapshotMeta:
        """Keep what a bundle's file holds as a snapshot of its own, which needs the file no longer."""
        place = os.fspath(path)
        read = bundles.load(place, self.team_name, bundles.id_in(place))
        with self._one_at_a_time():
            snapshot = bringing_in.bring_in(self._places.store(), self._team.root, read)
            ids = ids_of(snapshot, "bundle")
            id = ids[0] if ids else free_id(read.meta.id, self._places.is_kept)
            if not ids:
                self._places.brought().label(snapshot, id)
        return described(snapshot, self.team_name, id, "bundle")

    def close(self) -> None:
        """Close the store, unless it was given."""
        self._places.close()

    def __enter__(self) -> SnapshotManager:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @contextmanager
    def _one_at_a_time(self) -> Iterator[None]:
        """Nobody else chooses an id meanwhile."""
        with named_lock(f"ids of the team {self.team_name} in {self._team.root}"):
            yield
