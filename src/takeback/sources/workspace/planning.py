"""Which effects bring a workspace to where it should be, without costing anybody anything.

Both kinds of plan end in `_settle`: directories are only deleted or replaced when nothing stays in them, and what is
created gets the directories it needs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from takeback.model.ids import BlobKind
from takeback.model.plan import Effect, Kept
from takeback.model.snapshot import PURGED, Part
from takeback.model.tree import DIRECTORY, FILE, Entry
from takeback.sources import trees
from takeback.sources.protocol import Proposal, Step
from takeback.sources.trees import TreeView
from takeback.sources.workspace.guard import Guard
from takeback.sources.workspace.merge import Outcome, take_back
from takeback.sources.workspace.merge_memo import merging
from takeback.store.reader import Reader

Wanted = dict[str, tuple[Entry | None, bytes | None]]
"""What paths shall become, and the bytes of those that were merged."""

TELLING = 32
"""Fewer bytes may be equal by chance: nothing is deleted because of them."""

Inode = Callable[[str], int | None]
"""The inode of what stands at a path now."""


def fresh(reader: Reader, part: str, target: Part, paths: Sequence[str] | None) -> list[Effect]:
    """Everything, or some paths with the directories above them, where there is nothing yet."""
    changes = trees.compare(reader, None, target.content, paths)
    effects = [Effect(part, path, None, after) for path, _, after in changes]
    if paths is None:
        return effects
    above = {parent for each in effects if trees.within(paths, each.path) for parent in trees.parents(each.path)}
    return [each for each in effects if trees.within(paths, each.path) or each.path in above]


Guards = Callable[[Reader, Part], Guard]
"""What says of a part which of the paths that it lacks are not to be touched."""


def plan(
    reader: Reader,
    part: str,
    present: Part,
    target: Part,
    paths: Sequence[str] | None,
    inode: Inode,
    guards: Guards = Guard,
) -> Proposal:
    """Everything, or some paths, exactly as in another part."""
    draft = _Draft(reader, part, present, guards)
    then = guards(reader, target)
    hidden = _Hidden(then.gone_from(draft.guard), inode)
    is_meant = trees.named(paths)
    for path, before, after in trees.compare(reader, present.content, target.content, paths):
        if not is_meant(path):
            continue
        reason = ""
        if after is None and before is not None:
            reason = then.absent_by_choice(path, before.kind == DIRECTORY) or hidden.reason(path)
        elif before is None:
            reason = draft.blocked(path)
        if reason:
            draft.keep(path, reason)
        else:
            draft.wanted[path] = (after, None)
    return draft.proposal(TreeView(reader, target.content))


def revert(
    reader: Reader, part: str, present: Part, steps: Sequence[Step], inode: Inode, guards: Guards = Guard
) -> Proposal:
    """Take back steps, newest first; what is not as a step left it is merged, followed, or reported."""
    draft = _Draft(reader, part, present, guards)
    source = TreeView(reader, None)
    for step in steps:
        source = TreeView(reader, step.before.content)
        before, after = guards(reader, step.before), guards(reader, step.after)
        moved = _Moved(reader, step.after, present, source)
        hidden = _Hidden(before.gone_from(after), inode)
        changes = [
            change
            for change in trees.compare(reader, step.before.content, step.after.content)
            if change[0] not in step.leave
        ]
        for path in sorted(_purged(step) - step.leave):
            draft.keep(path, "what it held was purged, so it cannot be taken back")
        for path, theirs, base in changes:
            reason = ""
            if theirs is None and base is not None:
                by_rules = not step.certain and before.absent_by_choice(path, base.kind == DIRECTORY)
                reason = by_rules or before.stands_uncaptured(path) or hidden.reason(path)
            elif base is None and (uncaptured := after.stands_uncaptured(path)):
                reason = f"the move left it uncaptured ({uncaptured})"
            if reason:
                draft.keep(path, reason)
            else:
                draft.take_back(path, base, theirs, moved)
        draft.keep_other_halves(changes)
    with merging() as memo:
        memo.check()
    return draft.proposal(source)


def _purged(step: Step) -> set[str]:
    """Paths that a step changed, and of which no snapshot holds how any more."""
    before, after = (
        {(item.path, item.detail) for item in part.not_captured if item.reason == PURGED}
        for part in (step.before, step.after)
    )
    return {path for path, _ in before ^ after}


class _Hidden:
    """Finds files that the move did not make, but moved out of what is ignored: they are nowhere else."""

    def __init__(self, gone: frozenset[int], inode: Inode) -> None:
        self._gone, self._inode = gone, inode

    def reason(self, path: str) -> str:
        """Why a path that looks new is not; empty if it is."""
        if self._gone and any(self._inode(each) in self._gone for each in (path, *trees.parents(path))):
            return "it was moved here from where it was ignored, so no snapshot holds it there"
        return ""


class _Moved:
    """Finds a file again that somebody renamed since, by its bytes."""

    def __init__(self, reader: Reader, left: Part, present: Part, before: TreeView) -> None:
        self._reader, self._left, self._present, self._before = reader, left, present, before
        self._new: dict[bytes, list[str]] | None = None

    def find(self, base: Entry, least: int) -> str | None:
        """The only new path with these bytes, if they are at least so many; a path of old is not new."""
        if base.kind != FILE or base.size < least:
            return None
        if self._new is None:
            self._new = {}
            for path, before, now in trees.compare(self._reader, self._left.content, self._present.content):
                if before is None and now is not None and now.kind == FILE and self._before.get(path) is None:
                    self._new.setdefault(now.id, []).append(path)
        places = self._new.get(base.id, [])
        return places[0] if len(places) == 1 else None


class _Draft:
    """The present, and what it shall become."""

    def __init__(self, reader: Reader, part: str, present: Part, guards: Guards) -> None:
        self._reader = reader
        self._part = part
        self._now = TreeView(reader, present.content)
        self.guard = guards(reader, present)
        self.wanted: Wanted = {}
        self._conflicts: dict[str, str] = {}
        self._kept: dict[str, str] = {}

    def keep(self, path: str, reason: str) -> None:
        self._kept[path] = reason

    def blocked(self, path: str) -> str:
        """Why nothing can be put at a path that the present does not hold."""
        reason = self.guard.stands_uncaptured(path)
        return f"what stands there now is not captured ({reason}), so it could not be taken back" if reason else ""

    def take_back(self, path: str, base: Entry | None, theirs: Entry | None, moved: _Moved) -> None:
        if path in self._conflicts or path in self._kept:
            return
        ours = self._at(path)
        if ours is None and theirs is not None and (reason := self.blocked(path)):
            self._conflicts[path] = reason
            return
        if DIRECTORY in (base.kind if base else "", theirs.kind if theirs else "") and self._only_directories(
            path, base, theirs, ours
        ):
            return
        if ours is None and base is not None:
            found = moved.find(base, 1 if theirs is not None else TELLING)
            if found is not None and found not in self.wanted:
                path, ours = found, self._at(found)
        outcome = take_back(base, theirs, ours, self._read)
        self._decide(path, ours, outcome)

    def keep_other_halves(self, changes: Sequence[tuple[str, Entry | None, Entry | None]]) -> None:
        """A move renamed a file, and its old name cannot be given back: then the new one is not taken away either."""
        stuck = {theirs.id for path, theirs, base in changes if path in self._conflicts and theirs and base is None}
        for path, theirs, base in changes:
            if theirs is None and base is not None and base.kind == FILE and base.id in stuck and base.size:
                if self.wanted.get(path, (base, None))[0] is None:
                    del self.wanted[path]
                    self._conflicts[path] = "its old name cannot be given back"

    def _only_directories(self, path: str, base: Entry | None, theirs: Entry | None, ours: Entry | None) -> bool:
        """Directories that came or went: settled by what stays in them, never in conflict by themselves."""
        if base is None and theirs is not None and ours is not None:
            return ours.kind == DIRECTORY
        if theirs is None and base is not None:
            if ours is not None and ours.kind == DIRECTORY and ours.mode == base.mode:
                self.wanted[path] = (None, None)
            return True
        return False

    def _decide(self, path: str, ours: Entry | None, outcome: Outcome) -> None:
        if outcome.conflict:
            self._conflicts[path] = outcome.conflict
        elif outcome.entry != ours:
            self.wanted[path] = (outcome.entry, outcome.merged)

    def proposal(self, source: TreeView) -> Proposal:
        """The effects, with directories settled; ``source`` says which mode a directory had that is made again."""
        self._settle(source)
        effects = []
        for path, (after, merged) in sorted(self.wanted.items()):
            before = self._now.get(path)
            if before != after:
                effects.append(Effect(self._part, path, before, after, merged))
        return Proposal(
            tuple(effects),
            tuple(Kept(self._part, path, reason) for path, reason in sorted(self._conflicts.items())),
            tuple(Kept(self._part, path, reason) for path, reason in sorted(self._kept.items())),
        )

    def _settle(self, source: TreeView) -> None:
        holders = self.guard.holders()
        for path in sorted(self.wanted, key=lambda each: each.count("/"), reverse=True):
            after = self.wanted[path][0]
            now = self._now.get(path)
            if now is None or now.kind != DIRECTORY or (after is not None and after.kind == DIRECTORY):
                continue
            stays = path in holders or any(
                self._at(trees.join(path, name)) is not None for name in self._now.directory(path)
            )
            if not stays:
                continue
            del self.wanted[path]
            if after is not None:
                self._conflicts[path] = "the directory there holds what is not to be removed"
        for path in sorted(self.wanted):
            if self.wanted[path][0] is not None:
                self._make_room(path, source)

    def _make_room(self, path: str, source: TreeView) -> None:
        """Give a path that is created the directories above it; a conflict if something else stands there."""
        missing = []
        for parent in trees.parents(path):
            there = self._at(parent)
            if there is not None and there.kind != DIRECTORY:
                del self.wanted[path]
                self._conflicts[path] = f"{parent} is no directory any more"
                return
            if there is not None:
                break
            missing.append(parent)
        for parent in missing:
            was = source.get(parent)
            mode = was.mode if was is not None and was.kind == DIRECTORY else 0o755
            self.wanted[parent] = (Entry(DIRECTORY, mode, 0, trees.NO_ID), None)

    def _at(self, path: str) -> Entry | None:
        return self.wanted[path][0] if path in self.wanted else self._now.get(path)

    def _read(self, entry: Entry) -> bytes:
        for after, merged in self.wanted.values():
            if merged is not None and after is not None and after.id == entry.id:
                return merged
        return self._reader.get(entry.id, BlobKind.DATA)
