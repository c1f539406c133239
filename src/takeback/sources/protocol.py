"""The one interface between the engine and everything that can be captured.

A source never sees history: it is handed parts and blobs, and the world. The engine never sees a file or a container.
`takeback.testing.SourceSuite` is the test that every source passes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol, runtime_checkable

from takeback.errors import Conflict
from takeback.model.snapshot import Part

if TYPE_CHECKING:
    from takeback.model.diff import Change
    from takeback.model.plan import Effect, Going, Kept, Lost
    from takeback.model.progress import Watch
    from takeback.store.reader import Reader
    from takeback.store.writer import Writer


class Step(NamedTuple):
    """A part before and after something happened to it that is to be taken back; ``leave`` are paths to pass over."""

    before: Part
    after: Part
    leave: frozenset[str] = frozenset()
    certain: bool = False
    """takeback did it itself: what ``before`` lacks was not there, whatever the rules of that time say."""
    through: tuple[Part, ...] = ()
    """The part in snapshots that lie between the two, newest first: their evidence tells of what was changed until then."""
    unsure: frozenset[str] = frozenset()
    """Paths whose changes are taken back although they may be somebody else's: such a file is not followed to another name at
    which it would be deleted."""
    open_ended: bool = False
    """Nothing tells for sure when what was done ended: what came to be may be a person's."""
    here: bool = True
    """Whether it happened in this very place, so that inodes and times tell of what stands there; not what a fork did."""


class Busy(Conflict):
    """Something changed at a path between the look at it and its replacement. It was left as it is."""

    def __init__(self, path: str, message: str, *, hints: Iterable[str] = ()) -> None:
        super().__init__(message, hints=hints)
        self.path = path
        self.part = ""


class Proposal(NamedTuple):
    """What a source says it would do: effects, and what it would leave alone and why."""

    effects: tuple[Effect, ...] = ()
    conflicts: tuple[Kept, ...] = ()
    kept: tuple[Kept, ...] = ()
    notes: tuple[str, ...] = ()
    goes: tuple[Going, ...] = ()
    """What nobody would see again, where paths say too little of it: somebody's mail."""
    lost: tuple[Lost, ...] = ()
    """What the steps removed, replaced or moved, and no snapshot holds."""


class Made(NamedTuple):
    """A part that was put somewhere else: the source that it is there, what was done, and what one should know."""

    source: Source
    effects: tuple[Effect, ...]
    notes: tuple[str, ...] = ()


class Staged(Protocol):
    """Effects whose new content is ready beside its place; nothing visible has changed yet."""

    @property
    def kept(self) -> tuple[Kept, ...]:
        """Directories that could not be removed, because something that nobody planned for was in them."""

    def apply(self) -> None:
        """Put everything into place. What is already there is left as it is, so that a second try is safe."""

    def finish(self) -> None:
        """What stood there before `apply` may go: all is recorded. From here on `discard` is quiet, whatever this raises."""

    def discard(self) -> None:
        """Remove what was staged. Between `apply` and `finish` it takes back what was applied, where the source can, and
        is quiet where it cannot; the second time it is quiet."""


class Looks(Protocol):
    """What can be known of parts without the world."""

    def diff(
        self, reader: Reader, a: Part | None, b: Part | None, paths: Sequence[str] | None = None
    ) -> Iterator[Change]:
        """All paths that differ; where only some ``paths`` matter, what does not lead to them may be left out."""

    def state_at(self, reader: Reader, part: Part, path: str) -> object | None:
        """What a part has at and below a path, as a value that is equal if and only if that is; None for nothing."""

    def read(self, reader: Reader, part: Part, path: str) -> Iterator[bytes]:
        """The bytes at a path of a part; NotFound or InvalidInput if there are none."""


@runtime_checkable
class Opening(Protocol):
    """A source that may hold what nobody can read any more as it was read last."""

    def unseen(self, writer: Writer, now: Part, effects: Sequence[Effect]) -> Sequence[Lost]:
        """What is not as ``now`` has it where ``effects`` let it be read again."""


class Source(Looks, Protocol):
    """A kind of thing with a name of its own in every snapshot."""

    name: str
    kind: str
    root: str
    """The real path that is locked while the source is looked at or changed; empty if there is none."""

    @property
    def lock(self) -> str:
        """A name that is locked then, for what is no directory; empty if there is none. It never begins with a slash."""

    def capture(self, writer: Writer, previous: Part | None, watch: Watch) -> Part:
        """Everything there is now, as blobs in ``writer``; ``previous`` is what the last snapshot holds."""

    def plan(self, reader: Reader, present: Part, target: Part, paths: Sequence[str] | None) -> Proposal:
        """What makes ``present`` exactly like ``target``, within ``paths`` if given."""

    def revert(self, reader: Reader, present: Part, steps: Sequence[Step]) -> Proposal:
        """What takes back ``steps``, newest first, and nothing else: what others changed since is merged or reported."""

    def moved(self, reader: Reader, present: Part, effects: Sequence[Effect]) -> tuple[str, ...]:
        """The paths that are not, in ``present``, as the effects expect them."""

    def plan_at(self, reader: Reader, place: object, part: Part, paths: Sequence[str] | None) -> Proposal:
        """What `make_at` would do; InvalidInput if it would refuse the place. What a place is, only the source knows: a
        directory, a container's name, or more than that."""

    def make_at(self, reader: Reader, place: object, part: Part, paths: Sequence[str] | None, *, durable: bool) -> Made:
        """Put a part, or the ``paths`` of it, somewhere else, where there is nothing yet, and read it back. What need not
        be ``durable`` may be lost in a power cut."""

    def stage(self, reader: Reader, effects: Sequence[Effect], *, durable: bool = True) -> Staged:
        """Make all of the effects ready. What need not be ``durable`` may be lost in a power cut."""

    def unfinished(self, effects: Sequence[Effect]) -> tuple[Effect, ...]:
        """Read the world back: the effects that are not in place."""

    def amend(self, writer: Writer, present: Part, effects: Sequence[Effect]) -> Part:
        """The part that ``present`` is once all of the effects are in place."""

    def count(self, reader: Reader, part: Part) -> int:
        """How many paths differ between nothing and a part, directories aside: sooner than `diff` would tell."""
