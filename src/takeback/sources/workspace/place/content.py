"""One effect's new content, written into a staging directory and checked while it is written."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from blake3 import blake3

from takeback.errors import Integrity
from takeback.model.plan import Effect
from takeback.model.tree import FILE, LINK, Entry
from takeback.sources.workspace.place.areas import CREATE
from takeback.sources.workspace.place.directories import unavailable
from takeback.sources.workspace.place.permissions import own_as
from takeback.sources.workspace.place.standing import PERMISSIONS

OpenContent = Callable[[bytes], Iterator[bytes]]
"""The bytes of a blob, in pieces."""

_LONGEST_TARGET = 1 << 16
"""More than any system takes."""

MANY = 32
"""From so many on, one call that writes out the whole filesystem is quicker than one for each file."""


def needs_content(effect: Effect) -> bool:
    """Whether a file or link is to be put there that is not there yet, apart from its mode."""
    after = effect.after
    return (
        after is not None
        and after.kind in (FILE, LINK)
        and (effect.before is None or not after.same_content(effect.before))
    )


class Stager(NamedTuple):
    """Writes content into staging directories. ``sync``: each file goes to the disk at once."""

    open_content: OpenContent
    sync: bool

    def put(self, directory: int, name: bytes, effect: Effect, owner: os.stat_result | None) -> None:
        """Make the file or link that the effect wants; Integrity if the content is not what ``after`` names."""
        after = effect.after
        assert after is not None
        pieces = self._stored(effect.path, after.id) if effect.merged is None else iter((effect.merged,))
        if after.kind == LINK:
            _make_link(directory, name, effect.path, after, _short(pieces))
            if owner is not None:
                own_as(name, owner, directory)
            return
        handle = os.open(name, CREATE, 0o600, dir_fd=directory)
        try:
            _fill(handle, effect.path, after, pieces)
            if owner is not None:
                own_as(handle, owner)
            os.fchmod(handle, after.mode & PERMISSIONS)
            if self.sync:
                os.fsync(handle)
        finally:
            os.close(handle)

    def _stored(self, path: str, blob: bytes) -> Iterator[bytes]:
        """The bytes of a blob; what is wrong with them is said of the path, which is what people know."""
        try:
            yield from self.open_content(blob)
        except Integrity as error:
            raise Integrity(
                f"{path} cannot be restored, so nothing was changed: {error.message}",
                hints=["what is not lost can be restored by name: `takeback restore REF PATH…`", *error.hints],
            ) from error


def synchronise(handles: Iterable[int]) -> None:
    """Write everything on the filesystems of these descriptors to the disk."""
    for handle in handles:
        if sys.platform == "linux":
            import ctypes

            if ctypes.CDLL(None, use_errno=True).syncfs(handle) == 0:
                continue
            if (number := ctypes.get_errno()) != errno.ENOSYS:
                raise unavailable(".", OSError(number, os.strerror(number)))
        os.sync()
        return


def _fill(handle: int, path: str, entry: Entry, pieces: Iterator[bytes]) -> None:
    hasher, size = blake3(), 0
    for piece in pieces:
        hasher.update(piece)
        size += len(piece)
        if size > entry.size:
            break  # it may never end
        view = memoryview(piece)
        while view:
            view = view[os.write(handle, view) :]
    if hasher.digest() != entry.id or size != entry.size:
        raise _wrong(path)


def _short(pieces: Iterator[bytes]) -> bytes:
    """What a link's target may be, and one more byte at most."""
    target = b""
    for piece in pieces:
        target += piece
        if len(target) > _LONGEST_TARGET:
            break
    return target


def _make_link(directory: int, name: bytes, path: str, entry: Entry, target: bytes) -> None:
    if blake3(target).digest() != entry.id or b"\0" in target or not target or len(target) != entry.size:
        raise _wrong(path)
    os.symlink(target, name, dir_fd=directory)


def _wrong(path: str) -> Integrity:
    return Integrity(
        f"the stored content of {path} is not what it should be. Nothing was changed.",
        hints=["`takeback verify` finds out what else is damaged"],
    )
