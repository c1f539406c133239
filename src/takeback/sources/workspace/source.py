"""The workspace source: what `takeback.Workspace` is."""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from blake3 import blake3

from takeback.errors import Integrity, InvalidInput, NotFound
from takeback.model.ids import BlobKind
from takeback.model.progress import Watch
from takeback.model.sizes import parse_seconds, parse_size
from takeback.model.snapshot import Part
from takeback.model.tree import DIRECTORY, name_bytes
from takeback.sources import trees
from takeback.sources.workspace import git
from takeback.sources.workspace.capture import Walk
from takeback.sources.workspace.guard import encode_ignored
from takeback.sources.workspace.ignore import RULE_FILES, Patterns, RulesRecord, TrackedCache, root_rules
from takeback.sources.workspace.names import STAGE_PREFIX, is_store
from takeback.sources.workspace.statcache import decode_cache, encode_cache
from takeback.store.reader import Reader
from takeback.store.writer import Writer

if TYPE_CHECKING:
    from takeback.model.diff import Change
    from takeback.model.plan import Effect, Kept, Outside
    from takeback.sources.protocol import Made, Proposal, Staged, Step
    from takeback.sources.witness import Between
    from takeback.sources.workspace.place.files import StagedFiles
    from takeback.sources.workspace.watching import Watcher

MAX_FILE_SIZE = "100MiB"

_STAGE = STAGE_PREFIX.encode()
_WORTH_REMEMBERING = 64
"""So many files read for nothing make it worth writing the stat cache again."""


