"""What a database must do to carry a catalogue.

`takeback.testing.DatabaseSuite` is the test that every database passes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

Row = tuple[Any, ...]


class Transaction(Protocol):
    """Statements use ``?`` for parameters and the common subset of SQLite's and PostgreSQL's SQL
    (``ON CONFLICT``, ``RETURNING``, no type affinities)."""

    def execute(self, sql: str, params: Sequence[Any] = ()) -> list[Row]:
        """Run one statement and return all of its rows."""

    def executemany(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        """Run one statement for each row of parameters."""


class Database(Protocol):
    """Serialised writers, readers that see one consistent moment, and commits that survive a power cut."""

    readonly: bool

    def read(self) -> AbstractContextManager[Transaction]:
        """A consistent view. May nest inside itself or inside `write` on the same thread."""

    def write(self) -> AbstractContextManager[Transaction]:
        """The only writer from now on (Locked if others hold it too long); durable when the block ends, undone when
        it raises. Unavailable on a read-only store."""

    def size(self) -> int:
        """Bytes that the database takes."""

    def changes(self) -> int:
        """Another number than before, on the same thread, if anybody has written since; cheap enough to ask all the time."""

    def damage(self, thorough: bool) -> list[str]:
        """What the database itself finds wrong with how it is stored, in words; ``thorough`` compares indexes, too."""

    def disconnect(self) -> None:
        """Close what is idle of this process; it is opened again when it is needed."""

    def tidy(self) -> None:
        """Give back space that deleted rows left, as far as nobody is in the way; nothing where there is none to give."""

    def scrub(self) -> bool:
        """Leave nothing of deleted rows on the disk; False if somebody was in the way, so that some may be there."""

    def close(self) -> None:
        """Close every connection of this process."""
