"""A member's worktree as a part of a team's snapshot.

It is a workspace in its own directory, with that one's rules of what is ignored. But it may be missing, as after
`clawteam team cleanup`, and is made again then; so its paths are those below the data directory, like the team's own, and
the worktree's directory is one of them. Git's own files are left alone, as everywhere: a worktree that git has forgotten
is files, until a person tells git.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from takeback.errors import Integrity
from takeback.model.ids import BlobKind
from takeback.model.progress import Watch
from takeback.model.snapshot import Part
from takeback.model.tree import DIRECTORY, Entry, encode_tree, name_bytes, name_text
from takeback.sources import trees
from takeback.sources.rooted import Rooted
from takeback.sources.team.forgotten import how_to_tell_git, repository_of
from takeback.sources.team.layouts import CLAWTEAM
from takeback.sources.team.places import check_real, worktree_of
from takeback.sources.workspace.guard import Guard
from takeback.sources.workspace.place.standing import PERMISSIONS
from takeback.sources.workspace.source import Workspace, head_note
from takeback.sources.workspace.stamps import Seen

if TYPE_CHECKING:
    from takeback.model.plan import Effect, Outside
    from takeback.sources.evidence import Evidence
    from takeback.sources.protocol import Proposal, Staged, Step
    from takeback.sources.witness import Between
    from takeback.store.reader import Reader
    from takeback.store.writer import Writer

KIND = "worktree"


class Worktree(Rooted):
    """The worktree of one ``agent`` of a team in the data directory ``root``, which is a real path."""

    kind = KIND

    def __init__(self, team: str, agent: str, root: str, *, name: str = "") -> None:
        self.team, self.agent, self.root = team, agent, root
        self.name = name or f"workspace-{agent}"
        self.prefix = worktree_of(team, agent)
        self.own = (self.prefix,)
        self._seen: Seen | None = None

    @property
    def place(self) -> str:
        return f"{self.root}/{self.prefix}"

    @property
    def inner_roots(self) -> tuple[str, ...]:
        """The worktree is the root of timelines of its own, where its member's hooks record: their lock is held, too."""
        return (self.place,) if self._is_there() else ()

    def capture(self, writer: Writer, previous: Part | None, watch: Watch) -> Part:
        """Its files; nothing at all if it is gone."""
        check_real(self.root)
        self._looked_ns = time.time_ns()
        if not self._is_there():
            return Part(self.name, self.kind, {"content": self._wrapped(writer, None)}, self._detail({}))
        inside = self._inside(writer.reader, previous) if previous is not None else None
        workspace = Workspace(self.place, name=self.name)
        part = workspace.capture(writer, inside, watch)
        self._seen = workspace.seen
        mode = os.lstat(name_bytes(self.place)).st_mode & PERMISSIONS
        tree = self._wrapped(writer, Entry(DIRECTORY, mode, 0, part.content))
        left = tuple(item._replace(path=f"{self.prefix}/{item.path}") for item in part.not_captured)
        detail = self._detail({**part.detail.get("context", {}), **repository_of(self.place)})
        return Part(self.name, self.kind, {**part.refs, "content": tree}, detail, left)

    def evidence(self, reader: Reader, before: Part | None, after: Part) -> Evidence | None:
        """When each path that differs was changed, as the last capture saw it; None if that was of another state."""
        new = self._inside(reader, after)
        old = new if before is None else self._inside(reader, before)
        if self._seen is None or old is None or new is None or self._seen.tree != new.content:
            return None
        return self._seen.evidence(reader, old.content, self.prefix)

    def plan(self, reader: Reader, present: Part, target: Part, paths: Sequence[str] | None) -> Proposal:
        from takeback.sources.workspace import planning  # here and below: no save needs it

        proposal = planning.plan(reader, self.name, present, target, paths, self.disk, self._guard)
        self._check_inside(proposal.effects)
        return self._with_notes(proposal, present, target)

    def revert(self, reader: Reader, present: Part, steps: Sequence[Step]) -> Proposal:
        from takeback.sources.workspace import planning

        proposal = planning.revert(reader, self.name, present, steps, self.disk, self._guard)
        return self._with_notes(proposal, present, steps[-1].before) if steps else proposal

    def stage(self, reader: Reader, effects: Sequence[Effect], *, durable: bool = True) -> Staged:
        self._check_inside(effects)
        check_real(self.root)
        return super().stage(reader, effects, durable=durable)

    def amend(self, writer: Writer, present: Part, effects: Sequence[Effect]) -> Part:
        changes = {effect.path: effect.after for effect in effects}
        tree = trees.patch(writer, present.content, changes)
        before = self._inside(writer.reader, present)
        if before is None or self.prefix in changes:
            found = self.capture(writer, present, Watch())  # only that tells what is ignored in it now
        else:
            below = len(self.prefix) + 1
            inner = [replace(effect, path=effect.path[below:]) for effect in effects]
            part = Workspace(self.place, name=self.name).amend(writer, before, inner)
            found = Part(self.name, self.kind, part.refs, present.detail, present.not_captured)
        return found._replace(refs={**found.refs, "content": tree})

    def witnessed(self, stretches: Sequence[Between]) -> tuple[Sequence[Outside], Sequence[str]]:
        """Commits that git gained there."""
        if not self._is_there():
            return (), ()
        own = [each._replace(opened=self._own(each.opened), closed=self._own(each.closed)) for each in stretches]
        return Workspace(self.place, name=self.name).witnessed(own)

    def _check_inside(self, effects: Sequence[Effect]) -> None:
        """Integrity for what is not in the worktree: all teams are below the same root, and a store may be anybody's."""
        above = set(trees.parents(self.prefix))
        for effect in effects:
            made = effect.after if effect.before is None else None
            is_way = effect.path in above and made is not None and made.kind == DIRECTORY
            if not is_way and not trees.within([self.prefix], effect.path):
                raise Integrity(
                    f"the part {self.name!r} holds {effect.path!r:.80}, which is not in {self.agent}'s worktree. Nothing was "
                    "changed.",
                    hints=["`takeback verify` checks the store"],
                )

    def _is_there(self) -> bool:
        """Whether its directory is; a link in its place, or on the way, is none."""
        place = name_bytes(self.place)
        return os.path.isdir(place) and os.path.realpath(place) == place

    def _inside(self, reader: Reader, part: Part) -> Part | None:
        """The part as one of the workspace itself; None if there was none."""
        above, _, name = self.prefix.rpartition("/")
        entry = trees.TreeView(reader, part.content).directory(above).get(name)
        if entry is None or entry.kind != DIRECTORY or "rules" not in part.refs:
            return None
        return part._replace(kind="workspace", refs={**part.refs, "content": entry.id})

    def _wrapped(self, writer: Writer, worktree: Entry | None) -> bytes:
        """The tree of a data directory with nothing but a worktree in it."""
        above, _, name = self.prefix.rpartition("/")
        tree = writer.put(encode_tree({name: worktree} if worktree is not None else {}), BlobKind.TREE)
        for each in reversed(above.split("/")):
            # The directories on the way are not the member's, so that nothing ever happens to them.
            tree = writer.put(encode_tree({each: Entry(DIRECTORY, 0o755, 0, tree)}), BlobKind.TREE)
        return tree

    def _detail(self, context: Mapping[str, Any]) -> dict[str, Any]:
        said = {"worktree": self.agent, "team": self.team, "data_dir": self.root}
        return {**said, "context": {self.name: dict(context)}} if context else said

    def _own(self, context: Mapping[str, Any]) -> Mapping[str, Any]:
        found = context.get(self.name)
        return found if isinstance(found, dict) else {}

    def _with_notes(self, proposal: Proposal, present: Part, target: Part) -> Proposal:
        if not any(effect.after is not None for effect in proposal.effects):
            return proposal
        now, then = (self._own(part.detail.get("context", {})) for part in (present, target))
        notes = [how_to_tell_git(self.place, self.agent, then)]
        notes += [head_note(now, then, f"{self.agent}'s HEAD")] if now else []
        return proposal._replace(notes=(*proposal.notes, *filter(None, notes)))

    def _guard(self, reader: Reader, part: Part) -> Guard:
        return _Inside(reader, part, self.prefix)

    def fork_place(self, name: str, directory: str) -> object:
        return f"{directory}{CLAWTEAM.beside}"

    def at_fork(self, part: Part, root: str) -> Worktree | None:
        place = f"{root}{CLAWTEAM.beside}"
        there = part.detail.get("data_dir") == place and os.path.isdir(name_bytes(place))
        return self._at(place) if there else None

    def _at(self, place: str) -> Worktree:
        return Worktree(self.team, self.agent, name_text(os.path.realpath(name_bytes(place))), name=self.name)


class _Inside(Guard):
    """What a part says about paths that it does not hold, where its rules are those of a directory further down."""

    def __init__(self, reader: Reader, part: Part, prefix: str) -> None:
        super().__init__(reader, part)
        self._below = f"{prefix}/"

    def absent_by_choice(self, path: str, is_directory: bool) -> str:
        reason = self.stands_uncaptured(path)
        if not reason and path.startswith(self._below) and "rules" in self._part.refs:
            inner = path.removeprefix(self._below)
            reason = "ignored" if self._record().ignored(inner, is_directory) else ""
        return f"it was not captured then ({reason})" if reason else ""

    def _listed(self) -> dict[str, int]:
        if self._ignored is None:
            self._ignored = {self._below + path: inode for path, inode in super()._listed().items()}
        return self._ignored

    def _place(self, path: str) -> str:
        return self._below + path