class Workspace:
    """A directory. ``include`` and ``exclude`` are patterns as in a .gitignore; what is included is always kept."""

    kind = "workspace"
    lock = ""

    def __init__(
        self,
        path: str | os.PathLike[str] = ".",
        *,
        name: str = "workspace",
        include: Iterable[str] = (),
        exclude: Iterable[str] = (),
        max_file_size: int | str = MAX_FILE_SIZE,
        time_budget: float | str | None = None,
    ) -> None:
        self.name = name
        self.root = _real_directory(os.fspath(path))
        self.time_budget = None if time_budget is None else parse_seconds(time_budget)
        self._patterns = Patterns(tuple(include), tuple(exclude))
        self._max_file_size = parse_size(max_file_size)
        self._looked_ns = 0
        """When the last capture began: what was touched later may not be what it captured."""

    def capture(self, writer: Writer, previous: Part | None, watch: Watch) -> Part:
        """Every file that is not ignored, as trees; unchanged ones are recognised without reading them."""
        if not os.path.isdir(name_bytes(self.root)):
            raise NotFound(
                f"the workspace {self.root} is gone, so there is nothing to save",
                hints=["`takeback restore REF --to DIR` puts a snapshot elsewhere"],
            )
        _check_outside_of_stores(self.root)
        self._sweep()
        self._looked_ns = time.time_ns()
        before = previous.content if previous is not None else None
        cache = decode_cache(writer.derived.get(self._cache_key(writer)), before)
        tracked = TrackedCache.decode(cache.note)
        rules = root_rules(self.root, self._patterns, tracked_cache=tracked)
        walk = Walk(writer, cache, self._max_file_size, watch)
        tree = walk.root(self.root, rules, before)
        if tree != before or walk.read > _WORTH_REMEMBERING or not len(walk.cache):
            writer.derived.put(self._cache_key(writer), encode_cache(tree, tracked.encode(), walk.sections))
        refs = {"content": tree, "rules": writer.put(RulesRecord.of(rules).encode(), BlobKind.DOCUMENT)}
        if walk.ignored:
            refs["ignored"] = writer.put(encode_ignored(walk.ignored), BlobKind.DOCUMENT)
        return Part(self.name, self.kind, refs, self._detail(), tuple(sorted(walk.not_captured)))

    def plan(self, reader: Reader, present: Part, target: Part, paths: Sequence[str] | None) -> Proposal:
        from takeback.sources.protocol import Proposal
        from takeback.sources.workspace import planning  # here and below: no save needs it

        proposal = planning.plan(reader, self.name, present, target, paths, self._inode)
        note = _head_note(present, target)
        return Proposal(proposal.effects, proposal.conflicts, proposal.kept, (note,) if note else ())

    def revert(self, reader: Reader, present: Part, steps: Sequence[Step]) -> Proposal:
        from takeback.sources.workspace import planning

        return planning.revert(reader, self.name, present, steps, self._inode)

    def moved(self, reader: Reader, present: Part, effects: Sequence[Effect]) -> tuple[str, ...]:
        view = trees.TreeView(reader, present.content)
        return tuple(effect.path for effect in effects if view.get(effect.path) != effect.before)

    def plan_at(self, reader: Reader, place: object, part: Part, paths: Sequence[str] | None) -> Proposal:
        from takeback.sources import directories
        from takeback.sources.protocol import Proposal
        from takeback.sources.workspace import planning

        effects = planning.fresh(reader, self.name, part, paths)
        directories.check(self._at, directories.named(place), effects)
        return Proposal(tuple(effects))

    def make_at(self, reader: Reader, place: object, part: Part, paths: Sequence[str] | None, *, durable: bool) -> Made:
        from takeback.sources import directories
        from takeback.sources.protocol import Made
        from takeback.sources.workspace import planning

        effects = planning.fresh(reader, self.name, part, paths)
        directories.make(self._at, reader, directories.named(place), effects, durable=durable)
        return Made(self._at(directories.named(place)), tuple(effects))

    def _at(self, place: str) -> Workspace:
        return Workspace(
            place,
            name=self.name,
            include=self._patterns.include,
            exclude=self._patterns.exclude,
            max_file_size=self._max_file_size,
            time_budget=self.time_budget,
        )

    def stage(self, reader: Reader, effects: Sequence[Effect], *, durable: bool = True) -> Staged:
        from takeback.sources.workspace.place.files import stage

        merged = {effect.after.id: effect.merged for effect in effects if effect.after and effect.merged is not None}
        stored = (each.after.id for each in effects if each.after and each.after.kind != DIRECTORY)

        def content(blob: bytes) -> Iterator[bytes]:
            return iter((merged[blob],)) if blob in merged else reader.stream(blob)

        with reader.ahead(stored):
            staged = stage(self.root, effects, content, unchanged_since=self._looked_ns, durable=durable)
        return StagedPart(self.name, staged)

    def unfinished(self, effects: Sequence[Effect]) -> tuple[Effect, ...]:
        from takeback.sources.workspace.place.readback import unfinished

        self._sweep()  # it may have made directories writable
        return unfinished(self.root, effects)

    def amend(self, writer: Writer, present: Part, effects: Sequence[Effect]) -> Part:
        changes = {effect.path: effect.after for effect in effects}
        tree = trees.patch(writer, present.content, changes)
        rules = present.refs["rules"]
        if any(path.rpartition("/")[2] in RULE_FILES for path in changes):
            # What now counts, a directory that is ignored no more included, only another look tells.
            found = self.capture(writer, present, Watch())
            rules = found.refs["rules"]
            if found.content != tree:
                differing = [path for path, *_ in trees.compare(writer.reader, found.content, tree)]
                self._forget(writer, found.content, tree, differing)
        else:
            self._forget(writer, present.content, tree, changes)
        refs = {**present.refs, "content": tree, "rules": rules}
        return Part(self.name, self.kind, refs, present.detail, present.not_captured)

    def diff(
        self, reader: Reader, a: Part | None, b: Part | None, paths: Sequence[str] | None = None
    ) -> Iterator[Change]:
        from takeback.model.diff import Change

        old, new = (part.content if part is not None else None for part in (a, b))
        for path, before, after in trees.compare(reader, old, new, paths):
            yield Change(self.name, path, before, after)

    def count(self, reader: Reader, part: Part) -> int:
        return trees.count(reader, part.content)

    def state_at(self, reader: Reader, part: Part, path: str) -> object | None:
        from takeback.sources.stored import Stored

        return Stored(self.name, self.kind).state_at(reader, part, path)

    def read(self, reader: Reader, part: Part, path: str) -> Iterator[bytes]:
        from takeback.sources.stored import Stored

        return Stored(self.name, self.kind).read(reader, part, path)

    def watcher(self) -> Watcher:
        """What says when something may have changed from now on."""
        from takeback.sources.workspace.watching import Watcher

        return Watcher(self.root, self._patterns)

    def witnessed(self, stretches: Sequence[Between]) -> tuple[Sequence[Outside], Sequence[str]]:
        """Commits that git gained, and what else moved its HEAD."""
        from takeback.sources.workspace.git.happened import Span, happened, way_back

        repository = git.find(self.root)
        spans = [
            Span(git.noted(each.opened), git.noted(each.closed), each.since_ns, each.until_ns) for each in stretches
        ]
        if repository is None or not any(span.opened.commit or span.opened.branch for span in spans):
            return (), ()
        told = happened(repository, spans)
        hint = way_back(spans, repository.head()) if told else ""
        return told, (hint,) if hint else ()

    def _sweep(self) -> None:
        """Remove what a killed process left in the root."""
        try:
            left = any(name.startswith(_STAGE) for name in os.listdir(name_bytes(self.root)))
        except OSError:
            left = True
        if left:
            from takeback.sources.workspace.place.sweeping import sweep_stages

            sweep_stages(self.root)

    def _detail(self) -> dict[str, Any]:
        repository = git.find(self.root)
        if repository is None:
            return {}
        head = repository.head()
        return {"context": {"git": {"commit": head.commit, "branch": head.branch}}}

    def _inode(self, path: str) -> int | None:
        """The inode of what stands at a path now."""
        try:
            return os.lstat(name_bytes(f"{self.root}/{path}")).st_ino
        except OSError:
            return None

    def _cache_key(self, writer: Writer) -> str:
        return f"stat-{writer.scope}-{blake3(name_bytes(self.root)).hexdigest()[:16]}"

    def _forget(self, writer: Writer, old: bytes, new: bytes, paths: Collection[str]) -> None:
        """Keep the stat cache of one tree for another, without the directories on the way to what differs."""
        cache = decode_cache(writer.derived.get(self._cache_key(writer)), old)
        if not len(cache):
            return
        stale = {"", *paths, *(parent for path in paths for parent in trees.parents(path))}
        sections = {path: data for path, data in cache.items() if path not in stale}
        writer.derived.put(self._cache_key(writer), encode_cache(new, cache.note, sections))


