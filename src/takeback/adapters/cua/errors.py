"""What this adapter raises, under the names that its users catch.

::

    TakebackError
    ├── SnapshotError
    │   ├── ContainerNotFoundError    also a NotFound
    │   └── SnapshotNotFoundError     also a NotFound
    └── StorageError

Whatever else goes wrong in the engine (Docker is down, somebody else is at work) is a SnapshotError with the message, hints
and exit code of what it was.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from takeback.errors import NotFound, TakebackError


class SnapshotError(TakebackError):
    """A snapshot could not be made, put back or removed."""


class StorageError(TakebackError):
    """The place where snapshots are kept cannot be used so."""


class ContainerNotFoundError(SnapshotError, NotFound):
    """There is no such container."""

    exit_code = NotFound.exit_code


class SnapshotNotFoundError(SnapshotError, NotFound):
    """There is no such snapshot."""

    exit_code = NotFound.exit_code


@contextmanager
def told_as(kind: type[TakebackError]) -> Iterator[None]:
    """What takeback raises in here is raised as an error of this adapter, with the same words and exit code."""
    try:
        yield
    except (SnapshotError, StorageError):
        raise
    except TakebackError as error:
        ours = kind(error.message, hints=error.hints)
        ours.exit_code = error.exit_code
        raise ours from error
