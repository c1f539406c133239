"""Putting what a store has of an area into a directory: an upper directory that is empty, or a volume that is not.

Every path is reached through open directories, never through a link: a volume's other users may be hostile. Directories
get their permissions and times last.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress

from takeback.errors import Conflict, Unavailable
from takeback.model.tree import DIRECTORY, FILE, LINK, name_bytes
from takeback.sources.container.access import Changed
from takeback.sources.container.found import BLOCK, CHARACTER, FIFO, WHITEOUT, Content, Found, is_bookkeeping
from takeback.sources.workspace.place.areas import remove_anything

_OPEN = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_SPECIAL = {CHARACTER: stat.S_IFCHR, BLOCK: stat.S_IFBLK, FIFO: stat.S_IFIFO, WHITEOUT: stat.S_IFCHR}
_WAITING = ".takeback-waiting-"
_NAME = re.compile(re.escape(_WAITING) + "[0-9a-f]{16}")
_OWNER = 0o700


def fill(top: str, found: Iterable[Found], content: Content) -> None:
    """Make everything in a directory that holds nothing yet; parents come before children."""
    with _Place(top) as place:
        late: list[Found] = []
        links: list[Found] = []
        for each in found:
            if each.kind == FILE and each.link not in ("", each.path):
                links.append(each)  # the other name may come later
            elif each.kind == DIRECTORY:
                if each.path:
                    os.mkdir(name_bytes(_name(each.path)), _OWNER, dir_fd=place.above(each.path))
                late.append(each)
            else:
                place.make(each, content, each.path)
        for each in links:
            place.link(each.link, each.path)
        for each in reversed(late):
            place.finish_directory(each)


def change(top: str, changes: Sequence[Changed], content: Content) -> None:
    """Change some paths of a directory. All new content is on its disk before any of it is in its place."""
    directories = [after for _, after in changes if after is not None and after.kind == DIRECTORY]
    with _Place(top) as place:
        with place.waiting() as aside:
            _change(place, aside, changes, directories, content)
        for each in sorted(directories, key=lambda each: -each.path.count("/") if each.path else 1):
            place.finish_directory(each)


def _change(
    place: _Place, aside: str, changes: Sequence[Changed], directories: Sequence[Found], content: Content
) -> None:
    ready: list[tuple[str, Found]] = []
    for number, (_, after) in enumerate(changes):
        if after is not None and after.kind != DIRECTORY:
            ready.append((f"{aside}/{number}", after))
            place.make(after, content, ready[-1][0])
    for before, after in sorted(changes, key=_deepest_first):
        if before is not None and (after is None or (before.kind == DIRECTORY) != (after.kind == DIRECTORY)):
            place.remove(before.path)
    for each in sorted(directories, key=lambda each: each.path.count("/")):
        place.make_directory(each)
    for waiting, after in ready:
        place.move(waiting, after.path)
    for waiting, after in ready:
        if after.link not in ("", after.path):
            with suppress(FileNotFoundError):  # else it stays a file of its own
                place.link(after.link, waiting)
                place.move(waiting, after.path)


def _deepest_first(changed: Changed) -> int:
    some = changed[0] or changed[1]
    return -some.path.count("/") if some is not None else 0


class _Place:
    """An open directory, and those below it that are in use."""

    def __init__(self, top: str) -> None:
        self._top = os.open(name_bytes(top), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        self._open: dict[str, int] = {}

    def __enter__(self) -> _Place:
        return self

    def __exit__(self, *error: object) -> None:
        for handle in (*self._open.values(), self._top):
            os.close(handle)

    def above(self, path: str) -> int:
        """The open directory that a path is in."""
        return self._directory(path.rpartition("/")[0])

    def _directory(self, path: str) -> int:
        """Opened through those above it; few are open at a time."""
        if not path:
            return self._top
        known = self._open.get(path)
        if known is not None:
            return known
        above, _, name = path.rpartition("/")
        try:
            handle = os.open(name_bytes(name), _OPEN, dir_fd=self._directory(above))
        except (NotADirectoryError, FileNotFoundError, OSError) as error:
            raise Conflict(f"/{path} is no directory any more: {error.strerror}") from error
        if len(self._open) > 64:
            for each in [each for each in self._open if each != above]:
                os.close(self._open.pop(each))
        self._open[path] = handle
        return handle

    def make(self, each: Found, content: Content, path: str) -> None:
        """Make anything but a directory, with all that belongs to it, under a path."""
        above, name = self.above(path), name_bytes(_name(path))
        if each.kind == FILE:
            handle = os.open(name, _CREATE, 0o600, dir_fd=above)
            try:
                for piece in content(each.id):
                    view = memoryview(piece)
                    while view:
                        view = view[os.write(handle, view) :]
                os.fchown(handle, each.uid, each.gid)
                _set_xattrs(handle, each)
                os.fchmod(handle, each.mode)
                os.utime(handle, (each.mtime, each.mtime))
            finally:
                os.close(handle)
            return
        if each.kind == LINK:
            os.symlink(b"".join(content(each.id)), name, dir_fd=above)
        else:
            try:
                os.mknod(name, _SPECIAL[each.kind] | 0o600, os.makedev(*each.device), dir_fd=above)
            except PermissionError as error:
                raise Unavailable(
                    f"cannot make the device /{path}: {error.strerror}", hints=["only root can make devices"]
                ) from error
        if each.kind == WHITEOUT:
            return
        os.chown(name, each.uid, each.gid, dir_fd=above, follow_symlinks=False)
        _set_xattrs(f"/proc/self/fd/{above}/{os.fsdecode(name)}", each)
        if each.kind != LINK:
            os.chmod(name, each.mode, dir_fd=above)  # it was made just now, by us
        os.utime(name, (each.mtime, each.mtime), dir_fd=above, follow_symlinks=False)

    def make_directory(self, each: Found) -> None:
        if each.path:
            with suppress(FileExistsError):
                os.mkdir(name_bytes(_name(each.path)), _OWNER, dir_fd=self.above(each.path))

    def finish_directory(self, each: Found) -> None:
        handle = self._directory(each.path)
        os.fchown(handle, each.uid, each.gid)
        for name in os.listxattr(handle):
            if not is_bookkeeping(name) and name not in each.xattrs:
                os.removexattr(handle, name)
        _set_xattrs(handle, each)
        if each.opaque:
            os.setxattr(handle, "trusted.overlay.opaque", b"y")
        os.fchmod(handle, each.mode)
        os.utime(handle, (each.mtime, each.mtime))

    def link(self, other: str, path: str) -> None:
        """Another name for a file."""
        os.link(
            name_bytes(_name(other)), name_bytes(_name(path)),
            src_dir_fd=self.above(other), dst_dir_fd=self.above(path), follow_symlinks=False,
        )  # fmt: skip

    def move(self, waiting: str, path: str) -> None:
        os.rename(
            name_bytes(_name(waiting)), name_bytes(_name(path)),
            src_dir_fd=self.above(waiting), dst_dir_fd=self.above(path),
        )  # fmt: skip

    def remove(self, path: str) -> None:
        """Remove a path: what is below it was removed before, unless it is somebody else's."""
        for each in [each for each in self._open if each == path or each.startswith(path + "/")]:
            os.close(self._open.pop(each))
        above, name = self.above(path), name_bytes(_name(path))
        try:
            if stat.S_ISDIR(os.stat(name, dir_fd=above, follow_symlinks=False).st_mode):
                self._remove_sockets(path)
                os.rmdir(name, dir_fd=above)
            else:
                os.unlink(name, dir_fd=above)
        except FileNotFoundError:
            pass
        except OSError as error:
            raise Conflict(f"/{path} cannot be removed: {error.strerror}") from error

    def _remove_sockets(self, path: str) -> None:
        """Of what is in a directory that goes, these are in no snapshot: they were their process's, which is gone."""
        handle = os.open(name_bytes(_name(path)), _OPEN, dir_fd=self.above(path))
        try:
            for each in os.listdir(handle):
                if stat.S_ISSOCK(os.stat(each, dir_fd=handle, follow_symlinks=False).st_mode):
                    os.unlink(each, dir_fd=handle)
        finally:
            os.close(handle)

    @contextmanager
    def waiting(self) -> Iterator[str]:
        """A directory in which new content waits; gone afterwards, with all that is left in it."""
        for left in os.listdir(self._top):
            if is_waiting(left):
                remove_anything(self._top, os.fsencode(left))
        name = f"{_WAITING}{os.urandom(8).hex()}"
        os.mkdir(name, _OWNER, dir_fd=self._top)
        try:
            yield name
        finally:
            if name in self._open:
                os.close(self._open.pop(name))
            remove_anything(self._top, name.encode())


def is_waiting(name: str) -> bool:
    """Whether a name at the top of an area is of what a killed process left there."""
    return _NAME.fullmatch(name) is not None


def _set_xattrs(place: int | str, each: Found) -> None:
    for name, value in each.xattrs.items():
        if isinstance(place, int):
            os.setxattr(place, name, value)
        else:
            os.setxattr(place, name, value, follow_symlinks=False)


def _name(path: str) -> str:
    return path.rpartition("/")[2]
