"""A source that behaves as a container does, made of a directory: it is replaced as a whole, and what stood there before is
kept aside until all is recorded. It has a lock and no root."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from takeback import Workspace
from takeback.model.diff import Change
from takeback.model.ids import BlobKind
from takeback.model.plan import Effect, Kept
from takeback.model.progress import Watch
from takeback.model.snapshot import Part
from takeback.sources import trees
from takeback.sources.container import content
from takeback.sources.container.found import Found
from takeback.sources.protocol import Made, Proposal, Staged, Step
from takeback.sources.stored import Stored
from takeback.store.reader import Reader
from takeback.store.writer import Writer


class Box:
    """The directory ``place``, and beside it ``place.new`` and ``place.old`` while it is being replaced."""

    kind = "container"
    root = ""

    def __init__(self, place: Path, name: str = "container") -> None:
        self.place, self.name = place, name
        self.lock = f"box {place}"
        self.fails: dict[str, Exception] = {}
        """What is raised by ``stage``, ``apply``, ``finish`` or ``discard``, at the end of it."""
        self.steps: list[str] = []

    @property
    def new(self) -> Path:
        return self.place.with_name(f"{self.place.name}.new")

    @property
    def old(self) -> Path:
        return self.place.with_name(f"{self.place.name}.old")

    def heal(self) -> None:
        """What any look does first: bring back what was replaced by nothing, let go of what was replaced."""
        if self.old.exists() and not self.place.exists():
            os.rename(self.old, self.place)
        for left in (self.old, self.new):
            shutil.rmtree(left, ignore_errors=True)

    def did(self, step: str) -> None:
        self.steps.append(step)
        if step in self.fails:
            raise self.fails[step]

    def capture(self, writer: Writer, previous: Part | None, watch: Watch) -> Part:
        self.heal()
        return self._inside().capture(writer, previous, watch)._replace(kind=self.kind, detail={"container": "box"})

    def plan(self, reader: Reader, present: Part, target: Part, paths: Sequence[str] | None) -> Proposal:
        return self._inside().plan(reader, present, target, paths)

    def revert(self, reader: Reader, present: Part, steps: Sequence[Step]) -> Proposal:
        return self._inside().revert(reader, present, steps)

    def moved(self, reader: Reader, present: Part, effects: Sequence[Effect]) -> tuple[str, ...]:
        return self._inside().moved(reader, present, effects)

    def plan_at(self, reader: Reader, place: object, part: Part, paths: Sequence[str] | None) -> Proposal:
        return self._inside().plan_at(reader, self._beside(place), part, paths)

    def make_at(self, reader: Reader, place: object, part: Part, paths: Sequence[str] | None, *, durable: bool) -> Made:
        made = self._inside().make_at(reader, self._beside(place), part, paths, durable=durable)
        return Made(Box(self._beside(place), self.name), made.effects, (f"the box is {place}",))

    def _beside(self, place: object) -> Path:
        """Its name is all that a place is."""
        return self.place.with_name(str(getattr(place, "name", place)))

    def stage(self, reader: Reader, effects: Sequence[Effect], *, durable: bool = True) -> Staged:
        return _StagedBox(self, reader, effects)

    def unfinished(self, effects: Sequence[Effect]) -> tuple[Effect, ...]:
        return self._inside().unfinished(effects)

    def amend(self, writer: Writer, present: Part, effects: Sequence[Effect]) -> Part:
        amended = self._inside().amend(writer, present, effects)
        return amended._replace(kind=self.kind, detail=present.detail)

    def diff(
        self, reader: Reader, a: Part | None, b: Part | None, paths: Sequence[str] | None = None
    ) -> Iterator[Change]:
        return self._inside().diff(reader, a, b, paths)

    def count(self, reader: Reader, part: Part) -> int:
        return self._inside().count(reader, part)

    def state_at(self, reader: Reader, part: Part, path: str) -> object | None:
        return self._inside().state_at(reader, part, path)

    def read(self, reader: Reader, part: Part, path: str) -> Iterator[bytes]:
        return self._inside().read(reader, part, path)

    def _inside(self) -> Workspace:
        if not self.place.exists():
            self.heal()
        return Workspace(self.place, name=self.name)


class Crate(Box):
    """A container's part as it is written, of files that are given by their paths in it, without any container."""

    def __init__(self, place: Path, files: Mapping[str, bytes], name: str = "container", **settings: object) -> None:
        super().__init__(place, name)
        self.files, self.settings = dict(files), {"volumes": {"/data": {"name": "data"}}, **settings}

    def capture(self, writer: Writer, previous: Part | None, watch: Watch) -> Part:
        areas: dict[str, dict[str, Found]] = {"filesystem": {"": Found("", "d", 0o755)}}
        for path, data in sorted(self.files.items()):
            area = content.area_of(path)
            inner = path[len(area) + 1 :]
            known = areas.setdefault(area, {"": Found("", "d", 0o755)})
            for above in reversed([*trees.parents(inner)]):
                known.setdefault(above, Found(above, "d", 0o1755))
            known[inner] = Found(
                inner, "f", 0o4755, 7, 8, 1_700_000_000, size=len(data), id=writer.put(data, BlobKind.DATA)
            )
        tree = content.build(
            writer,
            json.dumps(self.settings).encode(),
            {area: sorted(known.values(), key=lambda each: each.path) for area, known in areas.items()},
        )
        return Part(self.name, self.kind, {"content": tree}, {"container": "crate"})

    def diff(
        self, reader: Reader, a: Part | None, b: Part | None, paths: Sequence[str] | None = None
    ) -> Iterator[Change]:
        return Stored(self.name, self.kind).diff(reader, a, b, paths)

    def count(self, reader: Reader, part: Part) -> int:
        return trees.count(reader, part.content)

    def state_at(self, reader: Reader, part: Part, path: str) -> object | None:
        return Stored(self.name, self.kind).state_at(reader, part, path)


class _StagedBox:
    kept: tuple[Kept, ...] = ()

    def __init__(self, box: Box, reader: Reader, effects: Sequence[Effect]) -> None:
        self._box = box
        self._do: Callable[[], None] = box.heal
        """What discarding it does."""
        box.heal()
        try:
            shutil.copytree(box.place, box.new, symlinks=True)
            staged = Workspace(box.new, name=box.name).stage(reader, effects)
            staged.apply()
            staged.finish()
            box.did("stage")
        except BaseException:
            box.heal()
            raise

    def apply(self) -> None:
        if self._box.new.exists():
            os.rename(self._box.place, self._box.old)
            os.rename(self._box.new, self._box.place)
            self._do = self._back
        self._box.did("apply")

    def finish(self) -> None:
        self._do = _nothing
        self._box.did("finish")
        self._box.heal()

    def discard(self) -> None:
        do, self._do = self._do, _nothing
        do()
        self._box.did("discard")

    def _back(self) -> None:
        os.rename(self._box.place, self._box.new)
        self._box.heal()


def _nothing() -> None: ...
