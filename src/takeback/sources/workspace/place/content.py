"""One effect's new content, written into a staging directory and checked while it is written."""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from blake3 import blake3

from takeback.errors import Integrity
from takeback.model.plan import Effect
from takeback.model.tree import FILE, LINK
from takeback.sources.workspace.place.areas import CREATE
from takeback.sources.workspace.place.directories import unavailable
from takeback.sources.workspace.place.permissions import own_as
from takeback.sources.workspace.place.standing import PERMISSIONS

OpenContent = Callable[[bytes], Iterator[bytes]]
"""The bytes of a blob, in pieces. Whoever gives them has hashed them; they are read back when they are in place."""

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

    def put(
        self,
        directory: int,
        name: bytes,
        effect: Effect,
        owner: os.stat_result | None,
        exact: set[int] | None = None,
    ) -> None:
        """Make the file or link that the effect wants; Integrity if the content is not what ``after`` names.

        ``exact`` is for many files in new directories: modes that files there have been seen to get as asked for,
        whatever umask and access lists there are, so that they need not be set again.
        """
        after = effect.after
        assert after is not None
        if after.kind == LINK:
            target = b"".join(self._content(effect)) if after.size <= _LONGEST_TARGET else b""
            if b"\0" in target or not target:
                raise _wrong(effect.path)
            os.symlink(target, name, dir_fd=directory)
            if owner is not None:
                own_as(name, owner, directory)
            return
        mode = after.mode & PERMISSIONS
        handle = os.open(name, CREATE, 0o600 if exact is None else mode | stat.S_IWUSR, dir_fd=directory)
        try:
            for piece in self._content(effect):
                _write_all(handle, piece)
            self._finish(handle, mode, owner, exact)
        finally:
            os.close(handle)

    def _finish(self, handle: int, mode: int, owner: os.stat_result | None, exact: set[int] | None) -> None:
        if owner is not None:
            own_as(handle, owner)
        if exact is None or mode not in exact:
            if exact is not None and stat.S_IMODE(os.fstat(handle).st_mode) == mode:
                exact.add(mode)
            else:
                os.fchmod(handle, mode)
        if self.sync:
            os.fsync(handle)

    def _content(self, effect: Effect) -> Iterator[bytes]:
        """An effect's content; Integrity, at the latest at the end, if it is not what ``after`` names."""
        after, size = effect.after, 0
        assert after is not None
        if effect.merged is not None and blake3(effect.merged).digest() != after.id:
            raise _wrong(effect.path)
        try:
            for piece in self.open_content(after.id) if effect.merged is None else (effect.merged,):
                size += len(piece)
                if size > after.size:
                    break
                yield piece
        except Integrity as error:  # of a blob; but it is the path that people know
            raise Integrity(
                f"{effect.path} cannot be restored, so nothing was changed: {error.message}",
                hints=["what is not lost can be restored by name: `takeback restore REF PATH…`", *error.hints],
            ) from error
        if size != after.size:
            raise _wrong(effect.path)


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


def _write_all(handle: int, data: bytes) -> None:
    written = 0
    while written < len(data):
        written += os.write(handle, memoryview(data)[written:] if written else data)


def _wrong(path: str) -> Integrity:
    return Integrity(
        f"the stored content of {path} is not what it should be. Nothing was changed.",
        hints=["`takeback verify` finds out what else is damaged"],
    )
