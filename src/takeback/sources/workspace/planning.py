"""Which effects bring a workspace to where it should be, without costing anybody anything.

Both kinds of plan end in `_settle`: directories are only deleted or replaced when nothing stays in them, and what is
created gets the directories it needs. A path is changed or left alone, never both.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from itertools import islice

from takeback.model.ids import BlobKind
from takeback.model.plan import Effect, Kept, Lost
from takeback.model.snapshot import PURGED, Part
from takeback.model.tree import DIRECTORY, FILE, Entry
from takeback.sources import trees
from takeback.sources.evidence import Evidence, Stamp, load
from takeback.sources.protocol import Proposal, Step
from takeback.sources.trees import TreeView
from takeback.sources.workspace.disk import NOWHERE, Disk
from takeback.sources.workspace.guard import UNREADABLE, Guard
from takeback.sources.workspace.lost import lost
from takeback.sources.workspace.merge import Outcome, take_back
from takeback.sources.workspace.merge_memo import merging
from takeback.sources.workspace.renames import TELLING, Renames
from takeback.sources.workspace.strays import Strays, looked_ns
from takeback.sources.workspace.uncaptured import Identity
from takeback.store.reader import Reader

Wanted = dict[str, tuple[Entry | None, bytes | None]]
"""What paths shall become, and the bytes of those that were merged."""


def fresh(reader: Reader, part: str, target: Part, paths: Sequence[str] | None) -> list[Effect]:
    """Everything, or some paths with the directories above them, where there is nothing yet."""
    changes = trees.compare(reader, None, target.content, paths)
    effects = [Effect(part, path, None, after) for path, _, after in changes]
    if paths is None:
        return effects
    above = {parent for each in effects if trees.within(paths, each.path) for parent in trees.parents(each.path)}
    return [each for each in effects if trees.within(paths, each.path) or each.path in above]


_MOST = 256
"""So many new paths are looked at for a file that may be at one of them."""

Witness = Callable[[Step, Part], Evidence | None]
"""What a capture in a step, or at its end, saw of the files."""

Guards = Callable[[Reader, Part], Guard]
"""What says of a part which of the paths that it lacks are not to be touched."""


def plan(
    reader: Reader,
    part: str,
    present: Part,
    target: Part,
    paths: Sequence[str] | None,
    disk: Disk = NOWHERE,
    guards: Guards = Guard,
) -> Proposal:
    """Everything, or some paths, exactly as in another part."""
    draft = _Draft(reader, part, present, guards)
    then = guards(reader, target)
    strays = Strays(then, draft.guard, disk)
    is_meant = trees.named(paths)
    for path, before, after in trees.compare(reader, present.content, target.content, paths):
        if not is_meant(path):
            continue
        reason = ""
        if before is None:
            reason = draft.blocked(path)
        elif after is None:
            reason = then.absent_by_choice(path, before.kind == DIRECTORY)
        reason = reason or (strays.origin(path) if before is not None else "")
        if reason:
            draft.keep(path, reason)
        else:
            draft.wanted[path] = (after, None)
    return draft.proposal(TreeView(reader, target.content))


def revert(
    reader: Reader,
    part: str,
    present: Part,
    steps: Sequence[Step],
    disk: Disk = NOWHERE,
    guards: Guards = Guard,
    evidence: Witness | None = None,
) -> Proposal:
    """Take back steps, newest first; what is not as a step left it is merged, followed, or reported."""
    draft = _Draft(reader, part, present, guards)
    source = TreeView(reader, None)
    gone: list[Lost] = []
    first = steps[-1].before
    witness = evidence or (lambda step, after: load(reader, after))
    for step in steps:
        source = TreeView(reader, step.before.content)
        revision = _Revision(reader, step, present, disk if step.here else NOWHERE, guards, source, witness, first)
        for path in sorted(_purged(step) - step.leave):
            draft.keep(path, "what it held was purged, so it cannot be taken back")
        for change in revision.changes:
            revision.take_back(draft, *change)
        draft.renames.append(revision.renames)
        if step.here:
            made = revision.made() if gone and not step.open_ended else set()
            gone = [each for each in gone if each.path.rstrip("/") not in made]  # it came and went meanwhile
            gone += revision.lost(part)
    with merging() as memo:
        memo.check()
    told = {each.path: each for each in gone}
    return draft.proposal(source)._replace(lost=tuple(told.values()))


class _Revision:
    """One step that is taken back, and what is known of both of its ends."""

    def __init__(
        self,
        reader: Reader,
        step: Step,
        present: Part,
        disk: Disk,
        guards: Guards,
        before: TreeView,
        witness: Witness,
        first: Part,
    ) -> None:
        self._reader, self._step, self._disk, self._tree = reader, step, disk, before
        self._before, self._after = guards(reader, step.before), guards(reader, step.after)
        self._moved = _Moved(reader, step, present, before, disk)
        self._every = list(trees.compare(reader, step.before.content, step.after.content))
        self.changes = [change for change in self._every if change[0] not in step.leave]
        # What takeback itself put there was not moved there, although it was made ready before.
        self._looked_ns = 0 if step.certain else looked_ns(reader, step.before, self._before)
        self.renames = Renames(
            reader,
            self._every,
            step.leave,
            disk,
            self._looked_ns,
            lambda: trees.compare(reader, first.content, present.content),
        )
        self._strays = Strays(
            self._before,
            self._after,
            disk,
            self.changes,
            self._looked_ns,
            self.renames.is_mostly,
            self._former(witness),
        )

    def take_back(self, draft: _Draft, path: str, theirs: Entry | None, base: Entry | None) -> None:
        """Add one change to what the present shall become, or why it is left alone."""
        if base is None:
            if uncaptured := self._after.stands_uncaptured(path):
                self._leave_uncaptured(draft, path, uncaptured)
                return
        elif theirs is None:
            by_rules = not self._step.certain and self._before.absent_by_choice(path, base.kind == DIRECTORY)
            if by_rules:
                draft.keep(path, by_rules)
                return
            if reason := self._before.stands_uncaptured(path) or self._strays.made(path, base):
                draft.refuse(path, reason)
                return
        elif reason := self._strays.changed(path, base, theirs):
            draft.refuse(path, reason)
            return
        draft.take_back(path, base, theirs, self._moved)

    def _former(self, witness: Witness) -> frozenset[int] | None:
        """The inodes of files that the step removed or replaced; None if these are not all known."""
        found = [witness(self._step, part) for part in (self._step.after, *self._step.through)]
        known = {path: inode for each in found if each is not None for path, inode in each.former.items()}
        gone = (path for path, was, base in self._every if was and was.kind == FILE and (not base or base.id != was.id))
        if None in found or not all(path in known for path in gone):
            return None
        return frozenset(inode for each in found if each is not None for inode in each.former.values())

    def made(self) -> set[str]:
        """What no snapshot holds, and was not there before the step."""
        return self._after.seen().keys() - self._before.seen().keys()

    def lost(self, part: str) -> list[Lost]:
        return lost(part, self._before, self._after, self._disk, self._strays.found)

    def _leave_uncaptured(self, draft: _Draft, path: str, reason: str) -> None:
        if reason == UNREADABLE:
            draft.refuse(path, _how_to_read(self._tree, self._after.left_out_at(path)))
        else:
            draft.refuse(path, f"the move left it uncaptured ({reason})")


def _purged(step: Step) -> set[str]:
    """Paths that a step changed, and of which no snapshot holds how any more."""
    before, after = (
        {(item.path, item.detail) for item in part.not_captured if item.reason == PURGED}
        for part in (step.before, step.after)
    )
    return {path for path, _ in before ^ after}


def _how_to_read(before: TreeView, path: str) -> str:
    """Why nothing can be said of a path that nobody can read, or that is in a directory that nobody can, and what to do."""
    was = before.get(path)
    mode = f"{was.mode:o}" if was is not None else "u+rwX"
    return f"it cannot be read: first `chmod {mode} {shlex.quote(path)}`, then try again"


class _Moved:
    """Finds a file again that somebody renamed since, by its bytes; or, where it would be deleted, by what stood there."""

    def __init__(self, reader: Reader, step: Step, present: Part, before: TreeView, disk: Disk) -> None:
        self._reader, self._step, self._present, self._before, self._disk = reader, step, present, before, disk
        self._new: dict[tuple[str, bytes], list[str]] | None = None
        self._evidence: list[Evidence] | None = None

    def find(self, path: str, base: Entry) -> str | None:
        """The only new path with these bytes; if they are so few that they tell nothing, at which the very file stands. A path
        of old is not new."""
        places = self._places(base)
        if len(places) != 1:
            return None
        return places[0] if base.size >= TELLING else self.same(path, base)

    def alike(self, base: Entry) -> list[str]:
        """The new paths with these bytes, if they are so many that they tell something, or if there is only one."""
        places = self._places(base)
        return places if base.size >= TELLING or len(places) == 1 else []

    def same(self, path: str, base: Entry) -> str | None:
        """The new path at which the very file stands that the step left at a path. Equal bytes alone may be a person's own
        copy, so nothing is deleted because of them."""
        places = self._places(base) if path not in self._step.unsure else []
        stamp = self._stamp(path) if places else None
        if stamp is None:
            return None
        left = Identity(stamp.inode, False, stamp.ctime_ns, stamp.mtime_ns, base.size)
        return next((place for place in places if self._disk.is_untouched(place, left)), None)

    def edited(self, path: str, base: Entry) -> str | None:
        """The new path at which the very file stands by now that the step made at a path, written to since."""
        stamp = self._stamp(path) if base.kind == FILE and path not in self._step.unsure else None
        if stamp is None:
            return None
        left = Identity(stamp.inode, False, stamp.ctime_ns, stamp.mtime_ns, base.size)
        others = (
            place for (kind, id), some in self._new_paths().items() for place in some if (kind, id) != (FILE, base.id)
        )
        return next((place for place in islice(others, _MOST) if self._disk.is_same(place, left)), None)

    def _places(self, base: Entry) -> list[str]:
        return [] if base.kind == DIRECTORY or not base.size else self._new_paths().get((base.kind, base.id), [])

    def _new_paths(self) -> dict[tuple[str, bytes], list[str]]:
        """The paths that were neither there before the step nor after it, by what stands there now."""
        if self._new is None:
            self._new = {}
            for path, before, now in trees.compare(self._reader, self._step.after.content, self._present.content):
                if before is None and now is not None and now.kind != DIRECTORY and self._before.get(path) is None:
                    self._new.setdefault((now.kind, now.id), []).append(path)
        return self._new

    def _stamp(self, path: str) -> Stamp | None:
        """What was recorded of a path when the step had changed it."""
        if self._evidence is None:
            parts = (self._step.after, *self._step.through)
            self._evidence = [found for part in parts if (found := load(self._reader, part)) is not None]
        return next((each.paths[path] for each in self._evidence if path in each.paths), None)


class _Draft:
    """The present, and what it shall become."""

    def __init__(self, reader: Reader, part: str, present: Part, guards: Guards) -> None:
        self._reader = reader
        self._part = part
        self._now = TreeView(reader, present.content)
        self.guard = guards(reader, present)
        self.wanted: Wanted = {}
        self.renames: list[Renames] = []
        self._conflicts: dict[str, str] = {}
        self._kept: dict[str, str] = {}
        self._notes: dict[str, None] = {}
        self._followed: dict[str, str] = {}
        """Paths whose files were found again under another name."""
        self._room: dict[str, tuple[Entry | None, bytes | None] | None] = {}
        """Directories that are wanted only because of what is to be in them, and what was wanted there before."""

    def keep(self, path: str, reason: str) -> None:
        """Leave a path alone, and say why."""
        if path not in self._conflicts:
            self._kept[path] = reason

    def refuse(self, path: str, reason: str) -> None:
        """Leave a path alone because taking it back would lose something."""
        self._conflicts.setdefault(path, reason)
        self._kept.pop(path, None)

    def blocked(self, path: str) -> str:
        """Why nothing can be put at a path that the present does not hold."""
        reason = self.guard.stands_uncaptured(path)
        return f"what stands there now is not captured ({reason}), so it could not be taken back" if reason else ""

    def take_back(self, path: str, base: Entry | None, theirs: Entry | None, moved: _Moved) -> None:
        if path in self._conflicts or path in self._kept:
            return
        ours = self._at(path)
        if ours is None and theirs is not None and (reason := self.blocked(path)):
            self.refuse(path, reason)
            return
        if DIRECTORY in (base.kind if base else "", theirs.kind if theirs else "") and self._only_directories(
            path, base, theirs, ours
        ):
            return
        if ours is None and base is not None:
            found = moved.find(path, base) if theirs is not None else moved.same(path, base)
            if found is not None and found not in self.wanted:
                self._followed[path] = found
                path, ours = found, self._at(found)
            elif theirs is None:
                self._tell_alike(path, moved.alike(base))
                if edited := moved.edited(path, base):
                    self.refuse(edited, f"it was {path}, which the move made, and was changed since")
        outcome = take_back(base, theirs, ours, self._read)
        self._decide(path, ours, outcome)

    def _tell_alike(self, path: str, alike: Sequence[str]) -> None:
        for each in alike:
            if each not in self.wanted:
                self._notes[f"{each} has the bytes of {path}, which the move made; it is left alone"] = None

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
            self.refuse(path, outcome.conflict)
        elif outcome.entry != ours:
            merged = outcome.merged
            if merged is None and path in self.wanted and outcome.entry is not None and ours is not None:
                merged = self.wanted[path][1] if outcome.entry.id == ours.id else None
            self.wanted[path] = (outcome.entry, merged)

    def proposal(self, source: TreeView) -> Proposal:
        """The effects, with directories settled; ``source`` says which mode a directory had that is made again."""
        self._settle(source)
        while self._leave_what_is_told() or self._leave_renamed():
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
            tuple(self._notes),
        )

    def _leave_what_is_told(self) -> bool:
        """Change nothing at a path that is said to be left alone, because one of several steps could not be taken back there;
        whether there was any."""
        told = [path for path in self.wanted if path in self._conflicts or path in self._kept]
        for path in told:
            del self.wanted[path]
        return bool(told)

    def _leave_renamed(self) -> bool:
        """A move renamed a file, and its old name cannot be given back: then the new one is not taken away either. Whether
        there was any."""
        found = {
            path: old
            for each in self.renames
            for path, old in each.stuck(self._at, self.wanted, self._followed).items()
        }
        for path, old in found.items():
            del self.wanted[path]
            self.refuse(path, f"the move took it from {old}, and {old} stays as it is")
        return bool(found)

    def _settle(self, source: TreeView) -> None:
        for path, before in self._room.items():
            del self.wanted[path]
            self.wanted |= {path: before} if before is not None else {}
        self._room.clear()
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
                self.refuse(path, "the directory there holds what is not to be removed")
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
                self.refuse(path, f"{parent} is no directory any more")
                return
            if there is None and (parent in self._conflicts or parent in self._kept):
                del self.wanted[path]
                self.refuse(path, f"{parent} is left as it is")
                return
            if there is not None:
                break
            missing.append(parent)
        for parent in missing:
            was = source.get(parent)
            mode = was.mode if was is not None and was.kind == DIRECTORY else 0o755
            self._room[parent] = self.wanted.get(parent)
            self.wanted[parent] = (Entry(DIRECTORY, mode, 0, trees.NO_ID), None)

    def _at(self, path: str) -> Entry | None:
        return self.wanted[path][0] if path in self.wanted else self._now.get(path)

    def _read(self, entry: Entry) -> bytes:
        for after, merged in self.wanted.values():
            if merged is not None and after is not None and after.id == entry.id:
                return merged
        return self._reader.get(entry.id, BlobKind.DATA)
