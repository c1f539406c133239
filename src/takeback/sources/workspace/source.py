"""The workspace source: what `takeback.Workspace` is."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from takeback.errors import Integrity, InvalidInput, NotFound
from takeback.model.ids import BlobKind
from takeback.model.progress import Watch
from takeback.model.sizes import parse_seconds, parse_size
from takeback.model.snapshot import Part
from takeback.model.tree import name_bytes
from takeback.sources import clock, trees
from takeback.sources.rooted import Rooted
from takeback.sources.workspace import git, uncaptured
from takeback.sources.workspace.capture import Walk
from takeback.sources.workspace.guard import encode_ignored
from takeback.sources.workspace.ignore import RULE_FILES, Patterns, RulesRecord, TrackedCache, root_rules
from takeback.sources.workspace.names import STAGE_PREFIX, is_store
from takeback.sources.workspace.stamps import Seen
from takeback.sources.workspace.statcache import StatCache, decode_cache, encode_cache
from takeback.store.reader import Reader
from takeback.store.writer import Writer

if TYPE_CHECKING:
    from takeback.model.plan import Effect, Lost, Outside
    from takeback.model.rule_change import RuleChange
    from takeback.sources.evidence import Evidence
    from takeback.sources.protocol import Proposal, Step
    from takeback.sources.witness import Between
    from takeback.sources.workspace.ignore.judged import Trust
    from takeback.sources.workspace.watching import Watcher

MAX_FILE_SIZE = "100MiB"

_STAGE = STAGE_PREFIX.encode()
_WORTH_REMEMBERING = 64
"""So many files read for nothing make it worth writing the stat cache again."""


class Workspace(Rooted):
    """A directory. ``include`` and ``exclude`` are patterns as in a .gitignore; what is included is always kept. Directories
    that are ``elsewhere``, in a part of their own, are left out whatever the rules say. ``agreed`` stands for texts of ignore
    rules that count although an agent wrote them."""

    kind = "workspace"

    def __init__(
        self,
        path: str | os.PathLike[str] = ".",
        *,
        name: str = "workspace",
        include: Iterable[str] = (),
        exclude: Iterable[str] = (),
        max_file_size: int | str = MAX_FILE_SIZE,
        time_budget: float | str | None = None,
        elsewhere: Iterable[str] = (),
        agreed: Iterable[str] = (),
    ) -> None:
        self.name = name
        self.root = _real_directory(os.fspath(path))
        self.time_budget = None if time_budget is None else parse_seconds(time_budget)
        self._patterns = Patterns(tuple(include), tuple(exclude))
        self._max_file_size = parse_size(max_file_size)
        self._elsewhere = frozenset(elsewhere)
        self.seen: Seen | None = None
        """What the last capture saw."""
        self._agreed = frozenset(agreed)
        self._agents_at_work = False
        self._origin: Callable[[], Part | None] | None = None

    def capture(self, writer: Writer, previous: Part | None, watch: Watch) -> Part:
        """Every file that is not ignored, as trees; unchanged ones are recognised without reading them."""
        if not os.path.isdir(name_bytes(self.root)):
            raise NotFound(
                f"the workspace {self.root} is gone, so there is nothing to save",
                hints=["`takeback restore REF --to DIR` puts a snapshot elsewhere"],
            )
        _check_outside_of_stores(self.root)
        self._sweep()
        began = clock.read()
        self._looked_ns = began.real_ns
        before = previous.content if previous is not None else None
        cache = decode_cache(writer.derived.get(self._cache_key(writer)), before)
        tracked = TrackedCache.decode(cache.note)
        found = self._walked(writer, cache, tracked, previous, watch)
        walk, refs = found.walk, found.refs
        tree = refs["content"]
        same_rules = previous is not None and all(
            refs.get(key) == previous.refs.get(key) for key in ("rules", "trusted")
        )
        if tree != before or not same_rules or walk.read > _WORTH_REMEMBERING or not len(walk.cache):
            writer.derived.put(
                self._cache_key(writer), encode_cache(tree, tracked.encode(), walk.sections, walk.lately)
            )
        self.seen = Seen(self.root, tree, walk.sections, walk.directories, began, walk.cache)
        if walk.ignored:
            refs["ignored"] = writer.put(encode_ignored(walk.ignored), BlobKind.DOCUMENT)
        if walk.uncaptured:
            refs["uncaptured"] = writer.put(uncaptured.encode(walk.uncaptured), BlobKind.DOCUMENT)
        detail = {**self._detail(), **({"hidden": list(found.hidden)} if found.hidden else {})}
        return Part(self.name, self.kind, refs, detail, tuple(sorted(walk.not_captured)))

    def heed(self, *, agents_at_work: bool, origin: Callable[[], Part | None] | None = None) -> None:
        """Say whose doing it is if ignore rules have changed since the last snapshot: an agent's, or a person's. ``origin``
        gives the part that is being brought back: rules of it count as they did then."""
        self._agents_at_work, self._origin = agents_at_work, origin

    def _walked(
        self, writer: Writer, cache: StatCache, tracked: TrackedCache, previous: Part | None, watch: Watch
    ) -> _Walked:
        """One walk, by the rules that stand there; and by those of before, if an agent may have changed them since."""
        before = previous.content if previous is not None else None
        trust = None
        if previous is not None and (self._agents_at_work or "trusted" in previous.refs):
            trust = self._trust(writer.reader, previous)
        rules = root_rules(self.root, self._patterns, tracked_cache=tracked)
        if previous is None or trust is None:
            walk = Walk(writer, cache, self._max_file_size, watch, self._elsewhere)
            tree = walk.root(self.root, rules, before)
            return _Walked(walk, {"content": tree, "rules": _put(writer, RulesRecord.of(rules))})
        from takeback.sources.workspace.ignore.allowance import (
            HiddenAllowance,  # as below: no save of a person's needs it
        )
        from takeback.sources.workspace.ignore.judged import Judged

        allowance = HiddenAllowance(_used(previous))
        walk = Walk(writer, cache, self._max_file_size, watch, self._elsewhere, allowance)
        judged = Judged.start(rules, trust)
        refs = {"content": walk.root(self.root, judged, before), "rules": _put(writer, RulesRecord.of(rules))}
        record = judged.trusted_record()
        if record is None:
            return _Walked(walk, refs)
        return _Walked(walk, {**refs, "trusted": _put(writer, record)}, (allowance.files, allowance.bytes))

    def _trust(self, reader: Reader, previous: Part) -> Trust | None:
        """What decides which rules are trusted; None if the last snapshot does not tell any more."""
        from takeback.sources.workspace.ignore.judged import Trust
        from takeback.sources.workspace.ignore.record import Pair

        def pair(part: Part) -> Pair:
            return Pair.decode(lambda blob: reader.get(blob, BlobKind.DOCUMENT), part.refs)

        source = self._origin() if self._origin is not None else None
        try:
            origin = pair(source) if source is not None else None
            return Trust(pair(previous), agents_at_work=self._agents_at_work, origin=origin, agreed=self._agreed)
        except Integrity:
            return None  # a store that is damaged, or that may be anybody's, keeps nobody from saving

    def evidence(self, reader: Reader, before: Part | None, after: Part) -> Evidence | None:
        """When each path that differs was changed, as the last capture saw it; None if that was of another state."""
        if self.seen is None or self.seen.tree != after.content:
            return None
        return self.seen.evidence(reader, self.seen.tree if before is None else before.content)

    def plan(self, reader: Reader, present: Part, target: Part, paths: Sequence[str] | None) -> Proposal:
        from takeback.sources.workspace import planning  # here and below: no save needs it

        proposal = planning.plan(reader, self.name, present, target, paths, self.disk)
        note = head_note(*(part.detail.get("context", {}) for part in (present, target)))
        return proposal._replace(notes=(*proposal.notes, note)) if note else proposal

    def revert(self, reader: Reader, present: Part, steps: Sequence[Step]) -> Proposal:
        from takeback.sources.evidence import load
        from takeback.sources.workspace import planning
        from takeback.sources.workspace.rule_notes import rule_notes

        def evidence(step: Step, after: Part) -> Evidence | None:
            return load(reader, after) or self.evidence(reader, step.before, after)

        proposal = planning.revert(reader, self.name, present, steps, self.disk, evidence=evidence)
        return proposal._replace(notes=(*proposal.notes, *rule_notes(reader, steps)))

    def unagreed(self, reader: Reader, part: Part) -> Sequence[RuleChange]:
        """Ignore rules of a part that an agent changed, and that hide nothing until a person agrees."""
        from takeback.sources.workspace.ignore.hiding import unagreed
        from takeback.sources.workspace.ignore.record import Pair

        return unagreed(Pair.decode(lambda blob: reader.get(blob, BlobKind.DOCUMENT), part.refs), self._agreed)

    def _at(self, place: str) -> Workspace:
        return Workspace(
            place,
            name=self.name,
            include=self._patterns.include,
            exclude=self._patterns.exclude,
            max_file_size=self._max_file_size,
            time_budget=self.time_budget,
            elsewhere=self._elsewhere,
            agreed=self._agreed,
        )

    def amend(self, writer: Writer, present: Part, effects: Sequence[Effect]) -> Part:
        changes = {effect.path: effect.after for effect in effects}
        tree = trees.patch(writer, present.content, changes)
        refs = dict(present.refs)
        if any(path.rpartition("/")[2] in RULE_FILES for path in changes):
            # What now counts, a directory that is ignored no more included, only another look tells.
            found = self.capture(writer, present, Watch())
            refs = {key: blob for key, blob in refs.items() if key != "trusted"}
            refs |= {key: blob for key, blob in found.refs.items() if key in ("rules", "trusted")}
            if found.content != tree:
                differing = [path for path, *_ in trees.compare(writer.reader, found.content, tree)]
                self._forget(writer, found.content, tree, differing)
        else:
            self._forget(writer, present.content, tree, changes)
        refs["content"] = tree
        return Part(self.name, self.kind, refs, present.detail, present.not_captured)

    def unseen(self, writer: Writer, now: Part, effects: Sequence[Effect]) -> Sequence[Lost]:
        """What was changed in directories before they were closed to everybody, and is there again with them."""
        from takeback.model.plan import Lost

        opened = [effect.path for effect in effects if effect.opens]
        if not opened:
            return ()
        found = self.capture(writer, now, Watch())
        changes = trees.compare(writer.reader, now.content, found.content, opened)
        return [Lost(self.name, path, "unseen") for path, *_ in changes if trees.within(opened, path)]

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

    def _detail(self) -> dict[str, Any]:
        repository = git.find(self.root)
        if repository is None:
            return {}
        head = repository.head()
        return {"context": {"git": {"commit": head.commit, "branch": head.branch}}}


class _Walked(NamedTuple):
    """What a walk found: the tree, and the rules that decided."""

    walk: Walk
    refs: dict[str, bytes]
    hidden: tuple[int, int] | None = None
    """How much has been captured in spite of rules that nobody agreed to; None if there are no such rules."""


def _put(writer: Writer, record: RulesRecord) -> bytes:
    return writer.put(record.encode(), BlobKind.DOCUMENT)


def _used(previous: Part) -> tuple[int, int]:
    """How many files, and bytes, were captured before in spite of rules that nobody agreed to."""
    match previous.detail.get("hidden"):
        case [int(files), int(size)] if files >= 0 and size >= 0:
            return files, size
    return 0, 0


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


def head_note(now: Mapping[str, Any], then: Mapping[str, Any], whose: str = "git's HEAD") -> str:
    """What to say of a HEAD that is not where it was, by what was noted of it; empty if it is."""
    here, was = (git.noted(context) for context in (now, then))
    if not was.commit or here.commit == was.commit:
        return ""
    where, there = (f"{str(head.commit)[:10]}{f' on {head.branch}' if head.branch else ''}" for head in (was, here))
    return f"{whose} was {where} then and is {there} now; files are restored, HEAD and the index stay as they are"


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
