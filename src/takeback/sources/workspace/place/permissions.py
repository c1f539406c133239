"""Permission bits and owners, set without ever following a link."""

from __future__ import annotations

import errno
import os
import stat

_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY


def change_mode(directory: int, name: bytes, mode: int) -> None:
    """Set the mode of a file or directory, also of one that we own but may not read."""
    try:
        handle = os.open(name, _READ, dir_fd=directory)
    except PermissionError:
        _change_unreadable(directory, name, mode)
        return
    try:
        os.fchmod(handle, mode)
    finally:
        os.close(handle)


def _change_unreadable(directory: int, name: bytes, mode: int) -> None:
    if os.chmod in os.supports_follow_symlinks:
        os.chmod(name, mode, dir_fd=directory, follow_symlinks=False)
        return
    handle = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=directory)
    try:
        if stat.S_ISLNK(os.fstat(handle).st_mode):
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
        os.chmod(f"/proc/self/fd/{handle}", mode)
    finally:
        os.close(handle)


def own_as(place: int | bytes, model: os.stat_result, directory: int | None = None) -> None:
    """Give an open file, or a name in a directory, the owner and group of ``model``, as far as we may."""
    status = os.stat(place, dir_fd=directory, follow_symlinks=False) if directory is not None else os.stat(place)
    for owner in (model.st_uid, -1):
        wanted = (owner, model.st_gid)
        if wanted in ((status.st_uid, status.st_gid), (-1, status.st_gid)):
            return
        try:
            if directory is None:
                os.chown(place, *wanted)
            else:
                os.chown(place, *wanted, dir_fd=directory, follow_symlinks=False)
            return
        except OSError:
            continue
