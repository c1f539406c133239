"""Entries of directories made, replaced and removed, through descriptors only; what is read-only is opened meanwhile."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Container

from takeback.errors import TakebackError
from takeback.sources.protocol import Busy
from takeback.sources.workspace.place.areas import Item
from takeback.sources.workspace.place.content import MANY, synchronise
from takeback.sources.workspace.place.directories import Blocked, unavailable
from takeback.sources.workspace.place.permissions import own_as
from takeback.sources.workspace.place.staging import Staging
from takeback.sources.workspace.place.standing import look
from takeback.sources.workspace.place.swapping import exchange
from takeback.sources.workspace.place.writers import is_written_to

Check = Callable[[int, bytes], bool]
"""Whether what stands in a directory under a name is what was planned for."""

_NO_HARD_LINKS = (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EMLINK, errno.ENOSYS, errno.EACCES)
_NO_SYNC = (errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS)
"""What filesystems say that cannot sync a directory."""


class Entries:
    """The hands of one plan, and where they have been."""

    def __init__(self, staging: Staging, planned: Container[str]) -> None:
        self._staging = staging
        self._planned = planned
        self._directories = staging.directories
        self._changed: set[str] = set()
        self._out: list[tuple[str, Item, tuple[int, int], Callable[[Item, str], None]]] = []
        """What has left its place: where it stood, where it is, when and how long it was, and the way back."""

    def find(self, path: str) -> tuple[int, bytes, os.stat_result] | None:
        """What stands at a path: the directory that it stands in, its name there, and its stat.

        Nothing does if something that the plan itself put there stands in the place of a directory above it.
        """
        try:
            parent, name = self._directories.parent(path)
        except Blocked as blocked:
            if blocked.path in self._planned:
                return None
            raise
        status = None if parent is None else look(parent, name)
        return None if parent is None or status is None else (parent, name, status)

    def take_away(self, path: str, aside: Item, expected: Check) -> None:
        """Move a file or link aside; it is back in its place, and a Conflict, if it is not what was expected, or has gone."""

        def move(parent: int, name: bytes) -> None:
            os.rename(name, aside.name, src_dir_fd=parent, dst_dir_fd=aside.area.handle)

        try:
            self._change(path, move)
        except FileNotFoundError as error:
            raise changed_meanwhile(path) from error
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            self._change(path, lambda parent, name: os.unlink(name, dir_fd=parent))
            return
        self._check(aside, path, expected, self.add)

    def rmdir(self, path: str) -> None:
        self._change(path, lambda parent, name: os.rmdir(name, dir_fd=parent))

    def mkdir(self, path: str, mode: int) -> None:
        self._change(path, lambda parent, name: make_directory(parent, name, mode))

    def make_parents(self, path: str) -> None:
        """Make the directories above a path that are missing."""
        directory = path.rpartition("/")[0]
        _, missing = self._directories.nearest(directory)
        names = directory.split("/")
        for depth in range(len(names) - len(missing), len(names)) if missing else ():
            self.mkdir("/".join(names[: depth + 1]), 0o755)

    def add(self, item: Item, path: str) -> None:
        """Put a staged item where nothing stands; a Conflict if something came there meanwhile."""

        def link(parent: int, name: bytes) -> None:
            os.link(item.name, name, src_dir_fd=item.area.handle, dst_dir_fd=parent, follow_symlinks=False)

        try:
            self._change(path, link)
        except FileExistsError as error:
            raise changed_meanwhile(path) from error
        except OSError as error:
            if error.errno not in _NO_HARD_LINKS:
                raise
            self.replace(item, path)

    def replace(self, item: Item, path: str) -> None:
        """Put a staged item in the place of a file or link; or a directory where nothing stands."""
        source = item.area.handle
        self._change(path, lambda parent, name: os.rename(item.name, name, src_dir_fd=source, dst_dir_fd=parent))

    def swap(self, item: Item, path: str, expected: Check) -> None:
        """Exchange a staged item with what stands in its place; a Conflict, and all as it was, if that is not what was
        expected. Where nothing can be exchanged, the item replaces it."""
        swapped = False

        def change(parent: int, name: bytes) -> None:
            nonlocal swapped
            swapped = exchange(item.area.handle, item.name, parent, name)

        self._change(path, change)
        if not swapped:
            self.replace(item, path)
        else:
            self._check(item, path, expected, lambda _, path: self._change(path, change))

    def _check(self, item: Item, path: str, expected: Check, give_back: Callable[[Item, str], None]) -> None:
        written = _written(item)
        if not expected(item.area.handle, item.name):
            give_back(item, path)
            raise changed_meanwhile(path)
        self._out.append((path, item, written, give_back))

    def check_out(self) -> None:
        """Look once more at all that has left its place: who had it open may have written to it since, or goes on writing
        where nobody would look. It is given back then, and a Conflict."""
        if busy := self.give_back_written():
            raise changed_meanwhile(busy[0])

    def give_back_written(self) -> list[str]:
        """Put back what has left its place and was written to since: only there the bytes are. The paths."""
        found = []
        while self._out:
            path, item, written, give_back = self._out.pop()
            if _written(item) != written or is_written_to(item.area.handle, item.name):
                give_back(item, path)
                found.append(path)
        return found

    def synchronise(self) -> None:
        """Write all directories that were changed to the disk."""
        if len(self._changed) > MANY:
            synchronise(self._staging.handles())
            return
        for path in sorted(self._changed):
            try:
                handle = self._directories.open(path)
            except TakebackError:
                continue  # it is unreadable, or gone again: nothing that could be written out
            if handle is not None:
                _sync(path, handle)

    def _change(self, path: str, act: Callable[[int, bytes], None]) -> None:
        """Change an entry; if that is not allowed, let us write into its directory until the end, and try again."""
        parent, name = self._directories.parent(path)
        if parent is None:
            raise changed_meanwhile(path)
        directory = path.rpartition("/")[0]
        try:
            act(parent, name)
        except PermissionError:
            if not self._staging.loosen(parent, directory):
                raise
            act(parent, name)
        self._changed.add(directory)


def _sync(path: str, handle: int) -> None:
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in _NO_SYNC:
            raise unavailable(path or ".", error) from error


def _written(item: Item) -> tuple[int, int]:
    status = look(item.area.handle, item.name)
    return (0, 0) if status is None else (status.st_size, status.st_mtime_ns)


def owner_for_new(directory: os.stat_result) -> os.stat_result | None:
    """Whose owner and group a new entry of a directory takes, where the system does not see to it by itself."""
    if (directory.st_uid, directory.st_gid) == (os.geteuid(), os.getegid()):
        return None
    return directory if os.geteuid() == 0 or directory.st_mode & stat.S_ISGID else None


def changed_meanwhile(path: str) -> Busy:
    return Busy(
        path,
        f"{path} was changed by somebody else since the plan was made. It was left as it is.",
        hints=["try again: the plan is then made from what is there now"],
    )


def make_directory(parent: int, name: bytes, mode: int) -> None:
    os.mkdir(name, mode, dir_fd=parent)
    owner = owner_for_new(os.fstat(parent))
    if owner is not None:
        own_as(name, owner, parent)
