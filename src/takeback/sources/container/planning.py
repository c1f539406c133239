"""What brings a container to where it should be, path by path: the same rules as for a workspace, and attributes with them.

Whose change it is, and what stands in its way, is decided by the paths themselves; their attributes follow. Nobody is in
conflict about when a file was last changed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from blake3 import blake3

from takeback.model.diff import Change
from takeback.model.ids import BlobKind
from takeback.model.plan import Effect, Kept
from takeback.model.snapshot import RUNNING, Part
from takeback.model.tree import DIRECTORY, FILE, Entry
from takeback.sources import trees
from takeback.sources.container import attributes, content
from takeback.sources.container.areas import Areas
from takeback.sources.container.attributes import ATTRIBUTES, Attributes
from takeback.sources.container.decoding import decode
from takeback.sources.container.differing import differences as settings_differences
from takeback.sources.container.found import FILESYSTEM, WHITEOUT
from takeback.sources.protocol import Proposal, Step
from takeback.sources.trees import TreeView
from takeback.sources.workspace import planning
from takeback.sources.workspace.disk import NOWHERE
from takeback.sources.workspace.guard import Guard
from takeback.store.reader import Reader

_HOLDERS = frozenset((ATTRIBUTES, FILESYSTEM, "volumes", "binds"))
"""Directories of a part that stand for nothing in a container: what is in them does."""


class Whole(Guard):
    """Of a container nothing is ignored: what a part lacks is not there, or is the image's, unless it is listed. A socket is
    its process's, and goes with that."""

    def __init__(self, reader: Reader, part: Part) -> None:
        super().__init__(reader, part)
        self._left_out = {path: reason for path, reason in self._left_out.items() if reason != "socket"}

    def absent_by_choice(self, path: str, is_directory: bool) -> str:
        reason = self.stands_uncaptured(path)
        return f"it was not captured then ({reason})" if reason else ""


def plan(reader: Reader, name: str, present: Part, target: Part, paths: Sequence[str] | None) -> Proposal:
    """Everything, or some paths, exactly as in another part."""
    wanted = None if paths is None else with_attributes(paths)
    proposal = planning.plan(reader, name, present, target, wanted, NOWHERE, Whole)
    effects = (*proposal.effects, *_on_the_way(reader, name, present, target, proposal.effects))
    told = as_told(reader, effects)
    return proposal._replace(effects=told, notes=_all_notes(reader, present, told))


def _on_the_way(reader: Reader, name: str, present: Part, target: Part, effects: Sequence[Effect]) -> Iterator[Effect]:
    """The attributes of directories that are made because a path that comes back is in them."""
    now, then = TreeView(reader, present.content), TreeView(reader, target.content)
    planned = {effect.path for effect in effects}
    for effect in effects:
        area = content.area_of(effect.path)
        is_made = effect.before is None and effect.after is not None and effect.after.kind == DIRECTORY
        if not is_made or not area or effect.path == area or effect.path.startswith(f"{ATTRIBUTES}/"):
            continue
        own = attributes.beside(area, effect.path[len(area) + 1 :])
        before, after = now.get(own), then.get(own)
        if own not in planned and before != after and after is not None:
            yield Effect(name, own, before, after)


def revert(reader: Reader, name: str, present: Part, steps: Sequence[Step]) -> Proposal:
    """Take back steps, newest first."""
    files = [step._replace(leave=step.leave | _attributes_of(reader, step)) for step in steps]
    proposal = planning.revert(reader, name, present, files, NOWHERE, Whole)
    untouched = {item.path for item in (*proposal.conflicts, *proposal.kept)}
    merge = _Merge(reader, name, present, {effect.path: effect.after for effect in proposal.effects})
    for step in steps:
        merge.take_back(step, untouched)
    effects = _without_holders(proposal.effects, merge, TreeView(reader, present.content))
    effects += merge.effects()
    told = as_told(reader, effects)
    notes = (*proposal.notes, *_all_notes(reader, present, told))
    return Proposal(told, (*proposal.conflicts, *merge.conflicts), proposal.kept, notes)


