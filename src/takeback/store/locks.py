"""The lock on a real root: one operation at a time on one directory, whatever timeline, store or process it is of; and
the same for what is no directory, by a name.

It is a kernel lock on the directory itself, so nothing is left behind, and a crashed holder leaves no lock. Each
`root_lock` opens the directory anew, therefore threads exclude each other too, and a thread that takes the same
lock twice waits for itself. Those who wait come before those who come later (`takeback.store.queueing`). A forked
child gives up its copies at once: the lock stays with the parent alone.

A name's lock is one on an empty file in the system's temporary directory, for all users of the machine. Whoever leaves it
removes the file, unless somebody waits; a killed one leaves the file, but no lock.
"""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from blake3 import blake3

from takeback.errors import InvalidInput, Locked, NotFound, Unavailable
from takeback.model.tree import name_bytes
from takeback.store import queueing
from takeback.store.durable import storage_error

_NO_FLOCK = {errno.EBADF, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOLCK, errno.EINVAL, errno.ENOSYS}
_POLL = 0.02
_MOMENT = 1.0
_SHARED = "/tmp"

_HELD: set[int] = set()
"""Descriptors of this process' locks, for the child of a fork to close."""


@contextmanager
def root_lock(path: str, timeout: float = 10.0, waiting: Callable[[str], None] | None = None) -> Iterator[None]:
    """Hold the lock of the directory ``path``; Locked, naming the holder, when it stays taken for ``timeout`` seconds.

    ``waiting`` is told who holds it if it takes longer than a moment, and again and again: what it raises ends the wait.
    """
    with _holding(_locked(_open_directory(path), path, timeout, waiting)):
        yield


@contextmanager
def named_lock(name: str, timeout: float = 10.0, waiting: Callable[[str], None] | None = None) -> Iterator[None]:
    """The same for anything that has a name, which may be any text."""
    key = _key(name)
    deadline = time.monotonic() + timeout
    fd = _locked(_lock_file(key), name, timeout, waiting)
    while not _is_current(fd, key):  # whoever had it has removed the file since it was opened
        os.close(fd)
        fd = _locked(_lock_file(key), name, max(0.0, deadline - time.monotonic()), waiting)
    with _holding(fd):
        try:
            yield
        finally:
            if fd in _HELD and not queueing.others_wait(fd):  # whom a newcomer would not see on another file
                with suppress(OSError):  # another user's, who removes it
                    os.unlink(_file_name(key))


def let_pass(name: str, timeout: float = 10.0) -> None:
    """Wait while another holds the lock of a name, for ``timeout`` seconds at most. If nobody does, it costs one system call."""
    if os.path.exists(_file_name(_key(name))):
        with suppress(Locked), named_lock(name, timeout):
            pass


@contextmanager
def _holding(fd: int) -> Iterator[None]:
    owner = os.getpid()
    _HELD.add(fd)
    try:
        yield
    finally:
        if os.getpid() == owner:
            _HELD.discard(fd)
            # Unlocking frees it even if some child has inherited the descriptor; closing alone would not.
            fcntl.flock(fd, fcntl.LOCK_UN)
            os.close(fd)


def _locked(fd: int, path: str, timeout: float, waiting: Callable[[str], None] | None) -> int:
    """An open directory or file, once its lock is held; it is closed if not."""
    on_directory = stat.S_ISDIR(os.fstat(fd).st_mode)
    deadline = time.monotonic() + timeout
    holder = ""
    try:
        if timeout > 0 and queueing.others_wait(fd):
            queueing.announce(fd)
            time.sleep(min(_POLL, timeout))
        while True:
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                queueing.withdraw(fd)
                return fd
            except BlockingIOError:
                pass
            except OSError as error:
                if error.errno not in _NO_FLOCK or not on_directory:
                    raise storage_error(error, f"locking {path}") from error
                on_directory = False
                fd = _instead_of(fd)
                continue
            left = deadline - time.monotonic()
            if waiting is not None and timeout - left > _MOMENT:
                holder = holder or _who(fd)
                waiting(holder)
            if left <= 0:
                raise _taken(fd, path, timeout)
            queueing.announce(fd)
            time.sleep(min(_POLL, left))
    except BaseException:
        os.close(fd)
        raise