class StagedPart(NamedTuple):
    """Staged files, as a part of a snapshot."""

    part: str
    files: StagedFiles

    @property
    def kept(self) -> tuple[Kept, ...]:
        from takeback.model.plan import Kept

        reason = "something came into it meanwhile"
        return tuple(Kept(self.part, path, reason) for path in self.files.kept)

    def apply(self) -> None:
        self.files.apply()

    def finish(self) -> None:
        """Nothing of what stood there was kept."""

    def discard(self) -> None:
        self.files.discard()


def exactly(size: int, pieces: Iterator[bytes], path: str) -> Iterator[bytes]:
    """A file's content, as long as its snapshot says: what is stored may claim to be of any length."""
    given = 0
    for piece in pieces:
        given += len(piece)
        if given > size:
            break
        yield piece
    if given != size:
        raise Integrity(
            f"the stored content of {path} is not as long as it should be",
            hints=["`takeback verify` finds out what else is damaged"],
        )


def _real_directory(path: str) -> str:
    real = os.path.realpath(path)
    if not os.path.isdir(real):
        problem = "is a file" if os.path.exists(real) else "does not exist"
        raise InvalidInput(f"cannot use {path} as a workspace: it {problem}", hints=["name a directory"])
    if real == "/":
        raise InvalidInput(
            "cannot use / as a workspace: it holds the whole system", hints=["name a project's directory"]
        )
    return os.fsencode(real).decode("utf-8", "surrogateescape")


def _head_note(present: Part, target: Part) -> str:
    now, then = (part.detail.get("context", {}).get("git") for part in (present, target))
    now, then = (git if isinstance(git, dict) else {} for git in (now, then))
    if not then.get("commit") or now.get("commit") == then["commit"]:
        return ""
    where, here = (
        f"{str(git.get('commit'))[:10]}{f' on {branch}' if (branch := git.get('branch')) else ''}"
        for git in (then, now)
    )
    return f"git's HEAD was {where} then and is {here} now; files are restored, HEAD and the index stay as they are"


def _check_outside_of_stores(root: str) -> None:
    """InvalidInput for a root in a takeback store, which an undo would put back under the feet of whoever uses it."""
    place = name_bytes(root)
    while True:
        if os.path.exists(os.path.join(place, b"store.json")) and is_store(os.listdir(os.fsdecode(place))):
            raise InvalidInput(
                f"{root} is in a takeback store, which is no workspace",
                hints=["cd into a project, or name it with -C DIR"],
            )
        above = os.path.dirname(place)
        if above == place:
            return
        place = above