def _all_notes(reader: Reader, present: Part, effects: Sequence[Effect]) -> tuple[str, ...]:
    runs = effects and any(item.reason == RUNNING for item in present.not_captured)
    anew = [f"what runs in {present.detail.get('container', present.name)} begins anew"] if runs else []
    return (*notes(reader, effects), *anew)


def as_told(reader: Reader, effects: Sequence[Effect]) -> tuple[Effect, ...]:
    """Effects with what people are told of them: attributes are told of with their files, and what does not differ from the
    image any more is as in the image, whether or not that has it."""
    paths = {effect.path for effect in effects}
    above = {parent for path in (*paths, *map(_real, paths)) for parent in trees.parents(path)}
    found = []
    for effect in effects:
        if effect.path in _HOLDERS:
            found.append(replace(effect, told=("", "")))
        elif effect.path.startswith(f"{ATTRIBUTES}/"):
            found.append(replace(effect, told=_beside_as_told(reader, effect, paths)))
        elif content.area_of(effect.path) == FILESYSTEM and effect.after is None:
            is_on_the_way = effect.path in above
            found.append(replace(effect, told=("", "") if is_on_the_way else ("reset", effect.path)))
        elif content.area_of(effect.path) == FILESYSTEM and effect.before is None and effect.path in above:
            found.append(replace(effect, told=("", "")))  # the image may well have that directory
        else:
            found.append(effect)
    return tuple(found)


def _real(path: str) -> str:
    """The path whose attributes stand at a path; the path itself if none do."""
    area = content.area_of(path)
    inner = attributes.of_path(area, path) if area and path.startswith(f"{ATTRIBUTES}/") else None
    return path if inner is None else trees.join(area, inner)


def _beside_as_told(reader: Reader, effect: Effect, paths: set[str]) -> tuple[str, str]:
    area = content.area_of(effect.path)
    inner = attributes.of_path(area, effect.path) if area else None
    real = (trees.join(area, inner) if inner else area) if inner is not None else ""
    was = _read(reader, effect.before)
    now = attributes.decode(effect.merged) if effect.merged is not None else _read(reader, effect.after)
    if (
        inner is None
        or real in paths
        or real in _HOLDERS
        or (was and was._replace(mtime=0)) == (now and now._replace(mtime=0))
    ):
        return "", ""
    if now is None:
        return ("reset" if area == FILESYSTEM else "delete"), real
    if now.kind == WHITEOUT:
        return "delete", real
    return ("create" if was is None else "chmod"), real


def notes(reader: Reader, effects: Sequence[Effect]) -> list[str]:
    """In what the settings of a container will differ, in words."""
    for effect in effects:
        if effect.path == content.SETTINGS and effect.before is not None and effect.after is not None:
            now, then = (decode(b"".join(reader.stream(each.id))) for each in (effect.before, effect.after))
            return settings_differences(now, then)
    return []


def with_attributes(paths: Sequence[str]) -> list[str]:
    """Paths of a part, and where the attributes of what is at and below them stand."""
    found = list(paths)
    for path in paths:
        area = content.area_of(path)
        if path.startswith(f"{ATTRIBUTES}/") or not path:
            continue
        if not area or path == area:
            found.append(f"{ATTRIBUTES}/{path}")
        else:
            beside = attributes.beside(area, path[len(area) + 1 :])
            found += (beside, attributes.inside(beside.removesuffix(attributes.own(""))))
    return found


def differences(
    reader: Reader, name: str, a: Part | None, b: Part | None, paths: Sequence[str] | None
) -> Iterator[Change]:
    """All paths that differ, those whose attributes alone do among them; when a file was last changed counts for nothing."""
    old, new = (part.content if part is not None else None for part in (a, b))
    told: set[str] = set()
    beside: list[tuple[str, Entry | None, Entry | None]] = []
    for path, before, after in trees.compare(reader, old, new, paths):
        if path.startswith(f"{ATTRIBUTES}/"):
            beside.append((path, before, after))
        elif path != ATTRIBUTES:
            told.add(path)
            yield Change(name, path, before, after)
    views = TreeView(reader, old), TreeView(reader, new)
    for path, before, after in beside:
        area = content.area_of(path)
        inner = attributes.of_path(area, path) if area else None
        if inner is None:
            continue
        real = trees.join(area, inner)
        was, now = (_read(reader, entry) for entry in (before, after))
        if real in told or (was and was._replace(mtime=0)) == (now and now._replace(mtime=0)):
            continue
        then, there = (view.get(real) or _special(each) for view, each in zip(views, (was, now), strict=True))
        if then is not None or there is not None:
            yield Change(name, real, then, there)


