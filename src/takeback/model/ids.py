"""Identifiers, and how they are written.

A blob is named by the BLAKE3-256 of its raw bytes. Snapshots, moves and operations get random names, so that they
keep them when they are copied to a store with another key.
"""

from __future__ import annotations

import os
from enum import IntEnum

ID_LENGTH = 32
"""Characters of a full snapshot or move id."""

SHORT = 8
"""Characters of an id that are shown to people; any unique prefix works as a reference."""


class BlobKind(IntEnum):
    """What a blob holds. Part of the pack format: numbers are never reused."""

    DATA = 1
    """A file's content, a symlink's target, or one chunk of a large blob."""
    TREE = 2
    """One directory; see `takeback.model.tree`."""
    DOCUMENT = 3
    """Encoded state, or a list that a part refers to."""
    MANIFEST = 4
    """A snapshot; see `takeback.engine.manifest`."""
    RECIPE = 5
    """The chunks of a large blob, stored under the id of the bytes that they make together."""
    HISTORY = 6
    """Timelines, labels, pins and moves as they were at a fold, for repair."""


def new_id() -> str:
    """A fresh id for a snapshot, move or operation."""
    return os.urandom(ID_LENGTH // 2).hex()


def short(full: str) -> str:
    """The form of an id that people read."""
    return full[:SHORT]
