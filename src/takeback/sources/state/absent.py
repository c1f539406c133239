"""A state whose object lives in another process: it can be compared, planned for and recorded here, but only its owner
puts it in place (`takeback.engine.pending`). So nothing here looks at the world, and nothing is ever unfinished."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from takeback.documents.walking import load, walk
from takeback.errors import InvalidInput, NotFound
from takeback.model.plan import Effect
from takeback.model.snapshot import Part
from takeback.sources.protocol import Proposal
from takeback.sources.state import content

if TYPE_CHECKING:
    from takeback.model.diff import Change
    from takeback.model.plan import Kept
    from takeback.model.progress import Watch
    from takeback.sources.protocol import Made, Staged, Step
    from takeback.store.reader import Reader
    from takeback.store.writer import Writer


class Absent:
    """Stands for the source that the owner has."""

    root = ""
    lock = ""

    def __init__(self, name: str, kind: str) -> None:
        self.name, self.kind = name, kind

    def capture(self, writer: Writer, previous: Part | None, watch: Watch) -> Part:
        if previous is None:
            raise self._nothing_here()
        return previous

    def plan(self, reader: Reader, present: Part, target: Part, paths: Sequence[str] | None) -> Proposal:
        return Proposal(content.between(present, target))

    def revert(self, reader: Reader, present: Part, steps: Sequence[Step]) -> Proposal:
        return content.taken_back(present, steps)

    def moved(self, reader: Reader, present: Part, effects: Sequence[Effect]) -> tuple[str, ...]:
        return content.moved(present, effects)

    def plan_at(self, reader: Reader, place: object, part: Part, paths: Sequence[str] | None) -> Proposal:
        raise self._nothing_here()

    def make_at(self, reader: Reader, place: object, part: Part, paths: Sequence[str] | None, *, durable: bool) -> Made:
        raise self._nothing_here()

    def stage(self, reader: Reader, effects: Sequence[Effect], *, durable: bool = True) -> Staged:
        """Nothing has to be made ready, but every byte of it must be there: Integrity if not."""
        for effect in effects:
            if effect.after is not None:
                for _, found in walk(lambda blob: load(reader, blob), effect.after.id, ()):
                    for each in found.contents:
                        for _ in reader.stream(each):
                            pass
        return _Nothing()

    def unfinished(self, effects: Sequence[Effect]) -> tuple[Effect, ...]:
        return ()

    def amend(self, writer: Writer, present: Part, effects: Sequence[Effect]) -> Part:
        return content.amended(writer.reader, present, effects)

    def diff(
        self, reader: Reader, a: Part | None, b: Part | None, paths: Sequence[str] | None = None
    ) -> Iterator[Change]:
        return content.changes(self.name, a, b)

    def count(self, reader: Reader, part: Part) -> int:
        return 1

    def state_at(self, reader: Reader, part: Part, path: str) -> object | None:
        return part.content if path == self.name else None

    def read(self, reader: Reader, part: Part, path: str) -> Iterator[bytes]:
        raise NotFound(f"{path!r} is not in {self.name}, which is the state of an object")

    def _nothing_here(self) -> InvalidInput:
        return InvalidInput(f"{self.name} is the state of an object that lives in another process")


class _Nothing:
    """Nothing is staged, so there is nothing to do."""

    kept: tuple[Kept, ...] = ()

    def apply(self) -> None:
        pass

    def finish(self) -> None:
        pass

    def discard(self) -> None:
        pass
