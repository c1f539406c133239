"""Where new content waits before it is put into place: directories of our own inside the workspace.

One in the root, and one in each other filesystem that a target lies on, because a rename cannot cross filesystems. Each
is locked by its process for as long as that lives, so that `sweep_stages` knows what a dead one left behind. A journal
in the first says what cannot be seen: where the others are, and which directories were made writable for a moment.

Journal: a line that names the format, then records of three fields, each ended by NUL: ``area``, name, directory; or
``mode``, the mode to go back to (octal), directory.
"""

from __future__ import annotations

import fcntl
import os
import re
import stat
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass

from takeback.model.tree import name_bytes, name_text
from takeback.sources.workspace.directories import OPEN_DIRECTORY, Directories
from takeback.sources.workspace.names import STAGE_PREFIX
from takeback.sources.workspace.permissions import change_mode

_JOURNAL = b"journal"
_FORMAT = b"takeback stage 1\n"
_JOURNAL_LIMIT = 1 << 24
_NAME = re.compile(re.escape(STAGE_PREFIX) + r"[0-9a-f]{16}")
_OWNER = 0o700

CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class Area:
    """One staging directory, locked until it is removed."""

    def __init__(self, parent: int) -> None:
        self.name = name_bytes(STAGE_PREFIX) + os.urandom(8).hex().encode()
        os.mkdir(self.name, _OWNER, dir_fd=parent)
        self.handle = self._journal = -1
        self._count = 0
        try:
            self.handle = os.open(self.name, OPEN_DIRECTORY, dir_fd=parent)
            fcntl.flock(self.handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.fchmod(self.handle, _OWNER)  # without a set-group-ID bit that it may have inherited
            self._journal = os.open(_JOURNAL, CREATE, 0o600, dir_fd=self.handle)
            os.write(self._journal, _FORMAT)
        except OSError:
            self.remove(parent)
            raise

    def next_name(self) -> bytes:
        self._count += 1
        return b"%d" % self._count

    def note(self, kind: bytes, value: bytes, path: str) -> None:
        os.write(self._journal, b"".join(field + b"\0" for field in (kind, value, name_bytes(path))))

    def remove(self, parent: int | None) -> None:
        """Remove the directory and let go of it; what cannot be removed is left for a sweep."""
        try:
            if self.handle >= 0:
                _empty(self.handle)
        finally:
            for handle in (self._journal, self.handle):
                if handle >= 0:
                    os.close(handle)
        if parent is not None:
            _remove_directory(parent, self.name)


@dataclass(frozen=True, slots=True)
class Item:
    """A file, link or directory that waits in a staging directory."""

    area: Area
    name: bytes


class Staging:
    """All staging directories of one plan, and the directories that were made writable for it."""

    def __init__(self, root: str) -> None:
        self.directories = Directories(root, self._permit)
        self.loosened: dict[str, int] = {}
        """Path -> the mode to go back to."""
        self._areas: dict[str, Area] = {}

    def area(self, directory: str) -> Area:
        """The staging directory for what goes into ``directory``, or below, once that exists."""
        mount = self.directories.mount(directory)
        if mount not in self._areas:
            first = self._areas.get("") or self._make("")
            if mount:
                first.note(b"area", self._make(mount).name, mount)
        return self._areas[mount]

    def area_inside(self, directory: str) -> Area:
        """A staging directory in exactly this one, for when a rename from elsewhere is refused."""
        if directory not in self._areas:
            self._areas[""].note(b"area", self._make(directory).name, directory)
        return self._areas[directory]

    def handles(self) -> list[int]:
        """One descriptor on each filesystem that is written to."""
        return [area.handle for area in self._areas.values()] or [self.directories.root_handle]

    def loosen(self, handle: int, path: str) -> bool:
        """Let us write into an open directory for now; False if we cannot, or that was not what we lacked."""
        return self._loosen(path, os.fstat(handle), lambda mode: os.fchmod(handle, mode))

    def tighten(self) -> None:
        """Give all directories their modes back, as far as they still are as we left them."""
        for path in sorted(self.loosened, reverse=True):
            _tighten(self.directories, path, self.loosened.pop(path))

    def remove(self) -> None:
        """Remove all that was staged; quiet the second time."""
        with ExitStack() as stack:
            stack.callback(self.directories.close)
            stack.callback(self.tighten)
            while self._areas:
                stack.callback(self._remove, *self._areas.popitem())

    def _remove(self, path: str, area: Area) -> None:
        parent = _existing(self.directories, path)
        try:
            if parent is not None:
                self.loosen(parent, path)
        finally:
            area.remove(parent)

    def _make(self, directory: str) -> Area:
        handle = self.directories.open(directory)
        assert handle is not None
        try:
            area = Area(handle)
        except PermissionError:
            if not self.loosen(handle, directory):
                raise
            area = Area(handle)
        self._areas[directory] = area
        if not directory:
            for path, mode in self.loosened.items():
                area.note(b"mode", b"%o" % mode, path)
        return area

    def _permit(self, above: int, name: bytes, path: str) -> bool:
        if self.loosen(above, path.rpartition("/")[0]):
            return True
        status = os.stat(name, dir_fd=above, follow_symlinks=False)
        return self._loosen(path, status, lambda mode: change_mode(above, name, mode))

    def _loosen(self, path: str, status: os.stat_result, change: Callable[[int], None]) -> bool:
        mode = stat.S_IMODE(status.st_mode)
        if mode & _OWNER == _OWNER or status.st_uid != os.geteuid() or not stat.S_ISDIR(status.st_mode):
            return False
        self.loosened.setdefault(path, mode)
        if "" in self._areas:
            self._areas[""].note(b"mode", b"%o" % mode, path)
        change(mode | _OWNER)
        return True


def sweep_stages(root: str) -> None:
    """Remove staging directories whose process is dead, and finish what their journals tell. Never raises."""
    try:
        directories = Directories(root)
    except Exception:
        return
    try:
        for name in os.listdir(directories.root_handle):
            if _NAME.fullmatch(name):
                _sweep(directories, "", name.encode())
    except OSError:
        pass
    finally:
        directories.close()


def _sweep(directories: Directories, path: str, name: bytes) -> None:
    parent = _existing(directories, path)
    if parent is None or not _NAME.fullmatch(name_text(name)):
        return
    try:
        handle = os.open(name, OPEN_DIRECTORY, dir_fd=parent)
    except OSError:
        return
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.fstat(handle).st_uid != os.geteuid():
            return
        fields = _read_journal(handle)
        if fields is not None:
            for kind, value, place in reversed(list(zip(*[iter(fields)] * 3, strict=False))):
                if kind == b"mode":
                    _tighten(directories, name_text(place), int(value, 8))
                elif kind == b"area" and path == "" and place:
                    _sweep(directories, name_text(place), value)
            _empty(handle)
    except (OSError, ValueError):
        return
    finally:
        os.close(handle)
    parent = _existing(directories, path)
    if parent is not None:
        _remove_directory(parent, name)


def _read_journal(area: int) -> list[bytes] | None:
    """The fields of an area's journal; None if it has none, and so is not ours."""
    try:
        handle = os.open(_JOURNAL, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=area)
    except OSError:
        return None
    try:
        data = os.read(handle, _JOURNAL_LIMIT)
    finally:
        os.close(handle)
    if _FORMAT.startswith(data) and len(os.listdir(area)) == 1:
        return []  # its process died while it made it
    return data.removeprefix(_FORMAT).split(b"\0")[:-1] if data.startswith(_FORMAT) else None


def _existing(directories: Directories, path: str) -> int | None:
    """A directory, if it can be reached as it is."""
    try:
        return directories.open(path)
    except Exception:
        return None


def _tighten(directories: Directories, path: str, mode: int) -> None:
    handle = _existing(directories, path)
    try:
        if handle is not None and stat.S_IMODE(os.fstat(handle).st_mode) == mode | _OWNER:
            os.fchmod(handle, mode)
    except OSError:
        pass


def _empty(directory: int) -> None:
    """Remove all that a staging directory holds, as far as possible; the journal last, if nothing else is left."""
    left = False
    for name in map(os.fsencode, os.listdir(directory)):
        if name != _JOURNAL:
            left = not _remove_anything(directory, name) or left
    if not left:
        _remove_anything(directory, _JOURNAL)


def _remove_anything(parent: int, name: bytes) -> bool:
    """Remove a file, or a directory with all that it holds; False if that is not possible."""
    try:
        if not stat.S_ISDIR(os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode):
            os.unlink(name, dir_fd=parent)
            return True
        change_mode(parent, name, _OWNER)
        handle = os.open(name, OPEN_DIRECTORY, dir_fd=parent)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    try:
        for each in os.listdir(handle):
            _remove_anything(handle, os.fsencode(each))
    finally:
        os.close(handle)
    return _remove_directory(parent, name)


def _remove_directory(parent: int, name: bytes) -> bool:
    try:
        os.rmdir(name, dir_fd=parent)
    except OSError:
        return False
    return True
