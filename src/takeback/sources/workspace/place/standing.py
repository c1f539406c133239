"""What stands at a place in a directory, compared with an entry of a tree. Nothing here follows a link."""

from __future__ import annotations

import os
import stat

from blake3 import blake3

from takeback.model.tree import DIRECTORY, FILE, LINK, Entry
from takeback.sources.workspace.place.directories import names_in

PERMISSIONS = 0o777
"""The bits that are captured and restored. Set-user-ID, set-group-ID and the sticky bit are never set by us."""

_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
_BLOCK = 1 << 20
_KINDS = {stat.S_IFREG: FILE, stat.S_IFLNK: LINK, stat.S_IFDIR: DIRECTORY}


def look(directory: int, name: bytes) -> os.stat_result | None:
    """The stat of what stands there; None if nothing does."""
    try:
        return os.stat(name, dir_fd=directory, follow_symlinks=False)
    except FileNotFoundError:
        return None


def kind_of(status: os.stat_result) -> str:
    """The kind of entry that it would be; empty for sockets, devices and the like."""
    return _KINDS.get(stat.S_IFMT(status.st_mode), "")


def same_shape(status: os.stat_result, entry: Entry) -> bool:
    """Whether it may be the entry, as far as its stat tells."""
    if kind_of(status) != entry.kind:
        return False
    if entry.kind == LINK:
        return True
    if entry.kind == FILE and status.st_size != entry.size:
        return False
    return same_mode(status, entry)


def same_mode(status: os.stat_result, entry: Entry) -> bool:
    return entry.kind == LINK or (status.st_mode ^ entry.mode) & PERMISSIONS == 0


def same_content(directory: int, name: bytes, entry: Entry) -> bool:
    """Whether a file's bytes or a link's target are those of the entry. A directory's content is its entries' affair.

    A file that we may not read cannot be compared: it counts as the same, since its stat was compared before.
    """
    try:
        if entry.kind == LINK:
            return blake3(os.readlink(name, dir_fd=directory)).digest() == entry.id
        if entry.kind == DIRECTORY:
            return True
        handle = os.open(name, _READ, dir_fd=directory)
        try:
            return stat.S_ISREG(os.fstat(handle).st_mode) and _hash(handle, entry.size) == entry.id
        finally:
            os.close(handle)
    except PermissionError:
        return entry.kind == FILE
    except OSError:
        return False


def holds(directory: int, name: bytes, entry: Entry) -> bool:
    """Whether exactly this entry stands there."""
    if entry.kind == FILE:
        try:
            handle = os.open(name, _READ, dir_fd=directory)
        except FileNotFoundError:
            return False
        except OSError:
            pass  # a link, or we may not read it
        else:
            try:
                return same_shape(os.fstat(handle), entry) and _hash(handle, entry.size) == entry.id
            finally:
                os.close(handle)
    status = look(directory, name)
    return status is not None and same_shape(status, entry) and same_content(directory, name, entry)


def is_listed(directory: int, name: bytes) -> bool:
    """Whether a directory has exactly this name, and not only one that its filesystem takes for the same."""
    return name in names_in(directory)


def _hash(handle: int, size: int) -> bytes:
    """The id of an open file's bytes, of which there are supposed to be so many."""
    if size < _BLOCK:
        return blake3(os.read(handle, size + 1)).digest()
    hasher = blake3()
    while data := os.read(handle, _BLOCK):
        hasher.update(data)
    return hasher.digest()