def state_at(reader: Reader, tree: bytes, path: str) -> object | None:
    """What a part has at and below a path, as a value; when files were last changed counts for nothing."""
    view = TreeView(reader, tree)
    directory, _, name = path.rpartition("/")
    entry = view.directory(directory).get(name) if path else None
    area = content.area_of(path)
    if path and (not area or path == area):
        said = f"{ATTRIBUTES}/{path}"
        below = dict(view.below(said))
    elif path:
        said = attributes.beside(area, path[len(area) + 1 :])
        below = dict(view.below(attributes.inside(said.removesuffix(attributes.own("")))))
        if (own := view.get(said)) is not None:
            below[said] = own
    else:
        below = dict(view.below(ATTRIBUTES))
        entry = Entry(DIRECTORY, 0, 0, tree) if below else None
    known = {each: _read(reader, found) for each, found in below.items() if found.kind == FILE}
    beside = tuple((each, found._replace(mtime=0)) for each, found in sorted(known.items()) if found is not None)
    return (entry, beside) if entry is not None or beside else None


def is_as(reader: Reader, effect: Effect, there: Entry | None) -> bool:
    """Whether what stands at a path of a part is what an effect found there; when a file was last changed counts for
    nothing, unless that is all that the effect changes."""
    wanted = effect.before
    if there in (wanted, effect.after) or None in (there, wanted) or not effect.path.startswith(f"{ATTRIBUTES}/"):
        return there == wanted
    now, then = _read(reader, there), _read(reader, wanted)
    return now is not None and then is not None and now._replace(mtime=0) == then._replace(mtime=0)


def still_to_do(effects: Sequence[Effect], now: Areas, settings: bytes) -> tuple[Effect, ...]:
    """Those effects that are not in place in a container as it is ``now``. The attributes of a path are put in place with
    what stands there, in one go: where that changes, it tells of both."""
    left: set[str] = set()
    done: set[str] = set()
    for effect in effects:
        if effect.path == content.SETTINGS:
            there = effect.after is not None and effect.after.id == settings
        elif not effect.path.startswith(f"{ATTRIBUTES}/"):
            there = now.entry_at(effect.path) == effect.after
        else:
            continue
        (done if there else left).add(effect.path)
    for effect in effects:
        if effect.path.startswith(f"{ATTRIBUTES}/") and (real := _of(effect.path)) is not None and real not in done:
            if real in left or not now.has_attributes(effect.path, effect.after):
                left.add(effect.path)
    # A directory on the way to attributes comes and goes with what is in it.
    return tuple(
        effect
        for effect in effects
        if effect.path in left or (left and effect.path.startswith(f"{ATTRIBUTES}/") and _of(effect.path) is None)
    )


def _of(path: str) -> str | None:
    """The path of a part whose attributes stand at another; None for a directory on the way."""
    area = content.area_of(path)
    inner = attributes.of_path(area, path) if area else None
    return None if inner is None else trees.join(area, inner)


def _special(each: Attributes | None) -> Entry | None:
    return None if each is None or not each.kind else Entry(each.kind, each.mode, 0, trees.NO_ID)


def _attributes_of(reader: Reader, step: Step) -> frozenset[str]:
    """Where the attributes stand that a step changed."""
    changed = trees.compare(reader, step.before.content, step.after.content, [ATTRIBUTES])
    return frozenset(path for path, *_ in changed if trees.within([ATTRIBUTES], path))


def _without_holders(effects: Sequence[Effect], merge: _Merge, now: TreeView) -> list[Effect]:
    """Effects without those that remove a directory in which the image's own files stay hidden, or devices stand: no
    tree tells of these."""
    kept = []
    for effect in effects:
        area = content.area_of(effect.path)
        if effect.after is None and effect.before is not None and effect.before.kind == DIRECTORY and area:
            own = attributes.beside(area, effect.path[len(area) + 1 :])
            inside = attributes.inside(own.removesuffix(attributes.own("")))
            if any(entry.kind == FILE and merge.at(path) is not None for path, entry in now.below(inside)):
                merge.keep(own)
                continue
        kept.append(effect)
    return kept