def _open_directory(path: str) -> int:
    try:
        return os.open(name_bytes(path), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except FileNotFoundError:
        hint = "`takeback restore REF --to DIR` puts a snapshot elsewhere"
        raise NotFound(f"the directory {path} is gone, so there is nothing to look at", hints=[hint]) from None
    except NotADirectoryError:
        raise InvalidInput(f"cannot lock {path}: it is no directory", hints=["name the directory it is in"]) from None
    except PermissionError as error:
        import shlex  # nobody needs it otherwise

        hint = f"`chmod u+rwx {shlex.quote(path)}` lets its owner look; then run the command again"
        raise Unavailable(f"cannot look into {path}: {error.strerror}", hints=[hint]) from error
    except OSError as error:
        raise storage_error(error, f"locking {path}") from error


def _instead_of(fd: int) -> int:
    """A lock file for a directory whose filesystem locks no directories (NFS): it excludes on this machine only.

    It is named by device and inode, so that every path to the directory leads to the same file; ``fd`` is closed.
    """
    status = os.fstat(fd)
    file = _lock_file(blake3(f"{status.st_dev}:{status.st_ino}".encode()).hexdigest()[:32])
    os.close(fd)
    return file


def _key(name: str) -> str:
    return blake3(b"name:" + name.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _file_name(key: str) -> str:
    return f"{_SHARED}/takeback-{key}.lock"


def _lock_file(key: str) -> int:
    """An open file that stands for what has this key, which every user can open."""
    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
    try:
        while True:
            try:
                return os.open(_file_name(key), flags)
            except FileNotFoundError:
                # Never O_CREAT alone: in a shared directory the kernel refuses it for a file of somebody else's.
                with suppress(FileExistsError):
                    fd = os.open(_file_name(key), flags | os.O_CREAT | os.O_EXCL, 0o644)
                    os.fchmod(fd, 0o644)
                    return fd
    except OSError as error:
        raise storage_error(error, f"opening the lock file {_file_name(key)}") from error


def _is_current(fd: int, key: str) -> bool:
    """Whether the file that is locked is the one that others would open."""
    try:
        return os.path.samestat(os.fstat(fd), os.lstat(_file_name(key)))
    except OSError:
        return False


def _taken(fd: int, path: str, timeout: float) -> Locked:
    holder = _holder(fd)
    return Locked(
        f"{path} is in use: {_who(fd)} has been saving or restoring it for more than {timeout:g} seconds.",
        hints=["wait for it and try again", *([f"or end it: kill {holder[0]}"] if holder else [])],
    )


def _who(fd: int) -> str:
    holder = _holder(fd)
    return f"process {holder[0]} ({holder[1]})" if holder else "another process"


def _holder(fd: int) -> tuple[int, str] | None:
    """The pid and the command that hold the lock, where the kernel tells."""
    status = os.fstat(fd)
    try:
        with open("/proc/locks", encoding="ascii", errors="replace") as file:
            lines = file.read().splitlines()
    except OSError:
        return None
    for line in lines:
        fields = line.split()
        if len(fields) < 6 or fields[1] != "FLOCK" or fields[2:4] != ["ADVISORY", "WRITE"]:
            continue
        # The device is printed as the filesystem's own, which on overlays is not st_dev: the inode has to do.
        if fields[5].rpartition(":")[2] == str(status.st_ino) and fields[4].isdecimal() and fields[4] != "0":
            return int(fields[4]), _command(int(fields[4]))
    return None


def _command(pid: int) -> str:
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            words = file.read().split(b"\0")
    except OSError:
        return "unknown"
    return b" ".join(words).decode("utf-8", "replace").strip()[:80] or "unknown"


def _forget() -> None:
    for fd in _HELD:
        os.close(fd)
    _HELD.clear()


os.register_at_fork(after_in_child=_forget)
