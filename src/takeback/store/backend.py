"""Where packs are kept: the whole interface between takeback and a place for immutable objects.

`takeback.testing.BackendSuite` is the test that every backend passes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol


class Backend(Protocol):
    """Immutable objects under names like ``packs/4f/4f2a…``; a name is written once and never changed."""

    def put(self, name: str, chunks: Iterable[bytes]) -> int:
        """Store an object durably and return its size: whole or not at all. Conflict if the name is taken."""

    def get(self, name: str) -> bytes:
        """The whole object; NotFound if there is none."""

    def range(self, name: str, offset: int, length: int) -> bytes:
        """``length`` bytes from ``offset``, fewer at the end; a negative offset counts from the end."""

    def size(self, name: str) -> int:
        """The object's size; NotFound if there is none."""

    def list(self, prefix: str) -> Iterator[str]:
        """Names that start with ``prefix``, in any order. Absence from a listing proves nothing."""

    def delete(self, name: str) -> None:
        """Remove an object; quiet if it is gone already."""

    def close(self) -> None:
        """Give back what is held."""
