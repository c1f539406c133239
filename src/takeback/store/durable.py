"""Files that survive a power cut: written whole under another name, synced, then given their name.

After a failed fsync the kernel may drop the dirty pages and report success the next time, so the file is discarded
and the fsync is never tried again.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable

from takeback.errors import Conflict, TakebackError, Unavailable

_NO_LINKS = {errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK}


def storage_error(error: OSError, doing: str) -> TakebackError:
    """An operating system's error in our words."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return Unavailable(
            f"{doing} failed: the disk is full. Nothing that was stored before is harmed.",
            hints=[
                "free some space there and run the command again",
                "`takeback prune` names old snapshots that can go",
            ],
        )
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return Unavailable(
            f"{doing} failed: {error.strerror}.",
            hints=["check who owns the store's directory and whether it is mounted read-only"],
        )
    return Unavailable(
        f"{doing} failed: {error.strerror or error}.", hints=["check the disk, then the store: `takeback verify`"]
    )


def sync_directory(path: str) -> None:
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def write_new(temporary: str, target: str, chunks: Iterable[bytes], mode: int = 0o600) -> int:
    """Write ``chunks`` to ``target``, which must not exist (Conflict), by way of ``temporary``; return the size.

    When anything fails, ``temporary`` is removed and ``target`` is as it was.
    """
    fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        try:
            size = sum(write_all(fd, chunk) for chunk in chunks)
            if mode != 0o600:
                os.fchmod(fd, mode)
            os.fsync(fd)
        finally:
            os.close(fd)
        give_name(temporary, target)
    except BaseException:
        _remove(temporary)
        raise
    try:
        sync_directory(os.path.dirname(target))
    except BaseException:
        _remove(target)
        raise
    return size


def write_all(fd: int, data: bytes) -> int:
    """Write all of it; returns how much that was."""
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]
    return len(data)


def give_name(temporary: str, target: str) -> None:
    """Give a synced file its name unless that is taken: a link fails where a rename would replace."""
    try:
        os.link(temporary, target)
    except FileExistsError:
        raise Conflict(f"{target} exists already, and stored objects are never changed") from None
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        if os.path.lexists(target):
            raise Conflict(f"{target} exists already, and stored objects are never changed") from None
        os.rename(temporary, target)  # a filesystem without hard links; names are random, so nobody races for them
    else:
        os.unlink(temporary)


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        pass  # it is in tmp/, where the next collection removes it
