"""A value that was captured and is held in memory, without a store."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from takeback.documents.blobs import Reads
from takeback.documents.comparing import compare
from takeback.documents.decoding import get
from takeback.documents.encoding import put
from takeback.documents.grafting import Graft
from takeback.documents.holes import Allowed
from takeback.documents.known import Known
from takeback.documents.memory import Blobs
from takeback.documents.recalling import Recall
from takeback.documents.standing import Standing
from takeback.documents.survey import Survey
from takeback.model.diff import Difference
from takeback.model.snapshot import NotCaptured


class Document:
    """What `capture` made of a value: it can be had again, put back in place, and compared."""

    def __init__(self, id: bytes, blobs: Blobs, holes: tuple[NotCaptured, ...], types: frozenset[type]) -> None:
        self.id = id
        """Equal for equal values."""
        self.holes = holes
        """What is not in it."""
        self._blobs = blobs
        self._types = types

    def __repr__(self) -> str:
        return f"<Document {self.id.hex()[:12]}>"

    @property
    def size(self) -> int:
        """Bytes that it takes."""
        return self._blobs.size

    def value(self, types: Iterable[type] = ()) -> Any:
        """The value again, new. The classes that were in it come back, and those of ``types``."""
        return get(self._blobs, self.id, types=(*self._types, *types))

    def restore_into(self, target: Any, types: Iterable[type] = ()) -> None:
        """Make an object what it was, in place and wholly, or leave it as it is and raise."""
        ready(self._blobs, self.id, target, Known((*self._types, *types, *types_in(target)))).apply()

    def diff(self, other: Document) -> tuple[Difference, ...]:
        """What differs in the other one."""
        return tuple(compare(self._blobs, self.id, other._blobs, other.id))


def capture(value: Any, *, holes: Allowed = False) -> Document:
    """A value as it is now. InvalidInput, with the path to it, if something in it cannot be held and may be no hole."""
    blobs = Blobs()
    made = put(blobs, value, holes=holes)
    return Document(made.id, blobs, made.holes, made.types)


def ready(reads: Reads, id: bytes, target: Any, known: Known, recall: Recall | None = None) -> Graft:
    """A document made ready to be put into an object; nothing has changed yet. ``recall`` is how the object was cut when it was
    just captured."""
    standing = Standing(recall)
    return Graft(get(reads, id, types=known, standing=standing), target, standing)


def types_in(value: Any) -> set[type]:
    """The classes of everything in a value."""
    return Survey(value).types
