"""Files that survive a power cut: written whole under another name, synced, then given their name.

After a failed fsync the kernel may drop the dirty pages and report success the next time, so the file is discarded
and the fsync is never tried again.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from takeback.errors import Conflict, Integrity, TakebackError, Unavailable
from takeback.model.sizes import format_size
from takeback.store.space import space

PLAIN = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY
"""How a file of the store is opened to read it: no link is followed and no pipe waited for."""

_OWN_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NO_LINKS = {errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK}


def storage_error(error: OSError, doing: str, directory: str = "") -> TakebackError:
    """An operating system's error in our words; ``directory`` is on the disk where it happened."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return disk_full(doing, directory)
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return Unavailable(
            f"{doing} failed: {error.strerror}.",
            hints=["check who owns the store's directory and whether it is mounted read-only"],
        )
    return Unavailable(
        f"{doing} failed: {error.strerror or error}.", hints=["check the disk, then the store: `takeback verify`"]
    )


def disk_full(doing: str, directory: str) -> Unavailable:
    """What failed for want of space, and how much of that there is."""
    room = space(directory) if directory else None
    left = f" ({format_size(room.free)} of {format_size(room.total)} free at {directory})" if room else ""
    return Unavailable(
        f"{doing} failed: the disk is full{left}. Nothing that was stored before is harmed.",
        hints=[
            "free some space there and run the command again",
            "`takeback prune --keep-last 50 --all` lets old snapshots go, `takeback maintain` frees what they took",
        ],
    )


class NotPlain(Exception):
    """What stands there is no regular file of a sensible size."""


def read_plain_file(path: str, limit: int) -> bytes:
    """A whole file. A link is not followed, a pipe not waited for and nothing longer than ``limit`` read: NotPlain."""
    try:
        fd = os.open(path, PLAIN)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENXIO, errno.EISDIR):
            raise NotPlain(path) from error
        raise
    try:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode) or status.st_size > limit:
            raise NotPlain(path)
        with open(fd, "rb", buffering=0, closefd=False) as file:
            return file.read(min(limit, status.st_size + 1))
    finally:
        os.close(fd)


@contextmanager
def own_directory(root: str, *names: str) -> Iterator[int]:
    """The descriptor of a directory below a store's own, reached through no link: what is removed there must be ours."""
    handle = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for name in names:
            try:
                inner = os.open(name, _OWN_DIRECTORY, dir_fd=handle)
            except OSError as error:
                if error.errno in (errno.ELOOP, errno.ENOTDIR):
                    raise not_own(os.path.join(root, *names)) from error
                raise
            os.close(handle)
            handle = inner
        yield handle
    finally:
        os.close(handle)


def not_own(path: str) -> Integrity:
    return Integrity(
        f"{path} is a link, or no directory, where the store's own directory should be. Nothing there was touched.",
        hints=["put the directory back, or use a copy of the store"],
    )


def sync_directory(path: str) -> None:
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def sync_file(path: str) -> None:
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def read_at(fd: int, start: int, wanted: int) -> bytes:
    """``wanted`` bytes of a file, fewer at its end."""
    data = os.pread(fd, wanted, start)
    while len(data) < wanted:
        more = os.pread(fd, wanted - len(data), start + len(data))
        if not more:
            break
        data += more
    return data


def remove(path: str) -> None:
    """Unlink a file, if it is there."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass


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
