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
from takeback.sources.team.layouts import TASKS
from takeback.sources.team.source import Team
from takeback.store.writer import Writer

_OPEN, _PRIVATE = 0o755, 0o600


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
    """A team as a bundle has it. It speaks for no more than bundles hold, so a restore leaves the rest alone.

    A bundle knows no modes. Directories keep those that they have, new ones get those of the directory above them; files
    are open to whom their directory is, but for tasks, which ClawTeam makes their owner's.
    """

    def __init__(self, team: str, root: str, bundle: Bundle) -> None:
        super().__init__(team, root)
        self._bundle = bundle

    def capture(self, writer: Writer, previous: Part | None, watch: Watch) -> Part:
        held: dict[str, Entry | None] = {}
        modes = {"": self._stands("") or _OPEN}
        for path in directories(self._bundle.raw, self.team):
            for each in (*reversed([*trees.parents(path)]), path):
                modes[each] = self._stands(each) or modes[each.rpartition("/")[0]]
                held[each] = Entry(DIRECTORY, modes[each], 0, trees.NO_ID)
        for path, data in self._bundle.files.items():
            is_task = self.layout.area_of(self.team, path) == self.layout.area(TASKS)
            mode = _PRIVATE if is_task else modes[path.rpartition("/")[0]] & 0o666
            held[path] = Entry(FILE, mode, len(data), writer.put(data, BlobKind.DATA))
        tree = trees.patch(writer, writer.put(encode_tree({}), BlobKind.TREE), held)
        counted = counts(writer.reader, trees.TreeView(writer.reader, tree), self.layout, self.team)
        detail = {**self._detail(counted), "covers": covers(self.team)}
        return Part(self.name, self.kind, {"content": tree}, detail)

    def _stands(self, path: str) -> int:
        """The mode of a directory that is there; 0 if it is not."""
        try:
            status = os.lstat(name_bytes(f"{self.root}/{path}"))
        except OSError:
            return 0
        return stat.S_IMODE(status.st_mode) & 0o777 if stat.S_ISDIR(status.st_mode) else 0
