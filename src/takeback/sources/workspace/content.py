"""One effect's new content, written into a staging directory and checked while it is written."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from blake3 import blake3

from takeback.errors import Integrity
from takeback.model.plan import Effect
from takeback.model.tree import FILE, LINK, Entry
from takeback.sources.workspace.permissions import own_as
from takeback.sources.workspace.staging import Area
from takeback.sources.workspace.standing import PERMISSIONS

OpenContent = Callable[[bytes], Iterator[bytes]]
"""The bytes of a blob, in pieces."""

MANY = 128
"""From so many on, one call that writes out the whole filesystem is quicker than one for each file."""


@dataclass(frozen=True, slots=True)
class Item:
    """A file or link that waits in a staging directory."""

    area: Area
    name: bytes


def needs_content(effect: Effect) -> bool:
    """Whether a file or link is to be put there that is not there yet, apart from its mode."""
    after = effect.after
    return (
        after is not None
        and after.kind in (FILE, LINK)
        and (effect.before is None or not after.same_content(effect.before))
    )


def put_into(area: Area, effect: Effect, open_content: OpenContent, model: os.stat_result | None, sync: bool) -> Item:
    """Stage what the effect creates; Integrity if the content is not what ``after`` names."""
    after = effect.after
    assert after is not None
    pieces = open_content(after.id) if effect.merged is None else iter((effect.merged,))
    item = Item(area, area.next_name())
    if after.kind == LINK:
        _make_link(item, effect.path, after, b"".join(pieces))
        if model is not None:
            own_as(item.name, model, area.handle)
        return item
    handle = area.create(item.name)
    try:
        _fill(handle, effect.path, after, pieces)
        if model is not None:
            own_as(handle, model)
        os.fchmod(handle, after.mode & PERMISSIONS)
        if sync:
            os.fsync(handle)
    finally:
        os.close(handle)
    return item


def synchronise(handles: Iterable[int]) -> None:
    """Write everything on the filesystems of these descriptors to the disk."""
    for handle in handles:
        if sys.platform == "linux":
            import ctypes

            if ctypes.CDLL(None).syncfs(handle) == 0:
                continue
        os.sync()
        return


def _fill(handle: int, path: str, entry: Entry, pieces: Iterator[bytes]) -> None:
    hasher, size = blake3(), 0
    for piece in pieces:
        hasher.update(piece)
        size += len(piece)
        view = memoryview(piece)
        while view:
            view = view[os.write(handle, view) :]
    if hasher.digest() != entry.id or size != entry.size:
        raise _wrong(path)


def _make_link(item: Item, path: str, entry: Entry, target: bytes) -> None:
    if blake3(target).digest() != entry.id or b"\0" in target or not target:
        raise _wrong(path)
    os.symlink(target, item.name, dir_fd=item.area.handle)


def _wrong(path: str) -> Integrity:
    return Integrity(
        f"the stored content of {path} is not what it should be. Nothing was changed.",
        hints=["find out what else is damaged: takeback verify"],
    )