class _Merge:
    """The attributes of the present, and what they shall become."""

    def __init__(self, reader: Reader, name: str, present: Part, files: Mapping[str, Entry | None]) -> None:
        self._reader, self._name, self._files = reader, name, files
        self._now = TreeView(reader, present.content)
        self._wanted: dict[str, tuple[Entry | None, bytes | None]] = {}
        self._made: set[str] = set()
        self.conflicts: list[Kept] = []

    def take_back(self, step: Step, untouched: set[str]) -> None:
        for path, theirs, base in trees.compare(self._reader, step.before.content, step.after.content, [ATTRIBUTES]):
            area = content.area_of(path)
            inner = attributes.of_path(area, path) if area else None
            if inner is None:
                continue  # a directory on the way: it comes and goes with what is in it
            real = trees.join(area, inner)
            if real in untouched or real in step.leave or path in step.leave:
                continue
            self._decide(path, real, base, theirs, self.at(path))

    def _decide(self, path: str, real: str, base: Entry | None, theirs: Entry | None, ours: Entry | None) -> None:
        if ours in (base, theirs):
            self._wanted[path] = (theirs, None)
            return
        was, before, now = (_read(self._reader, entry) for entry in (base, theirs, ours))
        if None in (was, before, now) and not any(each is not None and each.kind for each in (was, before, now)):
            # They come and go with what they are of.
            stands = self._files[real] if real in self._files else self._now.get(real)
            self._wanted[path] = (None if stands is None else ours or theirs, None)
            return
        merged = _merged(was, before, now)
        if merged is None:
            self.conflicts.append(Kept(self._name, real, "its owner or attributes were changed since"))
        elif merged != now:
            data = attributes.encode(merged)
            self._wanted[path] = (Entry(FILE, 0o600, len(data), blake3(data).digest()), data)

    def at(self, path: str) -> Entry | None:
        return self._wanted[path][0] if path in self._wanted else self._now.get(path)

    def keep(self, path: str) -> None:
        """Leave the attributes at a path as they are."""
        self._wanted.pop(path, None)

    def effects(self) -> Iterator[Effect]:
        emptied: set[str] = set()
        for path, (after, data) in sorted(self._wanted.items()):
            before = self._now.get(path)
            if before != after:
                yield Effect(self._name, path, before, after, data)
                if after is None:
                    emptied.update(trees.parents(path))
                else:
                    yield from self._directories_for(path)
        for directory in sorted(emptied, key=lambda each: -each.count("/")):
            yield from self._without(directory)

    def _directories_for(self, path: str) -> Iterator[Effect]:
        """Directories above a path that is made and that are not there."""
        for above in trees.parents(path):
            if self._now.get(above) is not None or above in self._made:
                return
            self._made.add(above)
            yield Effect(self._name, above, None, Entry(DIRECTORY, 0o755, 0, trees.NO_ID))

    def _without(self, directory: str) -> Iterator[Effect]:
        """A directory of attributes in which nothing is left goes."""
        area = content.area_of(directory)
        if not area or directory == f"{ATTRIBUTES}/{area}":
            return
        entries = self._now.directory(directory)
        if entries and all(self.at(trees.join(directory, name)) is None for name in entries):
            self._wanted[directory] = (None, None)
            yield Effect(self._name, directory, self._now.get(directory), None)


def _merged(base: Attributes | None, theirs: Attributes | None, ours: Attributes | None) -> Attributes | None:
    """What ``ours`` becomes without the change from ``theirs`` to ``base``; None if that cannot be said."""
    if base is None or theirs is None or ours is None:
        return None
    found = {}
    for field, was, before, now in zip(Attributes._fields, base, theirs, ours, strict=True):
        if now in (was, before):
            found[field] = before
        elif before != was and field != "mtime":
            return None
    return ours._replace(**found)  # type: ignore[arg-type] # each is of its field's own type


def _read(reader: Reader, entry: Entry | None) -> Attributes | None:
    if entry is None or entry.kind != FILE:
        return None
    return attributes.decode(reader.get(entry.id, BlobKind.DATA))
