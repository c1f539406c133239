"""Taking one change back from a path that somebody may have changed since: three ways, over type, mode and content."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from blake3 import blake3

from takeback.model.tree import DIRECTORY, FILE, LINK, Entry
from takeback.sources.workspace.merge_memo import merging
from takeback.sources.workspace.text_merge import merge_lines

MERGE_LIMIT = 1 << 20
"""Larger files are not merged line by line; they conflict."""


class Outcome(NamedTuple):
    """What a path becomes; or why it cannot be taken back."""

    entry: Entry | None = None
    merged: bytes | None = None
    conflict: str = ""


Read = Callable[[Entry], bytes]


def take_back(base: Entry | None, theirs: Entry | None, ours: Entry | None, read: Read) -> Outcome:
    """What ``ours`` becomes without the change from ``theirs`` to ``base``.

    base: as the move left it; theirs: as it was before the move; ours: the present.
    """
    if ours in (base, theirs):
        return Outcome(theirs)
    if ours is None:
        return Outcome(conflict="it was deleted since")
    if base is None:
        return Outcome(conflict="it was made again since")
    if theirs is None:
        return Outcome(conflict="it was changed since the move made it")
    mode = _pick(base.mode, theirs.mode, ours.mode)
    if mode is None:
        return Outcome(conflict="its permissions were changed since")
    if _same(theirs, base):
        return Outcome(_with_mode(ours, mode))
    if _same(ours, base):
        return Outcome(_with_mode(theirs, mode))
    if _same(ours, theirs):
        return Outcome(_with_mode(ours, mode))
    if {base.kind, theirs.kind, ours.kind} != {FILE}:
        return Outcome(conflict="it was changed since, and is not text that could be merged")
    if max(base.size, theirs.size, ours.size) > MERGE_LIMIT:
        return Outcome(conflict="it was changed since, and is too large to be merged")
    with merging() as memo:
        merged, is_unclear = memo.get(
            (base.id, theirs.id, ours.id), lambda: (read(base), read(theirs), read(ours)), merge_text
        )
    if merged is None:
        unclear = "it was changed since, and comparing its lines takes too long"
        return Outcome(conflict=unclear if is_unclear else "the same lines were changed since")
    return Outcome(Entry(FILE, mode, len(merged), blake3(merged).digest()), merged)


def merge_text(base: bytes, theirs: bytes, ours: bytes) -> bytes | None:
    """Both sides' changes to a text; None if they overlap, if one of them is not text, or if the effort for merges ends before
    that is clear. Every byte is kept as it is."""
    if any(b"\0" in side for side in (base, theirs, ours)):
        return None
    with merging() as memo:
        return merge_lines(base, theirs, ours, memo.effort)


def _pick(base: int, theirs: int, ours: int) -> int | None:
    if ours in (base, theirs):
        return theirs
    return ours if theirs == base else None


def _same(a: Entry, b: Entry) -> bool:
    return a.kind == b.kind and (a.kind == DIRECTORY or a.id == b.id)


def _with_mode(entry: Entry, mode: int) -> Entry:
    return entry if entry.kind == LINK else Entry(entry.kind, mode, entry.size, entry.id)
