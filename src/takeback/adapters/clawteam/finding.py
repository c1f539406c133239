"""Where the snapshots of a team are, and which one an id means.

An id is a label on the team's timeline; else a bundle on disk; else a label of a bundle that was brought in; else whatever
takeback takes for a reference.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from takeback import locate
from takeback.adapters.clawteam import bringing_in
from takeback.adapters.clawteam.absent import list_them, missing
from takeback.adapters.clawteam.bundles import Shelf
from takeback.adapters.clawteam.describing import described, listed, newest_first, team_part
from takeback.adapters.clawteam.errors import NotThere
from takeback.adapters.clawteam.ids import stamped
from takeback.adapters.clawteam.meta import Kind, SnapshotMeta
from takeback.engine.store import Store
from takeback.engine.timeline import Timeline
from takeback.errors import NotFound
from takeback.model.ids import short
from takeback.model.progress import Watch
from takeback.model.snapshot import Part, Snapshot
from takeback.sources.protocol import Source
from takeback.sources.team.source import Team
from takeback.store.catalogue import snapshots, timelines
from takeback.store.catalogue.snapshots import SnapshotRow
from takeback.store.writer import Writer


class Found(NamedTuple):
    """A snapshot, the part that is the team, and what is told of it."""

    snapshot: Snapshot
    part: Part
    meta: SnapshotMeta


class Places:
    """The timelines and the bundles of one team. A store that is not there is made by the first who writes."""

    def __init__(
        self, team: Team, sources: Sequence[Source], store: Store | str | None, *, with_workspaces: bool = False
    ) -> None:
        self.team, self.sources, self.with_workspaces = team, sources, with_workspaces
        self.left_out: tuple[str, ...] = ()
        """What belongs to members and could not be taken, as it was found last."""
        self.shelf = Shelf(team.root, team.team)
        self._given = store
        self._store = store if isinstance(store, Store) else None

    def store(self) -> Store:
        if self._store is None:
            self._store = locate.open(self._place)
        return self._store

    def existing(self) -> Store | None:
        """The same, if there is one already."""
        if self._store is None:
            try:
                self._store = locate.open(self._place, create=False)
            except NotFound:
                return None
        return self._store

    def close(self) -> None:
        if self._store is not None and self._store is not self._given:
            self._store.close()
            self._store = None

    def line(self, expected: Part | None = None) -> Timeline:
        """The team's own timeline; a team of which a part is expected may be gone."""
        source = self.team if expected is None else _Expected(self.team, expected)
        return self.store().timeline(self.team.team, sources=[source, *self.sources], root=self.team.root)

    def whole_line(self, expected: Part | None = None) -> Timeline:
        """The same with all that is to be saved and put back: what belongs to members, too, if that is asked for."""
        line = self.line(expected)
        if self.with_workspaces:
            from takeback.locate.members import add_members  # only who asks for it needs it

            self.left_out = tuple(add_members(line))
        return line

    def brought(self) -> Timeline:
        """The timeline of bundles that were brought in."""
        return bringing_in.timeline(self.store(), self.team.team, self.team.root)

    def lines(self) -> list[tuple[Timeline, Kind]]:
        """Both, and what is on them."""
        return [(self.line(), "takeback"), (self.brought(), "bundle")]

    def is_taken(self, id: str) -> bool:
        """Whether a new snapshot cannot have an id."""
        return self.shelf.holds(id) or self.is_kept(id)

    def is_kept(self, id: str) -> bool:
        """Whether the store has a snapshot of an id."""
        return any(self.labelled(line, id) is not None for line, _ in self.lines())

    def labelled(self, line: Timeline, label: str) -> SnapshotRow | None:
        """The newest snapshot of a timeline that has a label; the timeline need not be there yet."""
        if not label.isprintable():
            return None
        with self.store().blobs.database.read() as tx:
            row = timelines.find(tx, line.root, line.name)
            return None if row is None else snapshots.labelled(tx, row.number, label)

    def is_bundle_alone(self, id: str) -> bool:
        """Whether an id means a bundle on disk."""
        own = self.existing() is not None and self.labelled(self.line(), id) is not None
        return not own and self.shelf.holds(id)

    def find(self, id: str) -> Found:
        """The snapshot that an id means; NotThere if there is none, NoBundle if it is one that must not be restored."""
        if self.is_bundle_alone(id):
            bundle = self.shelf.load(id)
            snapshot = bringing_in.bring_in(self.store(), self.team.root, bundle)
            return self._found(id, snapshot, replace(bundle.meta, snapshot=snapshot.id))
        if self.existing() is not None:
            for line, kind in self.lines():
                row = self.labelled(line, id)
                if row is not None:
                    snapshot = line.show(row.id)
                    return self._found(id, snapshot, described(snapshot, self.team.team, id, kind))
            snapshot = self._referred(id)
            label = snapshot.labels[0] if snapshot.labels else stamped(snapshot.time, short(snapshot.id))
            return self._found(id, snapshot, described(snapshot, self.team.team, label, "takeback"))
        raise missing(self, id)

    def known(self) -> list[SnapshotMeta]:
        """All of takeback's and of ClawTeam's own, newest first. What is there twice, as an export is, comes once."""
        found = {meta.id: meta for meta in self.shelf.metas()[0]}
        if self.existing() is not None:
            for line, kind in reversed(self.lines()):
                found |= {meta.id: meta for meta in listed(line, self.team.team, kind)}
        return newest_first(found.values())

    def drop(self, reference: str) -> bool:
        """Drop the snapshot that takeback takes a text for, if it is one of the team's own."""
        try:
            snapshot = self._referred(reference)
        except NotThere:
            return False
        own = (snapshot.root, snapshot.timeline) == (self.team.root, self.team.team)
        if own:
            self.line().drop(snapshot)
        return own

    def _referred(self, reference: str) -> Snapshot:
        try:
            return self.line().show(reference)
        except NotFound:
            raise missing(self, reference) from None

    def _found(self, id: str, snapshot: Snapshot, meta: SnapshotMeta) -> Found:
        part = team_part(snapshot, self.team.team)
        if part is None:
            raise NotThere(
                f"snapshot {id!r} not found: what is called so does not hold the team {self.team.team!r}",
                hints=[list_them(self.team.team)],
            )
        return Found(snapshot, part, meta)

    @property
    def _place(self) -> str | None:
        return self._given if isinstance(self._given, str) else None


class _Expected(Team):
    """A team that may be gone, because there is a snapshot of it to restore, even if its own timeline has none."""

    def __init__(self, team: Team, part: Part) -> None:
        super().__init__(team.team, team.root, name=team.name, layout=team.layout, force=team.force, merge=team.merge)
        self._part = part

    def capture(self, writer: Writer, previous: Part | None, watch: Watch) -> Part:
        return super().capture(writer, previous if previous is not None else self._part, watch)
