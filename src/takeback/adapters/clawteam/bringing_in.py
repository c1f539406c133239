"""A bundle as a snapshot, so that the one engine restores it: what it says becomes a part of the kind ``team``.

It is on a timeline of its own beside the team's, because it is none of the moments that the team's history went through. The
same bundle is brought in once.
"""

from __future__ import annotations

import os
import stat

from takeback.adapters.clawteam.bundles import Bundle
from takeback.adapters.clawteam.unpacking import covers, directories
from takeback.engine.store import Store
from takeback.engine.timeline import Timeline
from takeback.errors import NotFound
from takeback.model.ids import BlobKind
from takeback.model.progress import Watch
from takeback.model.snapshot import Part, Snapshot
from takeback.model.tree import DIRECTORY, FILE, Entry, encode_tree, name_bytes
from takeback.sources import trees
from takeback.sources.team.counting import counts
from takeback.sources.team.source import Team
from takeback.store.writer import Writer

_FILE, _DIRECTORY = 0o644, 0o755
"""Modes, which a bundle does not know, as ClawTeam makes them."""


def timeline(store: Store, team: str, root: str, *sources: Team) -> Timeline:
    """Where the bundles of a team are; no team can be called so."""
    return store.timeline(f"{team} bundles", sources=sources, root=root)


def bring_in(store: Store, root: str, bundle: Bundle) -> Snapshot:
    """The snapshot that a bundle is."""
    team = bundle.meta.team_name
    line = timeline(store, team, root, Bundled(team, root, bundle))
    try:
        return line.show(bundle.digest)
    except NotFound:
        said = {"id": bundle.meta.id, "tag": bundle.meta.tag, "created_at": bundle.meta.created_at}
        return line.save(bundle.digest, title=f"bundle {bundle.meta.id}", context={"clawteam": said}, always=True)


class Bundled(Team):
    """A team as a bundle has it. It speaks for no more than bundles hold, so a restore leaves the rest alone."""

    def __init__(self, team: str, root: str, bundle: Bundle) -> None:
        super().__init__(team, root)
        self._bundle = bundle

    def capture(self, writer: Writer, previous: Part | None, watch: Watch) -> Part:
        held: dict[str, Entry | None] = {}
        for path in directories(self._bundle.raw, self.team):
            for each in (path, *trees.parents(path)):
                held.setdefault(each, Entry(DIRECTORY, self._mode(each), 0, trees.NO_ID))
        for path, data in self._bundle.files.items():
            held[path] = Entry(FILE, _FILE, len(data), writer.put(data, BlobKind.DATA))
        tree = trees.patch(writer, writer.put(encode_tree({}), BlobKind.TREE), held)
        counted = counts(writer.reader, trees.TreeView(writer.reader, tree), self.layout, self.team)
        detail = {**self._detail(counted), "covers": covers(self.team)}
        return Part(self.name, self.kind, {"content": tree}, detail)

    def _mode(self, path: str) -> int:
        """A directory that is there stays open to whom it is open."""
        try:
            return stat.S_IMODE(os.lstat(name_bytes(f"{self.root}/{path}")).st_mode) & 0o777 or _DIRECTORY
        except OSError:
            return _DIRECTORY
