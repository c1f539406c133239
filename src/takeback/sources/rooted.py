"""What every source of files below one root does alike, whichever of them are captured, and however."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from blake3 import blake3

from takeback.errors import Integrity
from takeback.model.snapshot import Part
from takeback.model.tree import DIRECTORY, name_bytes
from takeback.sources import trees
from takeback.sources.workspace.names import STAGE_PREFIX
from takeback.sources.workspace.statcache import decode_cache, encode_cache
from takeback.store.reader import Reader
from takeback.store.writer import Writer

if TYPE_CHECKING:
    from takeback.model.diff import Change
    from takeback.model.plan import Effect, Kept
    from takeback.sources.protocol import Made, Proposal, Source, Staged
    from takeback.sources.workspace.disk import Disk
    from takeback.sources.workspace.place.files import StagedFiles

_STAGE = STAGE_PREFIX.encode()


class Rooted:
    """Files below ``root``. Who captures them says with `_at` what it would be at another root."""

    name: str
    kind: str
    root: str
    lock = ""
    own: tuple[str, ...] = ()
    """If others may have something in the same root: the paths at and below which all is that this source puts there."""
    _looked_ns = 0
    """When the last capture began: what was touched later may not be what it captured."""

    def _at(self, place: str) -> Source:
        raise NotImplementedError

    def moved(self, reader: Reader, present: Part, effects: Sequence[Effect]) -> tuple[str, ...]:
        view = trees.TreeView(reader, present.content)
        return tuple(effect.path for effect in effects if view.get(effect.path) != effect.before)

    def plan_at(self, reader: Reader, place: object, part: Part, paths: Sequence[str] | None) -> Proposal:
        from takeback.sources import directories
        from takeback.sources.protocol import Proposal
        from takeback.sources.workspace import planning

        where = directories.named(place)
        effects = self._fresh(planning.fresh(reader, self.name, part, paths), reader, part, where)
        directories.check(self._at, where, effects, self.own)
        return Proposal(tuple(effects))

    def make_at(self, reader: Reader, place: object, part: Part, paths: Sequence[str] | None, *, durable: bool) -> Made:
        from takeback.sources import directories
        from takeback.sources.protocol import Made
        from takeback.sources.workspace import planning

        where = directories.named(place)
        effects = self._fresh(planning.fresh(reader, self.name, part, paths), reader, part, where)
        directories.make(self._at, reader, where, effects, self.own, durable=durable)
        return Made(self._at(where), tuple(effects))

    def unmake_at(self, reader: Reader, place: object, part: Part, noted: Sequence[tuple[str, str]]) -> list[str]:
        """Remove what `make_at` put there, as far as it is still so; what is left of it."""
        from takeback.sources import directories
        from takeback.sources.workspace import planning

        where = directories.named(place)
        effects = self._fresh(planning.fresh(reader, self.name, part, None), reader, part, where)
        kinds = {kind for kind, _ in noted}
        return directories.unmake(self._without_locks, reader, where, effects, self.own, kinds)

    def _without_locks(self, place: str) -> Source:
        """What it is at a place where nobody else is yet."""
        return self._at(place)

    def fork_place(self, name: str, directory: str) -> object:
        """Where a fork called ``name``, whose files are in ``directory``, has its part."""
        return directory if self.name == self.kind else f"{directory}.{self.name}"

    def at_fork(self, part: Part, root: str) -> Source | None:
        """The same source where a fork whose files are in ``root`` has its part; None if that is not there any more."""
        place = root if self.name == self.kind else f"{root}.{self.name}"
        return self._at(place) if os.path.isdir(name_bytes(place)) else None

    def _fresh(self, effects: list[Effect], reader: Reader, part: Part, place: str) -> list[Effect]:
        """Effects that make a part at a place; what differs there because it is another place is for who knows."""
        return effects

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

    def _sweep(self) -> None:
        """Remove what a killed process left in the root."""
        try:
            left = any(name.startswith(_STAGE) for name in os.listdir(name_bytes(self.root)))
        except OSError:
            left = True
        if left:
            from takeback.sources.workspace.place.sweeping import sweep_stages

            sweep_stages(self.root)

    @property
    def disk(self) -> Disk:
        """What stands there now."""
        from takeback.sources.workspace.disk import Disk

        return Disk(self.root)

    def _cache_key(self, writer: Writer) -> str:
        return f"stat-{writer.scope}-{blake3(name_bytes(self.root)).hexdigest()[:16]}"

    def _forget(self, writer: Writer, old: bytes, new: bytes, paths: Collection[str]) -> None:
        """Keep the stat cache of one tree for another, without the directories on the way to what differs."""
        cache = decode_cache(writer.derived.get(self._cache_key(writer)), old)
        if not len(cache):
            return
        stale = {"", *paths, *(parent for path in paths for parent in trees.parents(path))}
        sections = {path: data for path, data in cache.items() if path not in stale}
        writer.derived.put(self._cache_key(writer), encode_cache(new, cache.note, sections, cache.lately))


class StagedPart(NamedTuple):
    """Staged files, as a part of a snapshot."""

    part: str
    files: StagedFiles

    @property
    def kept(self) -> tuple[Kept, ...]:
        from takeback.model.plan import Kept

        reason = "something came into it meanwhile"
        return tuple(Kept(self.part, path, reason) for path in self.files.kept)

    def written_since(self, effects: Sequence[Effect]) -> tuple[Kept, ...]:
        """Those of some effects that are not in place only because another program has written there since."""
        from takeback.model.plan import Kept

        reason = "another program wrote to it as soon as it was back"
        own = [effect for effect in effects if effect.part == self.part]
        return tuple(Kept(self.part, path, reason) for path in self.files.written_since(own))

    def apply(self) -> None:
        from takeback.sources.protocol import Busy

        try:
            self.files.apply()
        except Busy as error:
            error.part = self.part
            raise

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
